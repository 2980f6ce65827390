import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';

/** User data besides results: saved lists, hand-overs, preferences. */
export const migration0003: Migration = {
  name: '0003',
  statements: [
    ...owned('view', `${t}, id text not null, row json not null, primary key (tenant_id, id)`),
    ...owned(
      'shift',
      `${t}, id text not null, received_at bigint not null, row json not null, primary key (tenant_id, id)`,
    ),
    'create index shift_newest on shift (tenant_id, received_at desc)',
    ...owned(
      'preference',
      `${t}, id text not null, user_id text not null, row json not null, primary key (tenant_id, id)`,
    ),
    'create index preference_of_user on preference (tenant_id, user_id)',
    // evidence and problem actions are read by type, newest first
    "create index event_by_type on event (tenant_id, type, seq desc) where entity not like 'run:%'",
  ],
};
