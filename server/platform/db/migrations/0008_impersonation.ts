import type { Migration } from './migration.ts';

/**
 * The actor of an impersonation session may belong to a parent provider: stores which one, and the
 * name at the start of the session.
 */
export const migration0008: Migration = {
  name: '0008',
  statements: ['alter table session add column actor_tenant uuid, add column actor_name text'],
};
