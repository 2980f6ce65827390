import { owned, type Migration } from './migration.ts';

/**
 * Folders that restores create: their place is stored before, their key after. Commands of engines
 * that run right now, so that each runs once.
 */
export const migration0039: Migration = {
  name: '0039',
  statements: [
    ...owned(
      'restore_folder',
      'tenant_id uuid not null, task_id uuid not null, kind text not null, object_id text not null, path text not null, object jsonb not null, key text, primary key (tenant_id, task_id, kind, object_id, path)',
    ),
    ...owned(
      'running_command',
      'tenant_id uuid not null, id uuid not null, until bigint not null, primary key (tenant_id, id)',
    ),
  ],
};
