import { owned, type Migration } from './migration.ts';

/**
 * Restore sessions on servers of Veeam Backup for Microsoft 365, and what they have shown.
 * `session_key`: the session's id on the server. `point_at`: when its restore point was made. Of
 * `vb365_node`, `id` is a hash of the keys that the server has for it: of its mailbox or drive
 * (`object_key`) and its own (`item_key`, empty of the mailbox or drive itself).
 */
export const migration0063: Migration = {
  name: '0063',
  statements: [
    ...owned(
      'vb365_explorer',
      'tenant_id uuid not null, id uuid not null, organization_id uuid not null, user_id uuid not null, workload text not null, session_key text not null, point_at bigint not null, opened_at bigint not null, used_at bigint not null, stopped_at bigint, primary key (tenant_id, id)',
    ),
    'create index vb365_explorer_organization on vb365_explorer (tenant_id, organization_id)',
    ...owned(
      'vb365_node',
      'tenant_id uuid not null, organization_id uuid not null, id text not null, object_id text not null, kind text not null, object_key text not null, item_key text not null, name text not null, people text not null, bytes bigint, at bigint, read_at bigint not null, primary key (tenant_id, organization_id, id)',
    ),
  ],
};
