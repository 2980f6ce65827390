import type { Migration } from './migration.ts';

/**
 * Which server runs a command, and since when others have seen that it no longer shows that it lives
 * (OUT-3).
 */
export const migration0082: Migration = {
  name: '0082',
  statements: [
    'alter table running_command add column holder text',
    'alter table running_command add column absent_since bigint',
  ],
};
