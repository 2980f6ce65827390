import type { Migration } from './migration.ts';

/** A task that is being stopped still writes: whoever begins asks for it, too. */
export const migration0143: Migration = {
  name: '0143',
  statements: [
    'drop index engine_task_running',
    "create index engine_task_open on engine_task (tenant_id) where state <> 'done'",
  ],
};
