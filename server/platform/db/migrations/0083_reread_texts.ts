import type { Migration } from './migration.ts';

const TABLES = ['item', 'item_text', 'backup_object'];

/**
 * What has no words so far is read again, for formats that are new. Words of Hebrew and Arabic PDFs,
 * which may have been read backwards, are read again too. Forced policies also bind the tables' owner,
 * so they are lifted for the statements.
 */
export const migration0083: Migration = {
  name: '0083',
  statements: [
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    `delete from item_text as t using item as i
      where i.tenant_id = t.tenant_id and i.object_n = t.object_n and i.n = t.n
        and (i.kind = 'file' and i.title ilike '%.pdf' or i.kind = 'mail' and i.flags ? 'attachments')
        and t.text ~ '[\\u0590-\\u08ff\\ufb1d-\\ufefc]'`,
    'update backup_object set text_item = 0 where text_item > 0',
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
