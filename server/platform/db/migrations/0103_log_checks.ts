import type { Migration } from './migration.ts';

/** When each provider's log was last checked, what was found, and the job that checks it each night. */
export const migration0103: Migration = {
  name: '0103',
  statements: [
    'alter table head add column checked_at bigint, add column damaged_parts int not null default 0',
    `insert into background_job (tenant_id, type, key, due_at, payload)
      select tenant_id, 'log-check', '', 0, 'null' from tenant_list on conflict do nothing`,
  ],
};
