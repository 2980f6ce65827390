import type { Migration } from './migration.ts';

const TABLES = ['item', 'item_text', 'backup_object'];

/**
 * Workbooks and presentations are read again: numbers, dates and results of cells, and comments, had no
 * words. Forced policies also bind the tables' owner, so they are lifted for the statements.
 */
export const migration0145: Migration = {
  name: '0145',
  statements: [
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    `delete from item_text as t using item as i
      where i.tenant_id = t.tenant_id and i.object_n = t.object_n and i.n = t.n
        and (i.kind = 'file' and i.title ~* '\\.(xls[mx]|xltx|ppt[mx]|ppsx)$'
          or i.kind = 'mail' and i.flags ? 'attachments' and t.text ~ '(^| )(xls[mx]|xltx|ppt[mx]|ppsx)( |$)')`,
    'update backup_object set text_item = 0 where text_item > 0',
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
