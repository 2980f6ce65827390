import type { Migration } from './migration.ts';

/**
 * The words of items for searches: without punctuation, so that parts of file names and addresses
 * are words too.
 *
 * Under a policy, PostgreSQL uses an index only for functions that are marked leakproof. The one that
 * compares words has no side effect and no error that names its arguments. Marking it needs a superuser;
 * without it, searches read all items of the tenant.
 */
export const migration0066: Migration = {
  name: '0066',
  statements: [
    'alter table item drop column words',
    `alter table item add column words tsvector generated always as (to_tsvector('simple',
      translate(title || ' ' || people, '._-@/\\()[]{}<>:;,+&#!?=|~"''\`%^*$', repeat(' ', 32)))) stored`,
    'create index item_words on item using gin (words)',
    `do $$ begin
      alter function pg_catalog.ts_match_vq(tsvector, tsquery) leakproof;
    exception when insufficient_privilege then null; end $$`,
  ],
};
