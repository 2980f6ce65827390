import { owned, type Migration } from './migration.ts';

/**
 * Prepared downloads: what an archive holds, in parts that follow each other. `first_byte` and
 * `first_record`: where a part begins in the archive, and in its directory.
 */
export const migration0041: Migration = {
  name: '0041',
  statements: [
    ...owned(
      'prepared_download',
      'tenant_id uuid not null, id uuid not null, organization_id uuid not null, repository_id uuid not null, user_id uuid not null, explorer_id uuid not null, file_name text, count integer not null default 0, bytes bigint not null default 0, directory_at bigint not null default 0, directory_bytes bigint not null default 0, complete boolean not null default false, expires_at bigint not null, primary key (tenant_id, id)',
    ),
    'create index prepared_download_repository on prepared_download (tenant_id, repository_id, expires_at)',
    ...owned(
      'prepared_part',
      'tenant_id uuid not null, download_id uuid not null, n integer not null, first_byte bigint not null, first_record bigint not null, entries text not null, primary key (tenant_id, download_id, n)',
    ),
  ],
};
