import { owned, type Migration } from './migration.ts';

/** Known devices of users, and failure counts that only a success resets. */
export const migration0005: Migration = {
  name: '0005',
  statements: [
    ...owned(
      'trusted_device',
      `tenant_id uuid not null, user_id uuid not null, id uuid not null, hash text not null, previous_hash text,
      used_at bigint not null, until bigint not null, primary key (tenant_id, user_id, id)`,
    ),
    'create index trusted_device_users on trusted_device (tenant_id, id)',
    'create index trusted_device_over on trusted_device (tenant_id, until)',
    // Null: never reset. The default lets the next cleanup delete counts from before this rule.
    'alter table throttle add column forget_at bigint default 0',
    'create index throttle_forget on throttle (tenant_id, forget_at)',
  ],
};
