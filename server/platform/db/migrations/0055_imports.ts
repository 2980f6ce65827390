import { owned, type Migration } from './migration.ts';

/**
 * Imports of archives. `next_entry`: with which entry of the archive it continues, stored with the
 * items before it. `import_result`: entries that were not imported.
 */
export const migration0055: Migration = {
  name: '0055',
  statements: [
    ...owned(
      'import_task',
      "tenant_id uuid not null, id uuid not null, organization_id uuid not null, repository_id uuid not null, user_id uuid not null, object_id text not null, object_name text not null, name text not null, bytes bigint not null, received_bytes bigint not null default 0, uploaded_at bigint not null, session_id text, ticket_hash text, state text not null default 'uploading', result text, message text, next_entry integer not null default 0, read_bytes bigint not null default 0, folders jsonb not null default '[]', point_id uuid not null, created_at bigint not null, started_at bigint, ended_at bigint, primary key (tenant_id, id)",
    ),
    'create index import_task_at on import_task (tenant_id, organization_id, created_at desc, id)',
    "create unique index import_task_running on import_task (tenant_id, object_id) where state in ('running', 'stopping')",
    ...owned(
      'import_result',
      'tenant_id uuid not null, import_id uuid not null, n integer not null, path text not null, name text not null, outcome text not null, message text not null, primary key (tenant_id, import_id, n)',
    ),
  ],
};
