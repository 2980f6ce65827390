import { AsyncResource } from 'node:async_hooks';
import { sql as raw } from 'kysely';
import { expect, test } from 'vitest';
import type { NewEvent } from '#contract/events.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  aTenant,
  byClock,
  companyDraft,
  jobChange,
  jobDraft,
  problemDraft,
  runDraft,
  runStart,
} from '../db/drafts.ts';

eachDatabase((name, open) => {
  test(`LOG-1: an event that its schema does not know is refused, and nothing of its batch is kept (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const wrong = {
      ...jobDraft(2),
      event: { type: 'job.found@1', data: { n: 'two' } },
    } as unknown as NewEvent;
    const unknown = {
      ...jobDraft(2),
      event: { type: 'job.vanished@1', data: {} },
    } as unknown as NewEvent;
    for (const bad of [wrong, unknown]) {
      await expect(
        store.tenant(tenant, (tx) => tx.append([jobDraft(1), bad], byClock)),
      ).rejects.toThrow('Not an event of the contract');
    }
    await store.tenant(
      tenant,
      async (tx) => {
        expect(await tx.head()).toMatchObject({ seq: 0 });
        expect(await tx.all('job')).toEqual([]);
      },
      { readOnly: true },
    );
  });

  test(`LOG-1, LOG-3: what was appended is read back as it was, with its rows (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const by = {
      ...byClock,
      subject: 'someone',
      commandId: '22222222-2222-4222-8222-222222222222',
    };
    const drafts = [
      companyDraft(1),
      jobDraft(1),
      runStart({ n: 1 }),
      problemDraft(1, 1, 1),
      runDraft({ n: 1, problem: 1, message: 'quote " back \\ é 💾 \u001E {,} NULL' }),
    ];
    const logged = await store.tenant(tenant, (tx) => tx.append(drafts, by));
    expect(logged.map((one) => one.seq)).toEqual([1, 2, 3, 4, 5]);
    await store.tenant(
      tenant,
      async (tx) => {
        expect(await tx.eventsAfter(0, 10)).toEqual(logged);
        expect(await tx.eventsAfter(3, 1)).toEqual(logged.slice(3, 4));
        expect((await tx.rows('run', [1, 2])).get(1)).toEqual(drafts[4]?.event.data);
        expect((await tx.rows('job', [1])).get(1)).toMatchObject({ problem: 1 });
        expect((await tx.rows('problem', [1])).get(1)).toMatchObject({ runs: 1, lastRun: 1 });
        expect(
          await tx.sql
            .selectFrom('run_day')
            .select(['day', 'rows', 'seq'])
            .where('tenant_id', '=', tenant)
            .execute(),
        ).toEqual([{ day: '2026-09-21', rows: 1, seq: 5 }]);
        expect(
          await tx.sql
            .selectFrom('run')
            .select(['seq', 'started_at', 'problem_n', 'uid'])
            .where('tenant_id', '=', tenant)
            .execute(),
        ).toEqual([{ seq: 5, started_at: byClock.at, problem_n: 1, uid: 'run-1' }]);
      },
      { readOnly: true },
    );
  });

  test(`LOG-1: text that PostgreSQL cannot keep is mended, not lost (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const [, logged] = await store.tenant(tenant, (tx) =>
      tx.append([jobDraft(1), jobDraft(2, 'a\0b\uD800c\\u0000')], byClock),
    );
    expect(logged?.event.data).toMatchObject({ name: 'a\uFFFDb\uFFFDc\\u0000' });
    expect((await store.tenant(tenant, (tx) => tx.rows('job', [2]))).get(2)).toMatchObject({
      name: 'a\uFFFDb\uFFFDc\\u0000',
    });
  });

  test(`LOG-2, LOG-3: what fails after an append takes events, rows, counters and the record of the command with it (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const details: number[] = [];
    const stop = store.onAppend((of, head) => void (of === tenant && details.push(head)));
    const work = (fails: boolean) =>
      store.tenant(tenant, async (tx) => {
        const n = await tx.take('job', 2);
        await tx.append([jobDraft(n), jobDraft(n + 1)], byClock);
        await tx.sql
          .insertInto('command')
          .values({
            tenant_id: tenant,
            device: 'd',
            id: crypto.randomUUID(),
            n,
            user_id: crypto.randomUUID(),
            body_hash: '',
            status: 200,
            answer: '{}',
            at: 1,
          })
          .execute();
        if (fails) throw new Error('late');
        return n;
      });
    await expect(work(true)).rejects.toThrow('late');
    expect(details, 'nobody is told of what did not happen').toEqual([]);
    expect(await work(false)).toBe(1);
    expect(await work(false)).toBe(3);
    expect(details).toEqual([2, 4]);
    stop();
    await store.tenant(tenant, async (tx) => {
      expect((await tx.eventsAfter(0, 9)).map((one) => one.seq)).toEqual([1, 2, 3, 4]);
      expect((await tx.all('job')).map((one) => one.n)).toEqual([1, 2, 3, 4]);
      expect(
        await tx.sql
          .selectFrom('command')
          .select('n')
          .where('tenant_id', '=', tenant)
          .orderBy('n')
          .execute(),
      ).toEqual([{ n: 1 }, { n: 3 }]);
    });
  });

  test(`LOG-2, LOG-5: several appends of one transaction see each other's rows (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await store.tenant(tenant, async (tx) => {
      await tx.append([jobDraft(await tx.take('job', 1))], byClock);
      await tx.append([jobChange(1, 'Renamed')], byClock);
      expect((await tx.rows('job', [1])).get(1)).toMatchObject({ name: 'Renamed' });
      await tx.append([runStart({ n: 1 })], byClock);
      await tx.append([runDraft({ n: 1 })], byClock);
      expect(await tx.append([], byClock)).toEqual([]);
    });
    expect(await rebuild(store, { only: [tenant] })).toMatchObject([
      { events: 4, differences: [] },
    ]);
    expect(await store.tenant(tenant, (tx) => tx.all('run'))).toMatchObject([
      { n: 1, status: 'Success' },
    ]);
  });

  test(`LOG-7: an event that cannot be folded is in the log and in quarantine, changes no row and stops nobody; a rebuild heals it (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await store.tenant(tenant, (tx) => tx.append([jobDraft(1), jobDraft(2)], byClock));
    await store.tenant(tenant, async ({ sql }) => {
      await sql
        .updateTable('stat')
        .set({ row: '{"n":1,"starts":7}' })
        .where('tenant_id', '=', tenant)
        .where('n', '=', 1)
        .execute();
      await sql
        .updateTable('head')
        .set({ epoch: 'another' })
        .where('tenant_id', '=', tenant)
        .execute(); // what is kept in memory does not hold
    });
    const logged = await store.tenant(tenant, (tx) =>
      tx.append([runDraft({ n: 1, job: 1 }), runDraft({ n: 2, job: 2 })], byClock),
    );
    expect(logged.map((one) => one.seq)).toEqual([3, 4]);
    await store.tenant(tenant, async (tx) => {
      expect(
        (await tx.all('run')).map((one) => one.n),
        'not half of it either',
      ).toEqual([2]);
      expect(
        await tx.sql
          .selectFrom('quarantine')
          .select(['seq', 'reason'])
          .where('tenant_id', '=', tenant)
          .execute(),
      ).toEqual([{ seq: 3, reason: expect.stringContaining('iterable') }]);
      expect(
        await tx.sql
          .selectFrom('run_day')
          .select(['rows', 'seq'])
          .where('tenant_id', '=', tenant)
          .execute(),
      ).toEqual([{ rows: 1, seq: 4 }]);
    });
    await rebuild(store, { only: [tenant], write: true });
    expect((await store.tenant(tenant, (tx) => tx.all('run'))).map((one) => one.n)).toEqual([1, 2]);
    expect(await rebuild(store, { only: [tenant] })).toMatchObject([
      { quarantined: 0, differences: [] },
    ]);
  });

  test(`LOG-8: a read-only transaction is a snapshot (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await store.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
    const fromOutside = AsyncResource.bind(() =>
      store.tenant(tenant, (other) => other.append([jobDraft(2)], byClock)),
    );
    const appended: Promise<unknown>[] = [];
    await store.tenant(
      tenant,
      async (tx) => {
        const { seq } = await tx.head();
        appended.push(fromOutside());
        if (store.kind === 'postgres') await Promise.all(appended);
        expect(await tx.head()).toMatchObject({ seq });
        expect(await tx.all('job')).toHaveLength(1);
        expect(await tx.eventsAfter(0, 9)).toHaveLength(1);
      },
      { readOnly: true },
    );
    await Promise.all(appended);
    expect(await store.tenant(tenant, (tx) => tx.all('job'))).toHaveLength(2);
  });

  test(`STORE-1: numbers, dates, JSON and bytes come back the same (${name})`, async () => {
    const store = await open();
    const { rows } = await store.system((sql) =>
      raw`select 9007199254740991::bigint as big, count(*) as count, 1.50::numeric as exact, '2026-01-02'::date as day,
      '1 day'::interval as span, '[1,{"a":null}]'::jsonb as list, 'x'::text as text, true as yes, null as none, 0.5::float8 as half, 7::int as int`.execute(
        sql,
      ),
    );
    expect(rows).toEqual([
      {
        big: 9007199254740991,
        count: 1,
        exact: '1.50',
        day: '2026-01-02',
        span: '1 day',
        list: [1, { a: null }],
        text: 'x',
        yes: true,
        none: null,
        half: 0.5,
        int: 7,
      },
    ]);
  });
});
