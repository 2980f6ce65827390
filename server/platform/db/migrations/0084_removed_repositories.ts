import { owned, type Migration } from './migration.ts';

/**
 * Repositories that were removed from a server of Veeam Backup for Microsoft 365, which keeps their
 * backups (G73). `proxy_key` and `object_storage_key` are ids on the server.
 */
export const migration0084: Migration = {
  name: '0084',
  statements: owned(
    'vb365_removed_repository',
    'tenant_id uuid not null, id uuid not null, name text not null, proxy_key text, path text not null, object_storage_key text, retention_type text not null, retention jsonb not null, removed_at bigint not null, primary key (tenant_id, id)',
  ),
};
