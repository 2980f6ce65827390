import * as v from 'valibot';
import { expect, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';
import { EMPTY_STORAGE } from '#src/features/backup/repositories/storage-form.ts';
import { readAttachForm } from '#src/features/backup/repositories/attach-dialog.tsx';

const FORM = {
  ...EMPTY_STORAGE,
  organizationId: '10000000-0000-4000-8000-000000000001',
  id: ' 3F0C2A52-8D7E-4A1B-9C55-0B6F6F0E7D11 ',
  password: 'correct horse',
  retentionType: 'SnapshotBased',
  retentionPolicy: 'Keep',
} as const;

test('SUITE-20: the form to attach a repository creates the input of the call, or names what is missing', () => {
  const { value } = readAttachForm(FORM);
  expect(v.safeParse(CALLS.attachBackupRepository.input, value).success).toBe(true);
  expect(value?.id).toBe('3f0c2a52-8d7e-4a1b-9c55-0b6f6f0e7d11');
  const { value: none, errors } = readAttachForm({
    ...FORM,
    organizationId: '',
    id: '../secret',
    password: '',
  });
  expect(none).toBeNull();
  expect(Object.keys(errors)).toEqual(['organizationId', 'id', 'password']);
});
