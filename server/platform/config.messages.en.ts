import { defineMessages } from '#contract/i18n/messages.ts';

/** What is wrong with a setting of the server, printed for the operator. */
export const configMessages = defineMessages('config', {
  port: 'PORT must be a whole number from 0 to 65535.',
  network: '{name} contains "{value}", which is neither an address nor a network.',
  connections: '{name} must be a whole number from 10 to 1000000.',
  flush: 'DAYBOOK_FLUSH is "{value}". It must be on or off.',
  archiveAfterDays:
    'DAYBOOK_ARCHIVE_AFTER_DAYS must be a whole number from 400 to 36500, or 0 to archive nothing.',
  archiveFolder:
    'DAYBOOK_ARCHIVE must name the folder of archived events, which all servers on one database share.',
  deleteLogsAfterDays:
    'DAYBOOK_DELETE_LOGS_AFTER_DAYS must be a whole number from 31 to 36500, or 0 to delete nothing.',
  graph: 'DAYBOOK_GRAPH is "{value}". It must be an origin, such as https://graph.example.net.',
  secretKey:
    'DAYBOOK_SECRET_KEY must be 32 bytes in base64url, or several such keys with commas, the current one first.',
  demoPassword: 'DAYBOOK_DEMO_PASSWORD can have at most 128 characters.',
  estate: 'The demo size "{estate}" is unknown. Choose small, medium, large, or none.',
  wrongKey: "This server's secret key doesn't protect this database.",
  keyIds: 'The database needs key {id}, but this server has {own}.',
  shareKey:
    "All servers on one database share one key. Copy secret.key from the first server's data folder, or set DAYBOOK_SECRET_KEY to the same value.",
  serverKeyMissing: 'A key of the server is missing: the one that protects this database.',
  providerKeyMissing:
    "A key of the server is missing: the one that protects this provider's secrets.",
  folderInUse:
    'Another Daybook (process {pid} on {host}) uses the data folder {folder}. Stop it, or set DAYBOOK_DATA to another folder.',
  lockUnreadable:
    '{file} is unreadable. Make sure that no Daybook uses the folder, then remove this file.',
  commandNoSpace: "The disk is full, so the command couldn't finish. It left nothing behind.",
  logLost:
    'Acknowledged changes can no longer be read: the write-ahead log is damaged in {path} at byte {offset}. Keep a copy of the data folder, then restore a backup into a new one. To go on without the changes after this place, set DAYBOOK_ACCEPTED_LOSS={position}.',
  databaseDamaged:
    'A file of the database is damaged: {reason}. npm run verify names what it holds. Restore a backup into a new data folder or a new database.',
  tableDamaged:
    'A part of the table {table} is damaged: {reason}. Restore a backup into a new data folder or a new database.',
  tableOfProviderDamaged:
    'A part of the table {table} of provider {provider} is damaged: {reason}. Restore a backup into a new data folder or a new database.',
  copyBusy: 'Another backup or check of this database is running. Wait until it has ended.',
  copyStopped: 'The server stopped while its database was copied. Run the command again.',
  copyFailed: "The server couldn't offer a copy of its database. See its log for the reason.",
  copyNoSpace:
    'A copy of the database needs {needed, number} MB in {folder}, and {free, number} MB are free. Add --copy-in and a folder on a disk with more space.',
});
