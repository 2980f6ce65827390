import type { Migration } from './migration.ts';

/**
 * Of folders: who they are shared with. Of restores: what could not be shared again, and what a
 * created folder was given, so that an undo takes it away.
 */
export const migration0095: Migration = {
  name: '0095',
  statements: [
    'alter table folder add column sharing jsonb',
    'alter table restore_item add column lacks jsonb',
    'alter table restore_folder add column sharing jsonb',
  ],
};
