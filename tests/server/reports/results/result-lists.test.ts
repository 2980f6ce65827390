import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { can, ROLES } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { reportingCalls } from '#contract/reports/result-calls.ts';
import { fullAt } from '#contract/repositories/capacity.ts';
import type { RepositoryRow } from '#contract/runs/rows.ts';
import { totalsQuery } from '#server/platform/queries/totals.ts';
import { eachDatabase } from '../../db/databases.ts';
import { anDemo, BERLIN, data, DAY, iso, NOW } from './fixtures.ts';
import type { Demo } from './fixtures.ts';
import { analyzeTables } from '../../ingest/plan.ts';

const filters = (what: object): string => `filters=${encodeURIComponent(JSON.stringify(what))}`;
const PATHS = Object.values(reportingCalls).map((call) => ({
  method: call.method as string,
  path: call.path.replace('monitoring/reporting/', ''),
  gate: call.gate as Ability,
}));
const LAST = `from=${iso(NOW - 20 * DAY)}&to=${iso(NOW + DAY)}`;

eachDatabase((name, open) => {
  let demoData: Demo;
  let other: Demo;
  beforeAll(async () => {
    demoData = await anDemo(await open(), 11, BERLIN, { jobs: 12, runs: 600, days: 20 });
    other = await anDemo(await open(), 12, BERLIN, { jobs: 3, runs: 40, days: 20 });
  });

  test(`REP-10: each report needs its ability (${name})`, async () => {
    for (const role of ROLES) {
      const who = await demoData.as(`role-${role}`, [role]);
      for (const { method, path, gate } of PATHS) {
        const answer =
          method === 'GET' ? await who(path) : await who.post(path, { source: 'JOBS' });
        expect([role, path, answer.status]).toEqual([role, path, can([role], gate) ? 200 : 403]);
      }
    }
  });

  test(`REP-10: a report covers the companies that its user sees, and no other provider's (${name})`, async () => {
    const some = await demoData.as('some', ['operator'], [2]);
    const none = await demoData.as('none', ['operator'], []);
    const all = await demoData.as('all', ['operator']);
    for (const request of [{}, { companyIds: [1, 2, 3] }]) {
      const list = await data<OutputOf<'listResults'>>(
        some,
        `jobs?${LAST}&pageSize=1000&${filters(request)}`,
      );
      expect(list.count).toBeGreaterThan(0);
      expect(new Set(list.rows.map(({ company }) => company))).toEqual(new Set([2]));
      const stats = await data<OutputOf<'overviewStats'>>(
        some,
        `jobs/overview-stats?${LAST}&${filters(request)}`,
      );
      expect([stats.now.runs, stats.jobs.companies]).toEqual([list.count, 1]);
    }
    expect(
      (await data<OutputOf<'listResults'>>(some, `jobs?${LAST}&${filters({ companyIds: [1] })}`))
        .count,
    ).toBe(0);
    expect((await data<OutputOf<'listResults'>>(none, `jobs?${LAST}`)).count).toBe(0);
    expect(
      (await data<OutputOf<'overviewStats'>>(none, `jobs/overview-stats?${LAST}`)).now.runs,
    ).toBe(0);
    expect(
      (
        await some.post('export', {
          source: 'JOBS',
          from: iso(NOW - 20 * DAY),
          to: iso(NOW + DAY),
          columns: ['company'],
        })
      ).text
        .trim()
        .split('\r\n')
        .slice(1)
        .every((line) => line === 'drummond & Pike'),
    ).toBe(true);
    const foreign = await other.as('far', ['operator']);
    expect((await data<OutputOf<'listResults'>>(foreign, `jobs?${LAST}&pageSize=1000`)).count).toBe(
      40,
    );
    expect((await data<OutputOf<'listJobNames'>>(foreign, 'jobs-name?pageSize=1000')).count).toBe(
      3,
    );
    expect(
      (
        await data<OutputOf<'listResults'>>(
          all,
          `jobs?from=${iso(NOW - 30 * DAY)}&to=${iso(NOW + 2 * DAY)}`,
        )
      ).count,
    ).toBe(600);
  });

  test(`REP-1: a list has its page, its search and its note (${name})`, async () => {
    const who = await demoData.as('lister', ['read-only']);
    const first = await data<OutputOf<'listResults'>>(who, `jobs?${LAST}`);
    expect([first.page, first.pageSize, first.rows.length]).toEqual([1, 10, 10]);
    expect(first.rows[0]?.startTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const noted = await data<OutputOf<'listResults'>>(who, `jobs?${LAST}&note=KNOWN&pageSize=1000`);
    expect(noted.count).toBeGreaterThan(0);
    expect(new Set(noted.rows.map(({ note }) => note?.content))).toEqual(new Set(['Known Fault']));
    const snoozed = await data<OutputOf<'listResults'>>(
      who,
      `jobs?${LAST}&pageSize=1000&${filters({ ignored: true })}`,
    );
    const others = await data<OutputOf<'listResults'>>(
      who,
      `jobs?${LAST}&${filters({ ignored: false })}`,
    );
    expect(new Set(snoozed.rows.map(({ state }) => state))).toEqual(new Set(['snoozed']));
    expect(snoozed.count + others.count).toBe(first.count);
    for (const wrong of [
      'sort=name:asc',
      'sort=startTime',
      'pageSize=1001',
      'page=0',
      'filters=%7B',
      'filters=7',
      filters({ status: ['Broken'] }),
      filters({ nothing: 1 }),
      'text=x',
      'from=yesterday',
    ])
      expect([wrong, (await who(`jobs?${wrong}`)).status]).toEqual([wrong, 400]);
  });

  test(`REP-4: missed runs, disabled jobs, and the names of jobs (${name})`, async () => {
    const who = await demoData.as('desk', ['read-only']);
    const jobs = await data<OutputOf<'listJobNames'>>(who, 'jobs-name?pageSize=1000');
    expect(jobs.count).toBe(12);
    const inOrder = jobs.rows.map(
      ({ companyName, jobName }) => `${companyName.toLowerCase()}\0${jobName.toLowerCase()}`,
    );
    expect(inOrder).toEqual([...inOrder].sort());
    const missed = await data<OutputOf<'listDidNotRun'>>(who, 'jobs/didnt-run?pageSize=1000');
    const off = await data<OutputOf<'listDidNotRun'>>(
      who,
      'jobs/didnt-run?scheduleState=Disabled&pageSize=1000',
    );
    const { rows } = await demoData.store.tenant(demoData.tenant, (tx) =>
      sql<{
        readonly job: number;
        readonly at: number;
      }>`select job_n as job, last_at as at from problem
      where tenant_id = ${demoData.tenant} and closed_at is null and row->>'state' = 'Missed' order by last_at desc, n desc`.execute(
        tx.sql,
      ),
    );
    expect(
      missed.rows.map(({ jobInstanceUid, expectedAt }) => [jobInstanceUid, expectedAt]),
    ).toEqual(rows.map(({ job, at }) => [`job-${job}`, iso(at)]));
    expect(missed.count).toBe(
      (await data<OutputOf<'overviewStats'>>(who, 'jobs/overview-stats')).didntRun,
    );
    expect(
      missed.rows.every(({ ignored, ignoredUntil }) => ignored === (ignoredUntil !== null)),
    ).toBe(true);
    expect(off.rows.map(({ jobInstanceUid }) => jobInstanceUid)).toEqual(
      jobs.rows.filter(({ enabled }) => !enabled).map(({ jobInstanceUid }) => jobInstanceUid),
    );
    const [newest] = rows;
    if (newest)
      expect(
        (
          await data<OutputOf<'listDidNotRun'>>(
            who,
            `jobs/didnt-run?from=${iso(newest.at)}&to=${iso(newest.at + 1)}`,
          )
        ).rows.map(({ expectedAt }) => expectedAt),
      ).toEqual([iso(newest.at)]);
  });

  test(`REP-7: the parts of a period add up to the whole, by whom and by day, now and before (${name})`, async () => {
    const who = await demoData.as('trends', ['operator']);
    const time = `from=${iso(NOW - 8 * DAY)}&to=${iso(NOW)}`;
    const analytics = await data<OutputOf<'analytics'>>(who, `jobs/analytics?${time}`);
    const stats = await data<OutputOf<'overviewStats'>>(who, `jobs/overview-stats?${time}`);
    expect(analytics.all).toEqual({ now: stats.now, before: stats.before });
    for (const parts of [analytics.companies, analytics.types, analytics.sources]) {
      for (const which of ['now', 'before'] as const) {
        for (const what of ['runs', 'failed', 'warning', 'bytes'] as const)
          expect(parts.reduce((all, one) => all + one[which][what], 0)).toBe(
            analytics.all[which][what],
          );
      }
      const worst = parts.map(({ now }) => now.failed + now.warning);
      expect(worst).toEqual([...worst].sort((a, b) => b - a));
    }
    for (const by of ['company', 'type', 'source'] as const) {
      const chart = await data<OutputOf<'chartFailures'>>(
        who,
        `jobs/analytics/charts/failures-warnings?${time}&by=${by}`,
      );
      const sum = (points: typeof chart.days, what: 'failures' | 'warnings' | 'runs'): number =>
        points.reduce((all, one) => all + one[what], 0);
      expect([
        sum(chart.days, 'runs'),
        sum(chart.days, 'failures'),
        sum(chart.days, 'warnings'),
      ]).toEqual([analytics.all.now.runs, analytics.all.now.failed, analytics.all.now.warning]);
      expect([sum(chart.before, 'runs'), sum(chart.before, 'failures')]).toEqual([
        analytics.all.before.runs,
        analytics.all.before.failed,
      ]);
      chart.days.forEach((day, i) => {
        expect([
          chart.series.reduce((all, one) => all + (one.failures[i] ?? 0), 0),
          chart.series.reduce((all, one) => all + (one.warnings[i] ?? 0), 0),
        ]).toEqual([day.failures, day.warnings]);
      });
      expect(
        chart.days.every(({ failureRate, runs }) =>
          failureRate === null ? true : runs > 0 && failureRate >= 0 && failureRate <= 1,
        ),
      ).toBe(true);
    }
    const hours = await data<OutputOf<'chartResults'>>(
      who,
      `jobs/history-chart?from=${iso(NOW - 2 * DAY)}&to=${iso(NOW)}&every=hour`,
    );
    const days = await data<OutputOf<'chartResults'>>(
      who,
      `jobs/history-chart?from=${iso(NOW - 2 * DAY)}&to=${iso(NOW)}`,
    );
    const runs = ({ columns }: typeof hours): number =>
      columns.reduce((all, one) => all + one.runs, 0);
    expect([hours.columns.length, runs(hours)]).toEqual([49, runs(days)]);
  });

  test(`REP-8: repositories, when they will be full and what they held (${name})`, async () => {
    const who = await demoData.as('stores', ['read-only']);
    const some = await demoData.as('stores-some', ['read-only'], [1]);
    const today = Math.floor(NOW / DAY) * DAY;
    const getRow = (id: string, company: number, growth: number): RepositoryRow => ({
      id,
      key: 'k',
      company,
      uid: id,
      name: `Store ${id}`,
      type: null,
      hostName: 'nas',
      path: '/x',
      capacityBytes: 1_000,
      freeBytes: 500,
      usedBytes: 500,
      sampledAt: NOW,
      days: Array.from({ length: 10 }, (_, i) => ({
        day: iso(today - (9 - i) * DAY).slice(0, 10),
        usedBytes: 500 - (9 - i) * growth,
        capacityBytes: 1_000,
      })),
    });
    const all = [getRow('a', 1, 0), getRow('b', 1, 10), getRow('c', 2, 50)];
    // Two samples of one operational day, which begins at four in the morning of UTC, one of the
    // day before.
    const samples = [
      { at: today + 3 * 3_600_000, used: 1 },
      { at: today + 4 * 3_600_000, used: 2 },
      { at: today + 6 * 3_600_000, used: 3 },
    ];
    await demoData.store.tenant(demoData.tenant, async (tx) => {
      await tx.sql
        .insertInto('repository')
        .values(
          all.map((row) => ({
            tenant_id: demoData.tenant,
            id: row.id,
            key_id: 'k',
            company_n: row.company,
            row: JSON.stringify(row),
          })),
        )
        .execute();
      await tx.sql
        .insertInto('repository_sample')
        .values(
          samples.map(({ at, used }) => ({
            tenant_id: demoData.tenant,
            repository_id: 'b',
            at,
            capacity: 1_000,
            free: 1_000 - used,
            used,
          })),
        )
        .execute();
    });
    const trends = await data<OutputOf<'repositoryTrends'>>(who, 'repositories/trend');
    expect(trends.rows.map(({ _id, fullAt: at }) => [_id, at])).toEqual(
      ['c', 'b', 'a'].map((id) => {
        const row = all.find((one) => one.id === id);
        const at = row ? fullAt(row) : null;
        return [id, at === null ? null : iso(at)];
      }),
    );
    expect(trends.rows[0]).toMatchObject({
      companyName: 'drummond & Pike',
      usedBytes: 500,
      daysLeft: 10,
    });
    expect(
      (await data<OutputOf<'repositoryTrends'>>(some, 'repositories/trend')).rows.map(
        ({ _id }) => _id,
      ),
    ).toEqual(['b', 'a']);
    const history = await data<OutputOf<'repositoryHistory'>>(
      some,
      `repositories/history?from=${iso(today - DAY)}&to=${iso(today + DAY)}`,
    );
    expect(
      history.rows.map(({ _id, days }) => [
        _id,
        days.map(({ date, usedBytes }) => [date, usedBytes]),
      ]),
    ).toEqual([
      ['a', []],
      [
        'b',
        [
          ['2026-04-01', 1],
          ['2026-04-02', 3],
        ],
      ],
    ]);
    expect(
      (await data<OutputOf<'repositoryHistory'>>(who, 'repositories/history?repositoryId=c')).count,
    ).toBe(1);
    for (const id of ['c', 'nothing'])
      expect((await some(`repositories/history?repositoryId=${id}`)).body).toMatchObject({
        message: MESSAGES.notFound,
        error: { kind: 'not-found' },
      });
  });

  test(`REP-11: periods are limited, and an impossible query says so (${name})`, async () => {
    const who = await demoData.as('bounds', ['operator']);
    const long = `from=${iso(NOW - 367 * DAY)}&to=${iso(NOW)}`;
    for (const path of [
      'jobs',
      'jobs/history-chart',
      'jobs/overview-stats',
      'jobs/ranking/failures',
      'jobs/spreadsheet-report',
      'jobs/spreadsheet-report/stats',
      'jobs/analytics',
      'jobs/analytics/charts/failures-warnings',
      'repositories/history',
    ]) {
      expect((await who(`${path}?${long}`)).body).toMatchObject({
        message: MESSAGES.evidenceTooLong,
        error: { kind: 'bad-input' },
      });
      expect((await who(`${path}?from=${iso(NOW)}&to=${iso(NOW)}`)).body).toMatchObject({
        message: MESSAGES.evidenceEmpty,
        error: { kind: 'bad-input' },
      });
      expect([
        path,
        (await who(`${path}?from=${iso(NOW - 366 * DAY)}&to=${iso(NOW)}`)).status,
      ]).toEqual([path, 200]);
    }
    expect(
      (await who(`jobs/history-chart?every=hour&from=${iso(NOW - 9 * DAY)}&to=${iso(NOW)}`)).body,
    ).toMatchObject({ message: MESSAGES.hoursTooLong });
    expect(
      (await who.post('export', { source: 'JOBS', from: iso(NOW - 367 * DAY), to: iso(NOW) }))
        .status,
    ).toBe(400);
    const broken = await anDemo(demoData.store, 5, BERLIN, { jobs: 2, runs: 3, days: 2 });
    const asker = await broken.as('asker', ['operator']);
    await broken.store.tenant(broken.tenant, async (tx) => {
      await sql`update run set row = '{"bytes":"many","anomaly":[]}' where tenant_id = ${broken.tenant}`.execute(
        tx.sql,
      );
    });
    const answer = await asker('jobs/overview-stats');
    expect([answer.status, answer.body.message]).toEqual([
      500,
      'Error while trying to get the stats, try again later.',
    ]);
    expect(
      [
        MESSAGES.getJobs,
        MESSAGES.getJobHistory,
        MESSAGES.getRanking,
        MESSAGES.getRepositoryHistory,
        MESSAGES.getReport,
        MESSAGES.getTrends,
        MESSAGES.getChart,
      ].every((one) => /^Error while trying to get the [a-z ]+, try again later\.$/.test(one)),
    ).toBe(true);
  });

  test(`REP-12: a week of a long history is found by the index of starts, and known facts of jobs are read once (${name})`, async () => {
    const many = await anDemo(demoData.store, 6, BERLIN, { jobs: 2, runs: 1, days: 2 });
    const runs = 40_000;
    const step = (60 * DAY) / runs;
    interface Plan {
      readonly 'Node Type': string;
      readonly 'Relation Name'?: string;
      readonly 'Index Name'?: string;
      readonly 'Actual Rows': number;
      readonly 'Plans'?: readonly Plan[];
    }
    const every = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(every)];
    const plans = await many.store.tenant(many.tenant, async (tx) => {
      await sql`insert into run (tenant_id, n, key_id, uid, job_n, company_n, started_at, status, problem_n, seq, row)
        select h.tenant_id, 100 + i, 'k', 'many-' || i, 1 + i % 2, 1, ${NOW - 60 * DAY}::bigint + i * ${step}::bigint, 'Success', null, 1, '{"bytes":1,"durationSec":2,"anomaly":[]}' from head as h, generate_series(1, ${runs}::int) as i
        where h.tenant_id = ${many.tenant}`.execute(tx.sql);
      await analyzeTables(tx, 'run');
      const explained: (readonly Plan[])[] = [];
      for (const [companies, classes] of [
        [null, null],
        [
          [1],
          new Map([
            [1, 0],
            [2, 1],
          ]),
        ],
      ] as const) {
        const query = totalsQuery(
          many.tenant,
          { companies, without: [] },
          [NOW - 7 * DAY, NOW],
          classes,
          ['bytes'],
        );
        const { rows } = await sql<{
          readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[];
        }>`explain (analyze, format json) ${query}`.execute(tx.sql);
        explained.push(rows.flatMap((row) => row['QUERY PLAN']).flatMap((one) => every(one.Plan)));
      }
      return explained;
    });
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      const reads = plan.filter((one) => one['Relation Name'] === 'run');
      expect(reads.map((one) => one['Node Type'])).toEqual([
        expect.stringMatching(/^(?:Index Scan|Bitmap Heap Scan)$/),
      ]);
      expect(plan.flatMap((one) => one['Index Name'] ?? [])).toEqual(['run_started']);
      expect(reads[0]?.['Actual Rows']).toBeLessThan((runs * 7) / 60 + 10);
      expect(plan.filter((one) => one['Node Type'] === 'Nested Loop')).toEqual([]);
    }
  });
});
