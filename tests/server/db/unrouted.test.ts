import { expect, test } from 'vitest';
import { findUnrouted } from './unrouted.ts';

// What Citus 13.2 answered to each form is beside it.
test.each([
  // COPY FROM not supported with row-level security
  'insert into folder (tenant_id, object_n, n, key) select $1, $2, x.n, x.key from jsonb_to_recordset($3::text::jsonb) as x(n bigint, key text)',
  'insert into run_total (tenant_id, day, job_n) select $1::uuid, $2::int, job_n from (select job_n from run where run.tenant_id = $1::uuid group by job_n) as day',
  'with part as (select i.n from item as i where i.tenant_id = $1), added as (insert into folder (tenant_id, n) select tenant_id, n from part) select n from part',
  'with counter as (update backup_object set next_item = next_item + 1 where tenant_id = $1 returning tenant_id, next_item) insert into item (tenant_id, n) select tenant_id, next_item from counter',
  'insert into audit (id, tenant_id, at, action) select gen_random_uuid(), a.tenant_id, a.at, a.action from audit as a where a.tenant_id = $1',
  // subqueries are not supported within INSERT queries
  'insert into restore_claim (tenant_id, id, task_id) values ($1, $2, $3) on conflict (tenant_id, id) do update set task_id = excluded.task_id where not exists (select from engine_task as t where t.tenant_id = $1 and t.id = restore_claim.task_id)',
  "insert into app_user (tenant_id, id, row) values ($1, (select max(key) from background_job where tenant_id = $1), '{}')",
  // cannot perform select on a distributed table and modify a reference table
  'update background_job as j set due_at = 0 from engine_task as t where t.tenant_id = $1 and j.tenant_id = $1 and j.key = t.id::text',
  'update "background_job" set "due_at" = $1 where "tenant_id" = $2 and exists (select from engine_task as t where t.tenant_id = $2 and t.id::text = key)',
  'with task as materialized (select id from engine_task where tenant_id = $1) update background_job as j set due_at = 0 from task as t where j.tenant_id = $1 and j.key = t.id::text',
  'with deleted as (delete from engine_task where tenant_id = $1 returning id) delete from background_job as j using deleted as d where j.tenant_id = $1 and j.key = d.id::text',
  'delete from background_job as j using engine_task as t where t.tenant_id = $1 and j.tenant_id = $1 and j.key = t.id::text',
  'with moved as (update background_job as j set due_at = 7 from head as h where h.tenant_id = $1 and j.tenant_id = $1 returning j.key) select key from moved',
  // could not run distributed query with FOR UPDATE/SHARE commands
  'select * from "session" for update',
  // no error: the rows are only gone on the node of the tenant
  'with gone as (delete from background_job where tenant_id = $1 returning key) update engine_task as t set request = $2 from gone as g where t.tenant_id = $1 and t.id::text = g.key',
  // cannot push down subquery on the target list
  'select count(*) filter (where not exists (select from item as i where i.tenant_id = item.tenant_id and i.key = item.key)) from item where tenant_id = $1',
  'select t.id, coalesce(t.result, (select p.result from engine_task as p where p.tenant_id = t.tenant_id and p.id = t.parent_id)) from engine_task as t where t.tenant_id = $1',
  // cannot push down this subquery
  'with window_day (day, since) as (values ($1::integer, $2::bigint)) select w.day, p.bytes from window_day as w cross join backup_object as o cross join lateral (select bytes from object_point where tenant_id = o.tenant_id and object_n = o.n and at >= w.since order by at desc limit 1) as p where o.tenant_id = $3',
  'select p.at from backup_object as o cross join lateral (select min(at) as at from (select at from object_point where tenant_id = o.tenant_id and object_n = o.n union all select first_at from jsonb_to_recordset(o.licensed_spans) as s(first_at bigint)) as one) as p where o.tenant_id = $1',
  // STABLE functions used in UPDATE queries cannot be called with column references
  "update engine_task set progress = jsonb_strip_nulls(jsonb_build_object('folders', progress -> 'folders')) where tenant_id = $1",
  "update shared_count set began_at = began_at - interval '3 minutes'",
  // functions used in UPDATE queries on distributed tables must not be VOLATILE
  "update shared_count set began_at = clock_timestamp() - interval '3 minutes'",
  // set-valued function called in context that cannot accept a set
  'update restore_point set complete = false where tenant_id = $1 and id in (select jsonb_array_elements_text($2::text::jsonb)::uuid)',
  'delete from repository_file where tenant_id = $1 and file in (select jsonb_array_elements_text($2::text::jsonb))',
  'update restore_point as p set unnumbered = p.unnumbered - array(select jsonb_array_elements_text($1::text::jsonb)) where p.tenant_id = $2',
  'with point as (select object_n from object_point where tenant_id = $1 and object_n in (select jsonb_array_elements_text($2::text::jsonb)::bigint)) update backup_object as o set items = 0 from point as s where o.tenant_id = $3 and o.n = s.object_n',
  'with gone as (select v.n from item as v where v.tenant_id = $1 and v.folder_key in (select unnest($2::text[]))), dropped as (delete from item as v using gone as g where v.tenant_id = $3 and v.n = g.n) select n from gone',
  // non-IMMUTABLE functions are not allowed in CASE or COALESCE statements
  'update restore_point set lacks = case when lacks ? $1 then lacks else lacks || to_jsonb($2::text) end where tenant_id = $3 and id = $4',
])('SCALE-1: a statement is found that Citus refuses: %s', (statement) => {
  expect(findUnrouted(statement)).toMatch(/^[^$]+$/);
});

test.each([
  'insert into folder (tenant_id, object_n, n, key) select h.tenant_id, $2, x.n, x.key from jsonb_to_recordset($3::text::jsonb) as x(n bigint, key text) join head as h on h.tenant_id = $1',
  'insert into "app_user" ("tenant_id", "id") values ($1, $2) on conflict do nothing',
  'insert into background_job (tenant_id, type) select $1, k.type from unnest($2::text[]) as k(type)',
  'insert into listed_item (tenant_id, key) select gone.tenant_id, gone.key from (select i.tenant_id, i.key from item as i where i.tenant_id = $1 union select f.tenant_id, f.key from folder as f where f.tenant_id = $1) as gone',
  'with changed as (select n from item where tenant_id = $1), dropped as (delete from item as i using changed as c where i.tenant_id = $1 and i.n = c.n) update item as i set to_point = $2 from changed as c where i.tenant_id = $1 and i.n = c.n',
  'select count(*) filter (where not exists (select from item as i where i.tenant_id = $1 and i.key = item.key)) from item where tenant_id = $1',
  'update restore_point set complete = false where tenant_id = $1 and id = any($2::uuid[])',
  'delete from item as i using (select x from jsonb_array_elements_text($2::text::jsonb) as x) as g where i.tenant_id = $1 and i.key = g.x',
  'select * from "session" where "tenant_id" = $1 and "id" = $2 for update',
  "update shared_count set began_at = now() - interval '3 minutes'",
  // Right on all nodes.
  "insert into background_job (tenant_id, type, key, due_at) select $1, 'x', t.id::text, 0 from engine_task as t where t.tenant_id = $1 on conflict (tenant_id, type, key) do update set due_at = least(background_job.due_at, excluded.due_at)",
  "with ended as (update engine_task set lease = null where tenant_id = $1 returning id) insert into background_job (tenant_id, type, key, due_at) select $1, 'x', e.id::text, 0 from ended as e",
  'with task (id) as (select id from engine_task where tenant_id = $1), moved as (update background_job as j set due_at = 8 from task as t where j.tenant_id = $1 and j.key = t.id::text returning j.key) select key from moved',
  'update background_job set due_at = extract(epoch from at)::bigint from jsonb_to_recordset($1::jsonb) as r(key text, at timestamptz) where tenant_id = $2 and due_at is distinct from $3 and background_job.key = r.key',
  'delete from shared_count where (caller, server) in (select caller, server from shared_count where began_at < $1 for update skip locked)',
  'select p.at from backup_object as o cross join lateral (select at from object_point where tenant_id = $2 and object_n = o.n limit 1) as p where o.tenant_id = $1',
  'select found.key from place cross join lateral (select j.key from background_job as j where j.type = place.type order by j.tenant_id limit 9) as found',
  'select n from backup_object where tenant_id = $1 and n in (select jsonb_array_elements_text($2::text::jsonb)::bigint)',
  "update repository_access set storage_requests = jsonb_build_object('month', $1::text, $2::text, $3::bigint + case when storage_requests->>'month' = $1 then 1 else 0 end) where tenant_id = $4",
])('SCALE-1: a statement that Citus runs on the node of its tenant is not: %s', (statement) => {
  expect(findUnrouted(statement)).toBeNull();
});
