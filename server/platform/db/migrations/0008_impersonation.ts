import type { Migration } from './migration.ts';

/**
 * Who acts in a session may be of a provider above: which one, and the name to be shown, as it was
 * at the beginning.
 */
export const migration0008: Migration = {
  name: '0008',
  statements: ['alter table session add column actor_tenant uuid, add column actor_name text'],
};
