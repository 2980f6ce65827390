import { owned, type Migration } from './migration.ts';

/**
 * Mailboxes on servers that are imported. `sealed`: the password, until the import ends. `mails`: how
 * many there are, once they are counted.
 */
export const migration0051: Migration = {
  name: '0051',
  statements: owned(
    'import_server',
    'tenant_id uuid not null, import_id uuid not null, account jsonb not null, sealed text, mails integer, primary key (tenant_id, import_id)',
  ),
};
