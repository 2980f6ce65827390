import type { Migration } from './migration.ts';

/** Gives stored hints the names of today (contract/former-fields.ts); restored backups run it too. */
export const NAME_HINT_SUMMARIES = `update hint set row = jsonb_set(row::jsonb - 'says', '{summary}', row::jsonb->'says')::json
  where row::jsonb ? 'says'`;

/** Forced policies also bind the tables' owner, so they are lifted for the statement. */
export const migration0072: Migration = {
  name: '0072',
  statements: [
    'alter table hint no force row level security',
    NAME_HINT_SUMMARIES,
    'alter table hint force row level security',
  ],
};
