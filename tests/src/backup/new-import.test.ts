import * as v from 'valibot';
import { expect, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';
import { readImportForm } from '#src/features/backup/imports/new-import.tsx';

const ID = '10000000-0000-4000-8000-000000000001';
const FORM = {
  organizationId: ID,
  repositoryId: ID,
  mailboxId: '',
  mailboxName: ' Ann ',
  file: new File(['From '], 'ann.mbox'),
};

test('IMP-1: the form of an import creates the input of the call, or names what is missing', () => {
  const { value } = readImportForm(FORM);
  expect(value).toEqual({
    organizationId: ID,
    repositoryId: ID,
    name: 'ann.mbox',
    bytes: 5,
    mailbox: { name: 'Ann' },
  });
  expect(v.safeParse(CALLS.createImport.input, value).success).toBe(true);
  const known = `import:${ID}`;
  expect(readImportForm({ ...FORM, mailboxName: '', mailboxId: known }).value?.mailbox).toEqual({
    id: known,
  });
  const { value: none, errors } = readImportForm({
    organizationId: '',
    repositoryId: '',
    mailboxId: '',
    mailboxName: ' ',
    file: null,
  });
  expect(none).toBeNull();
  expect(Object.keys(errors)).toEqual(['file', 'organizationId', 'repositoryId', 'mailboxName']);
  const huge = new File([], 'huge.mbox');
  Object.defineProperty(huge, 'size', { value: 50_000_000_001 });
  expect(readImportForm({ ...FORM, file: huge }).errors.file).toBe(
    'This file is larger than 50 GB. Split it, and import its parts one by one.',
  );
  expect(readImportForm({ ...FORM, file: new File([], 'empty.mbox') }).errors.file).toBe(
    'This file is empty.',
  );
});
