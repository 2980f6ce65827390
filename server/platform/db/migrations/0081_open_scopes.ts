import type { Migration } from './migration.ts';

/** Scopes of an object that a session read in part (ENG-1). */
export const migration0081: Migration = {
  name: '0081',
  statements: ['alter table object_cursor add column is_open boolean not null default false'],
};
