import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { historyQuery } from '#server/features/daily-checks/execution.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from '../db/drafts.ts';
import { rowsRead } from '../ingest/plan.ts';

const MANY = 60_000;
const OPENED = 40_000;
const MINE = 7;

eachDatabase((name, open) => {
  test(`PANEL-6: in a long log, the history of a problem reads only its own actions and its company's bulk actions since it opened (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await store.tenant(tenant, (tx) =>
      tx.append([companyDraft(1), companyDraft(2), jobDraft(1), runDraft({ n: 1 })], byClock),
    );
    await store.tenant(tenant, async (tx) => {
      const { seq } = await tx.head();
      // Each twentieth is an action on a hundred problems, of one of fifty companies; in the midst of
      // them ours begins and is named by each of its company.
      await tx.sql.executeQuery(
        CompiledQuery.raw(
          `insert into event (tenant_id, seq, type, at, actor, subject, company, entity, command_id, data)
        select h.tenant_id, $2::bigint + i, case when i = ${OPENED} then 'problem.opened@1' when i % 20 = 0 then 'problem.noted@1' else 'run.finished@1' end, $3::bigint + i,
          '{"is":"clock"}'::jsonb, null, i / 20 % 50, case when i = ${OPENED} then 'problem:${MINE}' when i % 20 = 0 then 'problem:*' else 'run:' || i end, null,
          case when i = ${OPENED} then '{"n":${MINE}}'::json else '{"problems":[1,2,3,4,5,6,7,8],"content":"x"}'::json end from head as h, generate_series(1, ${MANY}) as i
        where h.tenant_id = $1`,
          [tenant, seq, byClock.at],
        ),
      );
      await tx.sql
        .updateTable('head')
        .set({ seq: seq + MANY })
        .where('tenant_id', '=', tenant)
        .execute();
    });
    const read = await store.tenant(tenant, async (tx) => {
      const own = problemDraft(MINE, 1, 1);
      await tx.append(
        [
          {
            ...own,
            event: { type: 'problem.noted@1', data: { problems: [MINE], content: 'alone' } },
          },
          {
            ...own,
            entity: 'problem:*',
            event: { type: 'problem.noted@1', data: { problems: [1, 2], content: 'of others' } },
          },
        ],
        byClock,
      );
      return rowsRead(tx, historyQuery(tenant, MINE, 1), [
        'event_entity',
        'event_entity',
        'event_of_many',
      ]);
    });
    const ownEvents = (MANY - OPENED) / 20 / 50; // of the company, since it began
    // its own two, those, the one of others, and where it began
    expect(read).toBe(2 + ownEvents + 1 + 1);
    const { rows } = await store.tenant(
      tenant,
      (tx) => historyQuery(tenant, MINE, 1).execute(tx.sql),
      { readOnly: true },
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'problem.noted@1',
      ...Array.from({ length: ownEvents }, () => 'problem.noted@1'),
      'problem.opened@1',
    ]);
  });
});
