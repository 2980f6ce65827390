import type { Migration } from './migration.ts';

/**
 * Gives stored rows the names that their fields have today (contract/former-fields.ts). The log
 * stays as it was written. Forced policies also bind the tables' owner, so they are lifted for these
 * statements.
 */
export const migration0049: Migration = {
  name: '0049',
  statements: [
    ...unforced('job', [
      `update job set row = jsonb_set(row::jsonb, '{schedule}', ((row::jsonb->'schedule') - 'is') || jsonb_build_object('type', row->'schedule'->'is'))::json
        where row->'schedule'->>'is' is not null`,
    ]),
    ...unforced('problem', [
      `update problem set row = ((row::jsonb - 'tied') || jsonb_build_object('linkedTicket', row->'tied'))::json
        where row::jsonb ? 'tied'`,
    ]),
    ...unforced('stat', [
      `update stat set row = ((row::jsonb - 'taught') || jsonb_build_object('calibrated', row->'taught'))::json
        where row::jsonb ? 'taught'`,
    ]),
    ...unforced(
      'result_rule',
      ['duration', 'bytes', 'streak'].map(
        (range) =>
          `update result_rule set row = jsonb_set(row::jsonb, '{when,${range}}', jsonb_build_object('min', row#>'{when,${range},least}', 'max', row#>'{when,${range},most}'))::json
            where (row::jsonb#>'{when,${range}}') ? 'least'`,
      ),
    ),
    ...unforced('invoice', [
      `update invoice set row = jsonb_set(row::jsonb, '{lines}', (
          select jsonb_agg((line - 'is') || jsonb_build_object('kind', line->'is') order by place)
          from jsonb_array_elements(row::jsonb->'lines') with ordinality as stored(line, place)
        ))::json where row->'lines'->0->>'is' is not null`,
    ]),
    ...unforced('engine_task', [
      `update engine_task set request = (request - 'is') || jsonb_build_object('kind', request->'is') where request ? 'is'`,
    ]),
  ],
};

function unforced(table: string, statements: readonly string[]): string[] {
  return [
    `alter table ${table} no force row level security`,
    ...statements,
    `alter table ${table} force row level security`,
  ];
}
