import { owned, type Migration } from './migration.ts';

/** Which restore brings a deleted object back right now, so that there is one in its place. */
export const migration0112: Migration = {
  name: '0112',
  statements: owned(
    'restore_claim',
    'tenant_id uuid not null, kind text not null, object_id text not null, task_id uuid not null, until bigint not null, primary key (tenant_id, kind, object_id)',
  ),
};
