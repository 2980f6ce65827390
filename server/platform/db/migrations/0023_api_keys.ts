import { owned, type Migration } from './migration.ts';

/**
 * API keys of users (KEY-1): SHA-256 only. `used_from`: the network of the last call, never the
 * whole address.
 */
export const migration0023: Migration = {
  name: '0023',
  statements: [
    ...owned(
      'api_key',
      `tenant_id uuid not null, id uuid not null, user_id uuid not null, name text not null, abilities jsonb not null, hash text not null, hint text not null,
      made_at bigint not null, until bigint not null, used_at bigint, used_from text, primary key (tenant_id, id), unique (tenant_id, hash)`,
    ),
    'create index api_key_of on api_key (tenant_id, user_id, made_at)',
  ],
};
