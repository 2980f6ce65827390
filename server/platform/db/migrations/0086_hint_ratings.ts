import { owned, type Migration } from './migration.ts';

/** Fills the ratings of hints from logs that are older than their table; restored backups run it too. */
export const FILL_HINT_RATINGS = `insert into hint_rating (tenant_id, id, helped_by, at, row)
  select tenant_id, hint || '/' || problem, case when helped then hint end, at,
    json_build_object('id', hint || '/' || problem, 'hint', hint, 'problem', problem, 'helped', helped, 'at', at)
  from (
    select distinct on (tenant_id, data ->> 'hint', data ->> 'problem') tenant_id, data ->> 'hint' as hint,
      (data ->> 'problem')::bigint as problem, (data ->> 'helped')::boolean as helped, at
    from event where type in ('problem.hintRated@1', 'problem.helped@1') and entity not like 'run:%'
    order by tenant_id, data ->> 'hint', data ->> 'problem', seq desc
  ) as rating
  on conflict (tenant_id, id) do nothing`;

const TABLES = ['hint_rating', 'event'];

/**
 * With which problems each hint helped. Forced policies also bind the tables' owner, so they are lifted
 * for the statement.
 */
export const migration0086: Migration = {
  name: '0086',
  statements: [
    ...owned(
      'hint_rating',
      'tenant_id uuid not null, id text not null, helped_by text, at bigint not null, row json not null, primary key (tenant_id, id)',
    ),
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    FILL_HINT_RATINGS,
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
