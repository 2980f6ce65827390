import { owned } from './migration.ts';
import type { Migration } from './migration.ts';

/**
 * The hash chain over each provider's log (server/platform/events/log-hash.ts): one row for each batch
 * of events, named by its last one. Logs that are older get theirs from `npm run verify` or a backup.
 */
export const migration0069: Migration = {
  name: '0069',
  statements: [
    ...owned(
      'log_hash',
      'tenant_id uuid not null, seq bigint not null, hash text not null, primary key (tenant_id, seq)',
    ),
    'revoke update, delete, truncate on log_hash from daybook_app',
  ],
};
