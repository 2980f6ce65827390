import { owned, type Migration } from './migration.ts';

/** Restores and undos that have ended. */
export const migration0046: Migration = {
  name: '0046',
  statements: owned(
    'restore_task',
    'tenant_id uuid not null, id text not null, row json not null, primary key (tenant_id, id)',
  ),
};
