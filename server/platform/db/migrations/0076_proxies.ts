import { unowned, type Migration } from './migration.ts';

/**
 * Work for repositories can belong to a proxy or a pool. `place`: `proxy NAME`, `pool NAME`, or null for
 * any. `needs_folder`: its repository is in the servers' folder. `began_at`: when it was last leased.
 */
export const migration0076: Migration = {
  name: '0076',
  statements: [
    'alter table background_job add column repository uuid, add column organization uuid, add column place text, add column needs_folder boolean not null default true, add column began_at bigint',
    ...unowned(
      'proxy_process',
      'name text primary key, owner text not null, host_name text not null, version text not null, has_folder boolean not null, state text not null, began_at bigint not null, seen_at bigint not null',
    ),
    ...unowned(
      'proxy_member',
      'tenant_id uuid not null, name text not null, pool text, maintenance boolean not null, primary key (tenant_id, name)',
    ),
    'create index proxy_member_of_name on proxy_member (name)',
  ],
};
