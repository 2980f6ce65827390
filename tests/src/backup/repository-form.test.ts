import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { CALLS } from '#contract/calls.ts';
import {
  editForm,
  newRepositoryForm,
  readEditForm,
  readNewForm,
  willShorten,
} from '#src/features/backup/repositories/form.ts';

const ORGANIZATION = '10000000-0000-4000-8000-000000000001';
const DAY = 86_400_000;

const row = (more: Partial<BackupRepositoryRow> = {}): BackupRepositoryRow => ({
  id: '40000000-0000-4000-8000-000000000001',
  company: 1,
  organization: ORGANIZATION,
  target: { type: 'Folder' },
  retentionType: 'SnapshotBased',
  name: 'Copperline',
  description: 'First floor',
  passwordDescription: 'The usual one',
  retentionPolicy: 'Years5',
  shortened: null,
  proxy: null,
  deletesAt: null,
  verifiedAt: null,
  damaged: 0,
  cleanedAt: null,
  createdAt: 1,
  updatedAt: 1,
  removedAt: null,
  ...more,
});

test('SUITE-20: the form of a new repository creates the input of the call, or names what is missing', () => {
  const empty = newRepositoryForm([]);
  expect(Object.keys(readNewForm(empty).errors)).toEqual(['organizationId', 'repository']);
  const filled = {
    ...newRepositoryForm([{ id: ORGANIZATION }]),
    repository: ' Vault ',
    description: ' ',
  };
  expect(filled.organizationId).toBe(ORGANIZATION);
  const { value } = readNewForm(filled);
  expect(value).toMatchObject({ repository: 'Vault', description: '' });
  expect(value).not.toHaveProperty('password');
  expect(v.safeParse(CALLS.createBackupRepository.input, value).success).toBe(true);
});

test('SUITE-20: a chosen password is long enough, repeated, and not part of its hint', () => {
  const filled = {
    ...newRepositoryForm([{ id: ORGANIZATION }]),
    repository: 'Vault',
    hasOwnPassword: true,
  };
  const errorsWith = (password: string, repeatPassword: string, passwordDescription: string) =>
    Object.keys(readNewForm({ ...filled, password, repeatPassword, passwordDescription }).errors);
  expect(errorsWith('seven77', 'seven77', '')).toEqual(['password']);
  expect(errorsWith('eight888', 'eight889', '')).toEqual(['repeatPassword']);
  expect(errorsWith('eight888', 'eight888', 'It is EIGHT888')).toEqual(['passwordDescription']);
  expect(errorsWith('eight888', 'eight888', 'a number')).toEqual([]);
});

test('OBJ-6: a repository with Object Lock keeps backups for a period, when it is created and later', () => {
  const bucket = {
    ...newRepositoryForm([{ id: ORGANIZATION }]),
    repository: 'Vault',
    isBucket: true,
    endpoint: 'https://s3.example.com',
    bucket: 'backups',
    accessKeyId: 'KEY',
    secretAccessKey: 'secret',
  };
  const locked = { ...bucket, objectLock: 'Compliance' as const };
  const keep = { retentionPolicy: 'Keep' as const };
  const { value } = readNewForm(locked);
  expect(v.parse(CALLS.createBackupRepository.input, value).storage?.objectLock).toBe('Compliance');
  expect(Object.keys(readNewForm({ ...locked, ...keep }).errors)).toEqual(['retentionPolicy']);
  expect(readNewForm({ ...bucket, ...keep }).errors).toEqual({});
  // A choice for a bucket doesn't count for a folder.
  expect(readNewForm({ ...locked, isBucket: false, ...keep }).value?.storage).toBeNull();

  const place = { endpoint: 'https://s3.example.com', region: 'x', bucket: 'backups', prefix: '' };
  const findErrors = (objectLock?: 'Governance'): string[] => {
    const target = { type: 'S3' as const, ...place, ...(objectLock && { objectLock }) };
    const before = editForm(row({ target }));
    return Object.keys(readEditForm({ ...before, ...keep }, before).errors);
  };
  expect(findErrors('Governance')).toEqual(['retentionPolicy']);
  expect(findErrors()).toEqual([]);
});

test('SUITE-20: editing a repository sends only what changed', () => {
  const before = editForm(row());
  expect(readEditForm(before, before).value).toEqual({});
  const { value } = readEditForm(
    { ...before, repository: 'Vault', retentionPolicy: 'Years7', passwordDescription: '' },
    before,
  );
  expect(value).toEqual({
    repository: 'Vault',
    passwordDescription: '',
    retentionPolicy: 'Years7',
  });
  expect(v.safeParse(CALLS.updateBackupRepository.input, { id: row().id, ...value }).success).toBe(
    true,
  );
  expect(readEditForm({ ...before, repository: ' ' }, before).value).toBeNull();
});

test('SUITE-20: a shorter retention is announced, compared with the one in effect', () => {
  const pending = row({ shortened: { retentionPolicy: 'Year1', appliesAt: 10 * DAY } });
  expect(editForm(pending).retentionPolicy).toBe('Year1');
  expect(willShorten(pending, 'Years3', 9 * DAY)).toBe(true);
  expect(willShorten(pending, 'Years5', 9 * DAY)).toBe(false);
  expect(willShorten(pending, 'Years3', 10 * DAY)).toBe(false);
  expect(willShorten(row({ retentionPolicy: 'Keep' }), 'Years25', 0)).toBe(true);
  expect(willShorten(null, 'Year1', 0)).toBe(false);
});
