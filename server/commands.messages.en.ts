import { defineMessages } from '#contract/i18n/messages.ts';

/** What the server and its commands print for the operator. */
export const commandMessages = defineMessages('commands', {
  backedUp: 'The backup is in {file}.',
  backupArchive: 'Old events are only in the archive. Save the folder {folder}, too.',
  restored:
    '{tenants, plural, one {Restored # provider.} other {Restored # providers.}} All rows and logs match the backup.',
  rebuilt:
    '{tenant}: events {events, number}, rows {rows, number}, quarantined {quarantined, number}, differences {differences, number}',
  verified:
    '{tenant}: events {events, number}, rows {rows, number}, damaged parts of the log {damages, number}, differences {differences, number}',
  verifiedLog:
    "{tenant}: events {events, number}, damaged parts of the log {damages, number}. The log can't be read, so rows weren't compared.",
  sealed:
    '  {events, plural, one {# older event now has a hash} other {# older events now have hashes}}',
  eventsChanged: '  event {events}: changed since it was written',
  eventsUnreadable: '  event {events}: unreadable',
  eventsMissing: '  event {events}: missing',
  eventsSurplus: '  event {events}: after the end of the log',
  eventsUnsealed: '  event {events}: its hash is missing',
  fileMissing: '  event {events}: archived, but the archive has no file {file}',
  fileDamaged: '  event {events}: archived, but the file {file} is damaged',
  unreadableTable: '  table {table}: a part is unreadable ({reason})',
  damagedLog: '{tenant}: events {events, number}, damaged parts of the log {damages, number}',
  backupDamaged:
    'The backup holds the damage above. Keep older backups until npm run verify finds no damage.',
  difference: '  {table} {id}',
  stored: '    stored {row}',
  fromLog: '    log    {row}',
  noRow: '(none)',
  noProvider: 'No provider has the host {host}.',
  noUser: '{provider} has no user {username}.',
  unlocked:
    '{username} of {provider} can sign in again after {failures, plural, one {# failed attempt} other {# failed attempts}}.',

  distributeEmbedded: 'Set DATABASE_URL to a PostgreSQL database with Citus.',
  distributeNoCitus:
    'This database has no Citus. On each node, run: create extension citus. Then add the nodes.',
  distributeNoWorkers: 'This database has no node for shards. Add one with citus_add_node.',
  distributeNotSuperuser:
    'The user {user} is not a superuser. Only a superuser sees the rows of all providers, which are copied.',
  distributeNoPrepared:
    'Set max_prepared_transactions on {node} to at least the number of its connections, and restart it.',
  distributeRoleRefused:
    'The tables are distributed, but a node refuses the role daybook_app: {reason}. Let it in from the other nodes in pg_hba.conf.',
  distributed:
    '{tables, plural, =0 {All tables were distributed before.} one {# table is distributed now.} other {# tables are distributed now.}}',

  attachNoCertificate: "The file {file} can't be read.",
  attachStorageWrong:
    'Check the bucket: {fields}. It needs --endpoint and --bucket, and the access key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  attachPassword: 'Enter the password of the repository, then press Enter and Ctrl D.',
  noOrganization: 'This provider has no organization {name}.',
  notAttached: 'The repository was deleted meanwhile.',
  attached:
    '{points, plural, one {Attached # restore point.} other {Attached # restore points.}} {problems, plural, =0 {} other {Notes:}}',
  attachedForeign: '  {snapshot}: made by another program or for another organization',
  attachedDamaged: '  {snapshot}: unreadable',
  attachedIncomplete: '  {snapshot}: a part of {object} is unreadable',
  attachedExcluded: '  {object}: excluded from backups on request. Their backups are removed',
  attachedOnHold: '  {object}: on legal hold. The hold applies here, too',
  attachedExcludedOnHold:
    '  {object}: excluded on request, and on legal hold. Their backups stay until the hold ends',

  keyMissing:
    'In DAYBOOK_SECRET_KEY, put a new key and a comma before the current key. Restart all servers, then run this command again.',
  keysRotated: 'Re-encrypted the keys of {changed, number} of {all, number} providers.',
  formerKeyStays:
    'The former key is still stored. When no backup needs it, run this command with --forget.',
  removeFormerKeys: 'You can now remove the former keys from DAYBOOK_SECRET_KEY.',
  formerKeysDeleted: '{former, plural, one {Deleted # former key.} other {Deleted # former keys.}}',

  dataNotOpened: "The data in {folder} can't be opened. {error}",
  dataUnchanged: 'The data in {folder} is unchanged. {error}',
  demoFailed: "The demo data couldn't be created. {error}",
  firstStartFailed: "The first start couldn't be completed. {error}",
  running: 'Daybook is at {address}',
  flushed: 'embedded database: changes are on disk before they are confirmed',
  notFlushed:
    'embedded database: a power cut may lose the last changes, because DAYBOOK_FLUSH is off',
  username: 'username: {username}',
  password: 'password: {password}',
  demoTenant: 'simulated Microsoft 365 organizations: {address} (opens only on this machine)',
  outbox: 'email and text messages without a gateway: {address} (opens only on this machine)',
  notBuilt: "The page isn't built, so the server offers only the API.",
  portInUse: 'Another program uses port {port}. Set PORT to a free one.',
  portForbidden: "This user isn't allowed to use port {port}. Set PORT to one above 1023.",
  portFailed: "The server can't listen on port {port}. {error}",

  firstCompany: 'First company',
  administrator: 'Administrator',
  firstProvider: 'My provider',
});
