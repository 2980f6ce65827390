import { owned, type Migration } from './migration.ts';

/** Restores that needed a reason, and what a second person decided. `waiting`: 1 until then. */
export const migration0052: Migration = {
  name: '0052',
  statements: [
    ...owned(
      'restore_request',
      'tenant_id uuid not null, id text not null, waiting bigint not null, row json not null, primary key (tenant_id, id)',
    ),
    'create index restore_request_waiting on restore_request (tenant_id, id) where waiting = 1',
  ],
};
