import { owned, type Migration } from './migration.ts';

/**
 * Tables of the embedded backup engine. None is filled by folds: events hold no name, subject or
 * secret of a customer's data.
 */
export const migration0037: Migration = {
  name: '0037',
  statements: [
    ...owned(
      'organization_access',
      'tenant_id uuid not null, organization_id uuid not null, sealed text not null, at bigint not null, primary key (tenant_id, organization_id)',
    ),
    ...owned(
      'device_code',
      'tenant_id uuid not null, id uuid not null, user_id uuid, region text not null, sealed text not null, expires_at bigint not null, primary key (tenant_id, id)',
    ),
    ...owned(
      'directory_object',
      "tenant_id uuid not null, organization_id uuid not null, kind text not null, id text not null, name text not null, address text not null default '', parent_id text, deleted_at bigint, primary key (tenant_id, organization_id, kind, id)",
    ),
    'create index directory_object_name on directory_object (tenant_id, organization_id, kind, lower(name), id)',
    ...owned(
      'repository_access',
      'tenant_id uuid not null, repository_id uuid not null, sealed text not null, at bigint not null, verified_at bigint, stored_bytes bigint not null default 0, primary key (tenant_id, repository_id)',
    ),
    ...owned(
      'backup_object',
      'tenant_id uuid not null, n bigint not null, repository_id uuid not null, organization_id uuid not null, kind text not null, directory_id text not null, name text not null, address text not null, point integer not null default 0, next_folder bigint not null default 1, next_item bigint not null default 1, items bigint not null default 0, bytes bigint not null default 0, tree text, primary key (tenant_id, n), unique (tenant_id, repository_id, organization_id, kind, directory_id)',
    ),
    ...owned(
      'object_cursor',
      'tenant_id uuid not null, object_n bigint not null, scope text not null, cursor text not null, listing boolean not null default false, primary key (tenant_id, object_n, scope)',
    ),
    ...owned(
      'backup_session',
      "tenant_id uuid not null, id uuid not null, job_id uuid not null, organization_id uuid not null, repository_id uuid not null, state text not null, result text, reason text not null, message text, started_at bigint not null, ended_at bigint, progress jsonb not null default '{}', primary key (tenant_id, id)",
    ),
    'create index backup_session_job on backup_session (tenant_id, job_id, started_at desc, id)',
    "create unique index backup_session_running on backup_session (tenant_id, job_id) where state <> 'done'",
    ...owned(
      'backup_work',
      "tenant_id uuid not null, session_id uuid not null, object_n bigint not null, state text not null default 'queued', lease_owner text, lease_until bigint not null default 0, attempts integer not null default 0, items bigint not null default 0, bytes bigint not null default 0, message text, waiting jsonb, primary key (tenant_id, session_id, object_n)",
    ),
    ...owned(
      'backup_log',
      'tenant_id uuid not null, session_id uuid not null, n integer not null, at bigint not null, level text not null, message text not null, primary key (tenant_id, session_id, n)',
    ),
    ...owned(
      'restore_point',
      "tenant_id uuid not null, id uuid not null, organization_id uuid not null, repository_id uuid not null, job_id uuid not null, session_id uuid not null, at bigint not null, snapshot text, complete boolean not null default false, result text, changes bigint not null default 0, lacks jsonb not null default '[]', primary key (tenant_id, id)",
    ),
    'create index restore_point_at on restore_point (tenant_id, organization_id, at desc, id)',
    // The state of an object at a restore point. Points of other jobs of the repository count on.
    ...owned(
      'object_point',
      'tenant_id uuid not null, object_n bigint not null, point integer not null, point_id uuid not null, at bigint not null, items bigint not null, bytes bigint not null, tree text not null, primary key (tenant_id, object_n, point)',
    ),
    'create index object_point_of on object_point (tenant_id, point_id, object_n)',
    // One row for each version of a folder or item, with the range of points that have it: from_point
    // to to_point, both included; null: the newest point has it.
    ...owned(
      'folder',
      'tenant_id uuid not null, object_n bigint not null, n bigint not null, key text not null, parent_key text, name text not null, well_known text, from_point integer not null, to_point integer, primary key (tenant_id, object_n, n)',
    ),
    'create unique index folder_now on folder (tenant_id, object_n, key) where to_point is null',
    'create index folder_parent on folder (tenant_id, object_n, parent_key, name, n)',
    ...owned(
      'item',
      "tenant_id uuid not null, object_n bigint not null, n bigint not null, folder_key text not null, key text not null, change_key text not null, from_point integer not null, to_point integer, kind text not null, at bigint not null, changed_at bigint not null, bytes bigint not null, title text not null, people text not null, flags jsonb not null default '{}', parts jsonb not null, words tsvector generated always as (to_tsvector('simple', title || ' ' || people)) stored, primary key (tenant_id, object_n, n)",
    ),
    'create unique index item_now on item (tenant_id, object_n, key) where to_point is null',
    'create index item_folder_at on item (tenant_id, object_n, folder_key, at, n)',
    'create index item_key on item (tenant_id, object_n, key)',
    'create index item_words on item using gin (words)',
    // What the current listing of a scope has named so far, when it must be compared.
    ...owned(
      'listed_item',
      'tenant_id uuid not null, object_n bigint not null, scope text not null, key text not null, primary key (tenant_id, object_n, scope, key)',
    ),
    ...owned(
      'explorer',
      'tenant_id uuid not null, id uuid not null, user_id uuid not null, organization_id uuid not null, job_id uuid, workload text not null, point_id uuid not null, show_deleted boolean not null, opened_at bigint not null, used_at bigint not null, stopped_at bigint, primary key (tenant_id, id)',
    ),
    ...owned(
      'engine_task',
      "tenant_id uuid not null, id uuid not null, organization_id uuid not null, user_id uuid, kind text not null, state text not null, result text, message text, request jsonb not null, progress jsonb not null default '{}', parent_id uuid, created_at bigint not null, started_at bigint, ended_at bigint, primary key (tenant_id, id)",
    ),
    'create index engine_task_at on engine_task (tenant_id, organization_id, created_at desc, id)',
    // Intent before each write, id after it, and what undo puts back.
    ...owned(
      'restore_item',
      'tenant_id uuid not null, task_id uuid not null, n integer not null, object_n bigint not null, item_n bigint not null, name text not null, path text not null, state text not null, outcome text, message text, written jsonb, replaced jsonb, primary key (tenant_id, task_id, n)',
    ),
    ...owned(
      'download',
      'tenant_id uuid not null, id uuid not null, organization_id uuid not null, user_id uuid not null, session_id text not null, name text not null, request jsonb not null, ticket_hash text, ticket_until bigint not null, cookie_hash text, entries jsonb, bytes bigint not null, etag text not null, created_at bigint not null, expires_at bigint not null, primary key (tenant_id, id)',
    ),
  ],
};
