import type { Migration } from './migration.ts';

const TABLES = ['restore_point', 'repository_access', 'backup_object', 'object_point'];

/**
 * The objects of each restore point that only its snapshot has: attaching found their numbers taken by
 * other points. Of repositories attached before, they are among the listed problems. Forced policies also
 * bind the tables' owner, so they are lifted for the statements.
 */
export const migration0131: Migration = {
  name: '0131',
  statements: [
    `alter table restore_point add column unnumbered jsonb not null default '[]'`,
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    `update restore_point as p set unnumbered = f.numbers
      from (
        select a.tenant_id, a.repository_id, problem ->> 'snapshot' as snapshot, jsonb_agg(distinct o.n::text) as numbers
        from repository_access as a
        cross join jsonb_array_elements(a.attachment -> 'problems') as problem
        join backup_object as o on o.tenant_id = a.tenant_id and o.repository_id = a.repository_id
          and o.name = problem ->> 'object' and o.excluded_at is null and o.erased_at is null
        where problem ->> 'kind' = 'incomplete' and not exists (
          select from object_point as s join restore_point as own on own.tenant_id = s.tenant_id and own.id = s.point_id
          where s.tenant_id = a.tenant_id and s.object_n = o.n and own.snapshot = problem ->> 'snapshot')
        group by a.tenant_id, a.repository_id, problem ->> 'snapshot'
      ) as f
      where p.tenant_id = f.tenant_id and p.repository_id = f.repository_id and p.snapshot = f.snapshot`,
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
