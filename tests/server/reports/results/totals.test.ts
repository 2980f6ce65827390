import { assert, asyncProperty } from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { sumUpDays } from '#server/platform/queries/sum-days.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { summedDays, wrongTotals } from '#server/platform/events/totals.ts';
import { makeFixture, provider } from '../../http/fixtures.ts';
import { eachDatabase } from '../../db/databases.ts';
import {
  byClock,
  companyDraft,
  jobDraft,
  problemDraft,
  runDraft,
  runStart,
} from '../../db/drafts.ts';
import { someBatches } from '../../db/random.ts';
import { anDemo, DAY, NOW } from './fixtures.ts';
import type { Demo } from './fixtures.ts';

const RUNS = 6 * Number(process.env['PROOF'] ?? 1);
const iso = (at: number): string => new Date(at).toISOString();

eachDatabase((name, open) => {
  let demoData: Demo;
  beforeAll(async () => {
    demoData = await anDemo(
      await open(),
      21,
      { timeZone: 'Europe/Berlin', dayBeginsHour: 6 },
      { jobs: 14, runs: 900, days: 40 },
    );
  });

  test(`TREND-1: the totals of days equal their results (${name})`, async () => {
    const who = await demoData.as('reader', ['operator']);
    const some = await demoData.as('some', ['operator'], [2]);
    const times = [
      [-40, 1],
      [-31, 0],
      [-8, 0.3],
      [-20.4, -3.7],
      [-366, 0],
      [-0.5, 0.2],
    ].map(([from = 0, to = 0]) => `from=${iso(NOW + from * DAY)}&to=${iso(NOW + to * DAY)}`);
    const filters = [
      {},
      { source: ['restic'] },
      { companyIds: [1, 3] },
      { text: 'files' },
      { managed: true },
    ];
    const paths = [
      'jobs/overview-stats',
      'jobs/history-chart',
      'jobs/ranking/failures',
      'jobs/ranking/duration',
      'jobs/ranking/transferred',
      'jobs/analytics',
      'jobs/spreadsheet-report',
      'jobs/spreadsheet-report/stats',
      'jobs/analytics/charts/failures-warnings',
    ];
    const more: Readonly<Record<string, readonly string[]>> = {
      'jobs/spreadsheet-report': [
        'pageSize=100',
        'pageSize=3&mode=last',
        'by=company&mode=mixed',
        'mode=best',
      ],
      'jobs/analytics/charts/failures-warnings': ['by=company', 'by=source'],
    };
    const request = times.flatMap((time, i) =>
      paths.flatMap((path) =>
        (more[path] ?? ['']).map((one) =>
          `${path}?${time}&${one}&filters=${encodeURIComponent(JSON.stringify(filters[i % filters.length]))}`.replace(
            '&&',
            '&',
          ),
        ),
      ),
    );
    const all = async () =>
      Promise.all(
        request.flatMap((path) =>
          [who, some].map(async (get) => {
            const { status, text } = await get(path);
            return { path, status, text };
          }),
        ),
      );
    const slow = await all();
    expect(slow.filter(({ status }) => status !== 200)).toEqual([]);
    await sumUpDays(demoData.context, demoData.tenant, NOW);
    const days = await demoData.store.tenant(demoData.tenant, (tx) =>
      summedDays(tx.sql, tx.tenant),
    );
    expect(days.length).toBeGreaterThan(38);
    expect(days.every(({ to }) => to <= NOW)).toBe(true);
    const quick = await all();
    expect(quick.flatMap(({ path, text }, i) => (text === slow[i]?.text ? [] : [path]))).toEqual(
      [],
    );
    // Not the results again: without a day's totals its numbers are missing.
    await demoData.store.tenant(demoData.tenant, (tx) =>
      sql`update run_total set runs = 0, success = 0, failed = 0, missed = 0 where tenant_id = ${demoData.tenant}`.execute(
        tx.sql,
      ),
    );
    expect(await all()).not.toEqual(slow);
  });

  test(`TREND-1: late results, corrections and results that move to another day are in the totals immediately (${name})`, async () => {
    const fixture = await makeFixture({}, await open());
    await assert(
      asyncProperty(someBatches, async (batches) => {
        const { tenant } = await provider(fixture);
        for (const [i, batch] of batches.entries()) {
          await fixture.context.store.tenant(tenant, (tx) => tx.append(batch, byClock));
          await sumUpDays(fixture.context, tenant, byClock.at + (i - 1) * 2 * DAY);
          expect(
            await fixture.context.store.tenant(tenant, (tx) => wrongTotals(tx.sql, tenant), {
              readOnly: true,
            }),
          ).toEqual([]);
        }
        expect((await rebuild(fixture.context.store, { only: [tenant] }))[0]?.differences).toEqual(
          [],
        );
      }),
      { numRuns: RUNS },
    );
  });

  test(`TREND-1, LOG-5: totals that were tampered with are found and repaired; another time zone has other days (${name})`, async () => {
    const fixture = await makeFixture({}, await open());
    const { tenant } = await provider(fixture);
    const { store } = fixture.context;
    const at = byClock.at;
    const runs = async () =>
      (
        await store.tenant(tenant, (tx) =>
          sql<{
            readonly day: number;
            readonly job: number;
            readonly runs: number;
            readonly failed: number;
          }>`select day, job_n as job, runs, failed from run_total where tenant_id = ${tenant} order by day, job_n`.execute(
            tx.sql,
          ),
        )
      ).rows;
    await store.tenant(tenant, (tx) =>
      tx.append(
        [
          companyDraft(1),
          jobDraft(1),
          jobDraft(2),
          problemDraft(1, 2, 2),
          runDraft({ n: 1 }),
          runDraft({ n: 2, job: 2, problem: 1, startedAt: at + DAY }),
          runStart({ n: 3, job: 2, startedAt: at + DAY + 5_000 }),
        ],
        byClock,
      ),
    );
    expect(await runs()).toEqual([]);
    await sumUpDays(fixture.context, tenant, at + 4 * DAY);
    const whole = await runs();
    expect(whole.map((one) => [one.job, one.runs, one.failed])).toEqual([
      [1, 1, 0],
      [2, 2, 1],
    ]);
    await store.tenant(tenant, (tx) =>
      sql`update run_total set failed = 7 where tenant_id = ${tenant} and job_n = 2`.execute(
        tx.sql,
      ),
    );
    expect(
      (await rebuild(store, { only: [tenant] }))[0]?.differences.map(({ table, id }) => [
        table,
        id,
      ]),
    ).toEqual([['run_total', `${whole[1]?.day ?? 0} 2`]]);
    await rebuild(store, { only: [tenant], write: true });
    expect(await runs()).toEqual(whole);
    await store.tenant(tenant, async ({ sql: db }) => {
      const { branding } = await db
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow();
      await db
        .updateTable('provider')
        .set({
          branding: JSON.stringify({ ...branding, timeZone: 'Pacific/Auckland', dayBeginsHour: 5 }),
        })
        .where('tenant_id', '=', tenant)
        .execute();
    });
    await sumUpDays(fixture.context, tenant, at + 4 * DAY);
    const days = await store.tenant(tenant, (tx) => summedDays(tx.sql, tenant));
    expect(days.every(({ to }, i) => to === (days[i + 1]?.from ?? to))).toBe(true);
    expect(await store.tenant(tenant, (tx) => wrongTotals(tx.sql, tenant))).toEqual([]);
    expect((await runs()).reduce((all, one) => all + one.runs, 0)).toBe(3);
  });
});
