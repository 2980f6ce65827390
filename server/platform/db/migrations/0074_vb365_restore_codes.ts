import type { Migration } from './migration.ts';

/**
 * The code with which an administrator signs in, so that a restore session on a server may write.
 * `code`: sealed; `code_until`: when it ends; `code_granted`: somebody has signed in with it.
 */
export const migration0074: Migration = {
  name: '0074',
  statements: [
    'alter table vb365_explorer add column code text',
    'alter table vb365_explorer add column code_until bigint',
    'alter table vb365_explorer add column code_granted boolean not null default false',
  ],
};
