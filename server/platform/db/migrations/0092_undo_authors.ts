import type { Migration } from './migration.ts';

/** Who did what can be undone of a subscription, as its log says (BILL-14). */
export const NAME_UNDO_AUTHORS = `update subscription as s
  set row = jsonb_set(s.row::jsonb, '{undo,by}', jsonb_object(array['by', e.author]) -> 'by')::json
  from (
    select distinct on (tenant_id, entity, at) tenant_id, entity, at,
      coalesce(subject, case when actor ->> 'kind' = 'clock' then 'clock' else actor ->> 'id' end) as author
    from event where type like 'subscription.%' order by tenant_id, entity, at, seq desc
  ) as e
  where s.row::jsonb #>> '{undo,at}' is not null and s.row::jsonb #>> '{undo,by}' is null
    and e.tenant_id = s.tenant_id and e.entity = 'subscription:' || (s.row ->> 'id')
    and e.at = (s.row::jsonb #>> '{undo,at}')::bigint and e.author is not null`;

const TABLES = ['subscription', 'event'];

/** Forced policies also bind the tables' owner, so they are lifted for the statement. */
export const migration0092: Migration = {
  name: '0092',
  statements: [
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    NAME_UNDO_AUTHORS,
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
