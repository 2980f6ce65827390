import type { Migration } from './migration.ts';

/**
 * The statements by table that give its rows the names of today (contract/former-fields.ts). They
 * change nothing in rows that have them, so a restored backup of an older version runs them too. Citus
 * refuses `jsonb_build_object` of columns.
 */
export const FIELD_NAMES: Readonly<Record<string, readonly string[]>> = {
  job: [
    `update job set row = jsonb_set(row::jsonb, '{schedule}', jsonb_set((row::jsonb->'schedule') - 'is', '{type}', row::jsonb->'schedule'->'is'))::json
      where row->'schedule'->>'is' is not null`,
  ],
  problem: [
    `update problem set row = jsonb_set(row::jsonb - 'tied', '{linkedTicket}', row::jsonb->'tied')::json
      where row::jsonb ? 'tied'`,
  ],
  stat: [
    `update stat set row = jsonb_set(row::jsonb - 'taught', '{calibrated}', row::jsonb->'taught')::json
      where row::jsonb ? 'taught'`,
  ],
  result_rule: ['duration', 'bytes', 'streak'].map(
    (range) =>
      `update result_rule set row = jsonb_set(row::jsonb, '{when,${range}}', jsonb_set(jsonb_set('{}', '{min}', row::jsonb#>'{when,${range},least}'), '{max}', coalesce(row::jsonb#>'{when,${range},most}', 'null')))::json
        where (row::jsonb#>'{when,${range}}') ? 'least'`,
  ),
  invoice: [
    `update invoice set row = jsonb_set(row::jsonb, '{lines}', (
        select jsonb_agg(jsonb_set(line - 'is', '{kind}', coalesce(line->'is', 'null')) order by place)
        from jsonb_array_elements(row::jsonb->'lines') with ordinality as stored(line, place)
      ))::json where row->'lines'->0->>'is' is not null`,
  ],
  engine_task: [
    `update engine_task set request = jsonb_set(request - 'is', '{kind}', request->'is') where request ? 'is'`,
  ],
};

/**
 * Gives stored rows the names that their fields have today. The log stays as it was written. Forced
 * policies also bind the tables' owner, so they are lifted for these statements.
 */
export const migration0049: Migration = {
  name: '0049',
  statements: Object.entries(FIELD_NAMES).flatMap(([table, statements]) => [
    `alter table ${table} no force row level security`,
    ...statements,
    `alter table ${table} force row level security`,
  ]),
};
