import type { Migration } from './migration.ts';

const TABLES = ['item', 'folder', 'listed_item', 'object_cursor'];

/**
 * The key of a post has its channel: the id of its message, which was the key, is unique only there.
 * The next session lists each channel from the beginning, and so finds the posts that had the id of
 * another. Forced policies also bind the tables' owner, so they are lifted for the statements.
 */
export const migration0137: Migration = {
  name: '0137',
  statements: [
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    `update listed_item as l set key = 'post:' || i.folder_key || '/' || i.key from item as i
      where i.tenant_id = l.tenant_id and i.object_n = l.object_n and i.key = l.key
        and i.to_point is null and i.kind = 'post' and not starts_with(i.key, 'post:')`,
    `update item set key = 'post:' || folder_key || '/' || key where kind = 'post' and not starts_with(key, 'post:')`,
    `delete from object_cursor as c using folder as f
      where f.tenant_id = c.tenant_id and f.object_n = c.object_n and f.key = c.scope
        and f.well_known in ('channel', 'private-channel', 'shared-channel')`,
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
