import { owned, type Migration } from './migration.ts';

/** Companies that users pinned. */
export const migration0036: Migration = {
  name: '0036',
  statements: [
    ...owned(
      'pin',
      'tenant_id uuid not null, id text not null, user_id text not null, row json not null, primary key (tenant_id, id)',
    ),
    'create index pin_of_user on pin (tenant_id, user_id)',
  ],
};
