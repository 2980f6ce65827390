import * as v from 'valibot';
import { listPage } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { previewOut } from './preview.ts';
import {
  DOWNLOAD,
  documentOut,
  downloadOut,
  driveFolderOut,
  driveOut,
  FOLDERS,
  ITEMS,
  LIST,
  mailboxOut,
  mailFolderOut,
  mailItemOut,
  nodeId,
  nodeIds,
  OF_SESSION,
  RESTORE_FILES,
  RESTORE_MAIL,
  startedOut,
} from './shapes.ts';

const SESSION = 'o365/restore/restoresessions/{restoreSessionId}';
const READ = ['bad-input', 'not-found', 'forbidden', 'conflict', 'busy'] as const;
const COMMAND = [...READ, 'reauth_required', 'key-reused', 'out-of-order'] as const;
const DOWNLOADS = [...READ, 'reauth_required'] as const;
const sizeOut = v.object({ items: v.number(), bytes: v.number(), isExact: v.boolean() });
const OF_MAILBOX = { ...OF_SESSION, mailboxId: nodeId };
const OF_DRIVE = { ...OF_SESSION, onedriveId: nodeId };
/** What a download would hold. */
const SIZE = v.strictObject({ ...OF_SESSION, nodes: nodeIds });

/** What a restore session shows of mailboxes, and what is restored of them. */
const mailCalls = {
  listMailboxes: call({
    method: 'GET',
    path: `${SESSION}/mailboxes`,
    summary: 'Lists the mailboxes of a restore session by name.',
    input: v.strictObject({ ...OF_SESSION, ...LIST }),
    output: listPage(mailboxOut),
    gate: 'o365.restoreOutlook',
    failures: READ,
  }),
  listMailFolders: call({
    method: 'GET',
    path: `${SESSION}/mailboxes/{mailboxId}/folders`,
    summary: 'Lists the folders of a mailbox, or of a folder, by name.',
    input: v.strictObject({ ...OF_MAILBOX, ...FOLDERS }),
    output: listPage(mailFolderOut),
    gate: 'o365.restoreOutlook',
    failures: READ,
  }),
  listMailItems: call({
    method: 'GET',
    path: `${SESSION}/mailboxes/{mailboxId}/items`,
    summary: 'Lists the items of a folder, newest first.',
    input: v.strictObject({ ...OF_MAILBOX, ...ITEMS }),
    output: listPage(mailItemOut),
    gate: 'o365.restoreOutlook',
    failures: READ,
  }),
  createMailPreview: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/items/{itemId}/preview`,
    summary:
      'Reads a mail, and returns an address with which this browser shows it once within a minute.',
    input: v.strictObject({ ...OF_MAILBOX, itemId: nodeId }),
    output: previewOut,
    gate: 'o365.restoreOutlook',
    failures: READ,
  }),
  restoreMailbox: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/restore`,
    summary: 'Restores a mailbox to its place, or into another mailbox.',
    input: v.strictObject({ ...OF_MAILBOX, ...RESTORE_MAIL }),
    output: startedOut,
    gate: 'o365.restoreOutlook',
    failures: COMMAND,
  }),
  restoreMailFolder: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/folders/{folderId}/restore`,
    summary: 'Restores a folder with the folders below it.',
    input: v.strictObject({ ...OF_MAILBOX, folderId: nodeId, ...RESTORE_MAIL }),
    output: startedOut,
    gate: 'o365.restoreOutlook',
    failures: COMMAND,
  }),
  restoreMailItems: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/items/restore`,
    summary: 'Restores items of a mailbox.',
    input: v.strictObject({ ...OF_MAILBOX, items: nodeIds, ...RESTORE_MAIL }),
    output: startedOut,
    gate: 'o365.restoreOutlook',
    failures: COMMAND,
  }),
  downloadMailbox: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/download`,
    summary: 'Prepares a ZIP file with the mails of a mailbox.',
    input: v.strictObject({ ...OF_MAILBOX, ...DOWNLOAD }),
    output: downloadOut,
    gate: 'o365.restoreOutlook',
    failures: DOWNLOADS,
  }),
  downloadMailFolder: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/folders/{folderId}/download`,
    summary: 'Prepares a ZIP file with the mails of a folder and the folders below it.',
    input: v.strictObject({ ...OF_MAILBOX, folderId: nodeId, ...DOWNLOAD }),
    output: downloadOut,
    gate: 'o365.restoreOutlook',
    failures: DOWNLOADS,
  }),
  downloadMailItems: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/{mailboxId}/items/download`,
    summary: 'Prepares a download of items: a single mail as it is, several in a ZIP file.',
    input: v.strictObject({ ...OF_MAILBOX, items: nodeIds, ...DOWNLOAD }),
    output: downloadOut,
    gate: 'o365.restoreOutlook',
    failures: DOWNLOADS,
  }),
  getMailDownloadSize: call({
    method: 'POST',
    path: `${SESSION}/mailboxes/download-size`,
    summary: 'Returns how many items and bytes mailboxes, folders and items hold.',
    input: SIZE,
    output: sizeOut,
    gate: 'o365.restoreOutlook',
    failures: READ,
  }),
} as const;

/** The same of drives. */
const driveCalls = {
  listDrives: call({
    method: 'GET',
    path: `${SESSION}/onedrives`,
    summary: 'Lists the drives of a restore session by name.',
    input: v.strictObject({ ...OF_SESSION, ...LIST }),
    output: listPage(driveOut),
    gate: 'o365.restoreOnedrive',
    failures: READ,
  }),
  listDriveFolders: call({
    method: 'GET',
    path: `${SESSION}/onedrives/{onedriveId}/folders`,
    summary: 'Lists the folders of a drive, or of a folder, by name.',
    input: v.strictObject({ ...OF_DRIVE, ...FOLDERS }),
    output: listPage(driveFolderOut),
    gate: 'o365.restoreOnedrive',
    failures: READ,
  }),
  listDocuments: call({
    method: 'GET',
    path: `${SESSION}/onedrives/{onedriveId}/folders/documents`,
    summary: 'Lists the files of a drive, or of a folder, newest first.',
    input: v.strictObject({ ...OF_DRIVE, ...ITEMS }),
    output: listPage(documentOut),
    gate: 'o365.restoreOnedrive',
    failures: READ,
  }),
  restoreDrive: call({
    method: 'POST',
    path: `${SESSION}/onedrives/{onedriveId}/restore`,
    summary: 'Restores a drive to its place, or into another drive.',
    input: v.strictObject({ ...OF_DRIVE, ...RESTORE_FILES }),
    output: startedOut,
    gate: 'o365.restoreOnedrive',
    failures: COMMAND,
  }),
  restoreDriveFolder: call({
    method: 'POST',
    path: `${SESSION}/onedrives/{onedriveId}/folders/{folderId}/restore`,
    summary: 'Restores a folder with the folders below it.',
    input: v.strictObject({ ...OF_DRIVE, folderId: nodeId, ...RESTORE_FILES }),
    output: startedOut,
    gate: 'o365.restoreOnedrive',
    failures: COMMAND,
  }),
  restoreDocuments: call({
    method: 'POST',
    path: `${SESSION}/onedrives/{onedriveId}/folders/documents/restore`,
    summary: 'Restores files of a drive.',
    input: v.strictObject({ ...OF_DRIVE, documents: nodeIds, ...RESTORE_FILES }),
    output: startedOut,
    gate: 'o365.restoreOnedrive',
    failures: COMMAND,
  }),
  downloadDrive: call({
    method: 'POST',
    path: `${SESSION}/onedrives/{onedriveId}/download`,
    summary: 'Prepares a ZIP file with the files of a drive.',
    input: v.strictObject({ ...OF_DRIVE, ...DOWNLOAD }),
    output: downloadOut,
    gate: 'o365.restoreOnedrive',
    failures: DOWNLOADS,
  }),
  downloadDriveFolder: call({
    method: 'POST',
    path: `${SESSION}/onedrives/{onedriveId}/folders/{folderId}/download`,
    summary: 'Prepares a ZIP file with the files of a folder and the folders below it.',
    input: v.strictObject({ ...OF_DRIVE, folderId: nodeId, ...DOWNLOAD }),
    output: downloadOut,
    gate: 'o365.restoreOnedrive',
    failures: DOWNLOADS,
  }),
  downloadDocuments: call({
    method: 'POST',
    path: `${SESSION}/onedrives/{onedriveId}/documents/download`,
    summary: 'Prepares a download of files: a single file as it is, several in a ZIP file.',
    input: v.strictObject({ ...OF_DRIVE, documents: nodeIds, ...DOWNLOAD }),
    output: downloadOut,
    gate: 'o365.restoreOnedrive',
    failures: DOWNLOADS,
  }),
  getDriveDownloadSize: call({
    method: 'POST',
    path: `${SESSION}/onedrives/download-size`,
    summary: 'Returns how many files and bytes drives, folders and files hold.',
    input: SIZE,
    output: sizeOut,
    gate: 'o365.restoreOnedrive',
    failures: READ,
  }),
} as const;

export const restoreContentCalls = { ...mailCalls, ...driveCalls } as const;
