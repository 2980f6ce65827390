import type { Migration } from './migration.ts';

/** A restore has what it claims until it ends, however long that takes. */
export const migration0114: Migration = {
  name: '0114',
  statements: ['alter table restore_claim drop column until'],
};
