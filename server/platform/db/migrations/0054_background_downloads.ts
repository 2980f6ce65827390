import { owned, type Migration } from './migration.ts';

/**
 * Downloads in the background. What one holds is its row of `prepared_download`. `next_item`: with
 * which of its items a part begins that isn't finished.
 */
export const migration0054: Migration = {
  name: '0054',
  statements: [
    ...owned(
      'background_download',
      "tenant_id uuid not null, id uuid not null, organization_id uuid not null, repository_id uuid not null, user_id uuid not null, workload text not null, format text not null, name text not null, file_name text, state text not null default 'queued', message text, items integer not null, items_done integer not null default 0, bytes bigint not null, bytes_done bigint not null default 0, missing integer not null, failed integer not null default 0, created_at bigint not null, ended_at bigint, expires_at bigint not null, primary key (tenant_id, id)",
    ),
    'create index background_download_user on background_download (tenant_id, user_id, created_at)',
    ...owned(
      'background_part',
      'tenant_id uuid not null, download_id uuid not null, n integer not null, name text not null, bytes bigint not null, sha256 text not null, next_item integer not null, bytes_read bigint not null, failed integer not null, primary key (tenant_id, download_id, n)',
    ),
  ],
};
