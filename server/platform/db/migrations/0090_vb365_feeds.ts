import type { Migration } from './migration.ts';

/**
 * `feed`: up to where the change feed of a Veeam server was read, and what its lists without a feed
 * had. `whole_at`: when everything was last read; `whole_wanted_at`: since when it has to be again.
 */
export const migration0090: Migration = {
  name: '0090',
  statements: [
    'alter table vb365_server add column feed jsonb, add column whole_at bigint, add column whole_wanted_at bigint not null default 0',
  ],
};
