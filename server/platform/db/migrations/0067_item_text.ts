import { owned, type Migration } from './migration.ts';

/**
 * The words of contents for searches, each once, with those of title and people, so that one query
 * finds both. They go with their item. `text_item`: items up to this number have been read for it.
 */
export const migration0067: Migration = {
  name: '0067',
  statements: [
    ...owned(
      'item_text',
      "tenant_id uuid not null, object_n bigint not null, n bigint not null, text text not null, words tsvector generated always as (strip(to_tsvector('simple', text))) stored, primary key (tenant_id, object_n, n), foreign key (tenant_id, object_n, n) references item on delete cascade",
    ),
    'create index item_text_words on item_text using gin (words)',
    'alter table backup_object add column text_item bigint not null default 0',
  ],
};
