import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId, anyOrganizationId, anyRepositoryId } from '../paging.ts';
import { shownCertificate } from '../shown-certificate.ts';
import { nameText } from '../text-schema.ts';
import { CURSOR, idOut, listPageSchema } from './suite-schema.ts';
import type { BackupRepositoryId, OrganizationId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const gate = 'o365.repositories';
const PATH = 'o365/organizations/{organizationId}/imports';
const OF_IMPORT = { organizationId: anyOrganizationId, id: anyId };

/** How much of an archive the server has after a part of it. */
export const uploadProgress = v.object({ receivedBytes: v.number() });

export const IMPORT_STATES = ['uploading', 'queued', 'running', 'stopping', 'done'] as const;
export const IMPORT_RESULTS = ['success', 'warning', 'failed', 'cancelled'] as const;

const counts = {
  imported: v.number(),
  partial: v.number(),
  known: v.number(),
  skipped: v.number(),
  failed: v.number(),
};

const mailboxId = v.pipe(
  v.string(),
  v.regex(/^import:(?:drive:)?[\da-f-]{36}$/, () => schemaMessages.importedMailbox),
);
const mailboxIn = v.union([
  v.strictObject({ name: nameText() }),
  v.strictObject({ id: mailboxId }),
]);

/** Mail becomes a mailbox, files become a drive. */
const IMPORT_CONTENTS = ['mail', 'files'] as const;
const IMAP_SECURITIES = ['tls', 'starttls', 'none'] as const;
const account = {
  host: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(253),
    v.regex(/^[\w.:-]+$/, () => schemaMessages.host),
  ),
  port: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(65_535)),
  security: v.picklist(IMAP_SECURITIES),
  username: nameText(),
  certificate: v.nullable(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.certificateChars))),
};
const password = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.secretChars));
const serverIn = v.strictObject({ ...account, password });
const webdavIn = v.strictObject({
  url: v.pipe(v.string(), v.trim(), v.url(), v.maxLength(LIMITS.addressChars)),
  username: account.username,
  certificate: account.certificate,
  password,
});
const testOut = v.object({
  ok: v.boolean(),
  message: v.nullable(v.string()),
  entries: v.nullable(v.number()),
  seen: v.nullable(shownCertificate),
});

/**
 * `account`: the mailbox on a server; null: it is an archive. `known`: mail that the mailbox had already.
 * `partial`: those of the imported that something is missing of.
 * `readBytes`: how far into the archive the import is. `entries`: how many mails there are on the server,
 * once they are counted.
 * `pointAt`: the time of its restore point; null: it made none. `folders`: 500 at most, the others
 * are added up.
 */
const importOut = v.object({
  source: v.picklist(['archive', 'imap', 'webdav']),
  content: v.picklist(IMPORT_CONTENTS),
  account: v.nullable(
    v.variant('kind', [
      v.object({
        kind: v.literal('imap'),
        host: v.string(),
        port: v.number(),
        security: v.picklist(IMAP_SECURITIES),
        username: v.string(),
        certificate: v.nullable(v.string()),
      }),
      v.object({
        kind: v.literal('webdav'),
        url: v.string(),
        username: v.string(),
        certificate: v.nullable(v.string()),
      }),
    ]),
  ),
  entries: v.nullable(v.number()),
  readEntries: v.number(),
  _id: v.string(),
  id: v.string(),
  organizationId: storedIdSchema<OrganizationId>(),
  repositoryId: storedIdSchema<BackupRepositoryId>(),
  name: v.string(),
  mailbox: v.string(),
  mailboxId: v.string(),
  bytes: v.number(),
  receivedBytes: v.number(),
  readBytes: v.number(),
  state: v.picklist(IMPORT_STATES),
  result: v.nullable(v.picklist(IMPORT_RESULTS)),
  message: v.nullable(v.string()),
  counts: v.object(counts),
  folders: v.array(v.object({ path: v.string(), ...counts })),
  pointAt: v.nullable(v.number()),
  createdAt: v.number(),
  endedAt: v.nullable(v.number()),
});

/** Imports of archives and of mailboxes on servers as restore points of mailboxes that are in no tenant. */
export const importCalls = {
  listImports: call({
    method: 'GET',
    path: PATH,
    summary: 'Lists the imports of an organization, newest first, and its imported mailboxes.',
    input: v.strictObject({ organizationId: anyOrganizationId, ...CURSOR }),
    output: v.object({
      ...listPageSchema(importOut).entries,
      mailboxes: v.array(
        v.object({
          id: v.string(),
          kind: v.picklist(['mailbox', 'drive']),
          name: v.string(),
          repositoryId: storedIdSchema<BackupRepositoryId>(),
          items: v.number(),
        }),
      ),
    }),
    gate,
    failures: ['bad-input', 'not-found'],
  }),
  getImport: call({
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Returns an import with its progress and its results by folder.',
    input: v.strictObject(OF_IMPORT),
    output: importOut,
    gate,
    failures: ['not-found'],
  }),
  listImportResults: call({
    method: 'GET',
    path: `${PATH}/{id}/results`,
    summary:
      'Lists what of an archive was not imported, or only in part, and why. The first 10,000 are named.',
    input: v.strictObject({ ...OF_IMPORT, ...CURSOR }),
    output: listPageSchema(
      v.object({
        n: v.number(),
        path: v.string(),
        name: v.string(),
        outcome: v.picklist(['skipped', 'failed', 'partial']),
        message: v.string(),
      }),
    ),
    gate,
    failures: ['bad-input', 'not-found'],
  }),
  createImport: call({
    method: 'POST',
    path: PATH,
    summary:
      'Creates an import of an archive into a new mailbox with a name, or into one of an earlier import. With `content` “files”, a ZIP archive becomes a drive. Upload the archive next.',
    input: v.strictObject({
      organizationId: anyOrganizationId,
      repositoryId: anyRepositoryId,
      content: v.optional(v.picklist(IMPORT_CONTENTS)),
      name: nameText(255),
      bytes: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(LIMITS.importBytes)),
      mailbox: mailboxIn,
    }),
    output: idOut,
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
  createImapImport: call({
    method: 'POST',
    path: `${PATH}/imap`,
    summary:
      'Creates an import of a mailbox on an IMAP server. The password is deleted when the import ends. Into the mailbox of an earlier import, only new mail is imported.',
    input: v.strictObject({
      organizationId: anyOrganizationId,
      repositoryId: anyRepositoryId,
      server: serverIn,
      mailbox: mailboxIn,
    }),
    output: idOut,
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
  testImapServer: call({
    method: 'POST',
    path: `${PATH}/imap/test`,
    summary:
      'Signs in to a mailbox on an IMAP server and counts its mails. Stores nothing. `seen`: the certificate that the server presented, if it is not trusted.',
    input: v.strictObject({ organizationId: anyOrganizationId, server: serverIn }),
    output: testOut,
    gate,
    failures: ['bad-input', 'not-found', 'too-many'],
  }),
  createWebdavImport: call({
    method: 'POST',
    path: `${PATH}/webdav`,
    summary:
      'Creates an import of a folder on a WebDAV server as a drive. The password is deleted when the import ends. Into the drive of an earlier import, only what is new is imported.',
    input: v.strictObject({
      organizationId: anyOrganizationId,
      repositoryId: anyRepositoryId,
      server: webdavIn,
      mailbox: mailboxIn,
    }),
    output: idOut,
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
  testWebdavServer: call({
    method: 'POST',
    path: `${PATH}/webdav/test`,
    summary:
      'Signs in to a WebDAV server and counts what is in the folder itself. Stores nothing. `seen`: the certificate that the server presented, if it is not trusted.',
    input: v.strictObject({ organizationId: anyOrganizationId, server: webdavIn }),
    output: testOut,
    gate,
    failures: ['bad-input', 'not-found', 'too-many'],
  }),
  startImportUpload: call({
    method: 'POST',
    path: `${PATH}/{id}/upload`,
    summary:
      'Starts the upload of an archive, or resumes it from `receivedBytes`. Send it in parts of at most `partBytes`: PUT `url` with `?from=`, and the ticket in the header `daybook-upload`.',
    input: v.strictObject(OF_IMPORT),
    output: v.object({
      url: v.string(),
      ticket: v.string(),
      receivedBytes: v.number(),
      partBytes: v.number(),
    }),
    gate,
    failures: ['not-found', 'conflict'],
  }),
  stopImport: call({
    method: 'POST',
    path: `${PATH}/{id}/stop`,
    summary: 'Stops an import. What it imported before stays, in a restore point.',
    input: v.strictObject(OF_IMPORT),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
} as const;
