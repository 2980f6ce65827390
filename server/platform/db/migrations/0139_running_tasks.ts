import type { Migration } from './migration.ts';

/** What runs is asked for whenever a restore begins, while most tasks of a tenant have ended. */
export const migration0139: Migration = {
  name: '0139',
  statements: [
    "create index engine_task_running on engine_task (tenant_id) where state = 'running'",
  ],
};
