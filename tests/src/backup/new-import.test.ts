import * as v from 'valibot';
import { expect, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';
import {
  type ImportForm,
  makeImportForm,
  readImportForm,
  withSecurity,
} from '#src/features/backup/imports/import-form.ts';

const ID = '10000000-0000-4000-8000-000000000001';
const FORM: ImportForm = {
  ...makeImportForm(ID, ID, null),
  mailboxName: ' Ann ',
  file: new File(['From '], 'ann.mbox'),
};

test('IMP-1: the form of an import creates the input of the call, or names what is missing', () => {
  const { value } = readImportForm(FORM);
  expect(value).toEqual({
    call: 'createImport',
    input: {
      organizationId: ID,
      repositoryId: ID,
      name: 'ann.mbox',
      bytes: 5,
      content: 'mail',
      mailbox: { name: 'Ann' },
    },
  });
  expect(v.safeParse(CALLS.createImport.input, value?.input).success).toBe(true);
  const known = `import:${ID}`;
  expect(
    readImportForm({ ...FORM, mailboxName: '', mailboxId: known }).value?.input.mailbox,
  ).toEqual({
    id: known,
  });
  const { value: none, errors } = readImportForm({
    ...makeImportForm('', '', null),
    mailboxName: ' ',
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

test('IMP-6: the form of a mailbox on a server creates the input of the call, or names what is missing', () => {
  const form: ImportForm = {
    ...FORM,
    source: 'imap',
    host: ' imap.example.com ',
    username: 'ann@example.com',
    password: ' secret ',
  };
  const { value } = readImportForm(form);
  expect(value).toEqual({
    call: 'createImapImport',
    input: {
      organizationId: ID,
      repositoryId: ID,
      mailbox: { name: 'Ann' },
      server: {
        host: 'imap.example.com',
        port: 993,
        security: 'tls',
        username: 'ann@example.com',
        // Spaces are part of a password.
        password: ' secret ',
        certificate: null,
      },
    },
  });
  expect(v.safeParse(CALLS.createImapImport.input, value?.input).success).toBe(true);
  const empty = readImportForm({ ...makeImportForm('', '', null), source: 'imap', port: '0' });
  expect(Object.keys(empty.errors)).toEqual([
    'host',
    'port',
    'username',
    'password',
    'organizationId',
    'repositoryId',
    'mailboxName',
  ]);
  expect(readImportForm({ ...form, host: 'https://imap.example.com' }).errors.host).toBe(
    'Enter the name of the server only, such as imap.example.com.',
  );
  expect(withSecurity(form, 'starttls')).toEqual({ security: 'starttls', port: '143' });
  expect(withSecurity({ security: 'tls', port: '1993' }, 'starttls').port).toBe('1993');
});

test('IMP-9: the form of a folder on a server creates the input of the call, or says what is wrong', () => {
  const form: ImportForm = {
    ...FORM,
    source: 'webdav',
    url: ' https://files.example.com/dav/ann/ ',
    username: 'ann',
    password: 'secret',
  };
  const { value } = readImportForm(form);
  expect(value?.call).toBe('createWebdavImport');
  expect(v.safeParse(CALLS.createWebdavImport.input, value?.input).success).toBe(true);
  for (const url of ['', 'files.example.com', 'https://ann:secret@files.example.com/', 'ftp://x/'])
    expect([url, Object.keys(readImportForm({ ...form, url }).errors)]).toEqual([url, ['url']]);
});
