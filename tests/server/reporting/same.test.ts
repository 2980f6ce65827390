import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { CALENDAR_MODES } from '#contract/monitoring/calendar.ts';
import { EXPORT_COLUMNS } from '#contract/monitoring/csv.ts';
import type { OverviewAsk, Tally } from '#contract/monitoring/overview.ts';
import { EVERYTHING, REVIEW_STATES, RUN_STATES } from '#contract/monitoring/query.ts';
import type { Order, RunsFilter } from '#contract/monitoring/query.ts';
import { reportColumns } from '#contract/monitoring/reporting-csv.ts';
import type { TrendPart, TrendTally } from '#contract/monitoring/trends.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '#contract/monitoring/words.ts';
import { makeCalendar } from '#workers/calendar/calendar.ts';
import { exportRuns } from '#workers/export/export.ts';
import { makeOverview } from '#workers/overview/overview.ts';
import { makeTrends } from '#workers/overview/trends.ts';
import type { Engine } from '#workers/seams.ts';
import { systemClock } from '#server/clock.ts';
import { eachDatabase } from '../store/databases.ts';
import { anEstate, DAY, NOW } from './ground.ts';
import type { Estate, Get } from './ground.ts';

const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);
const few = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.subarray([...values], { minLength: 1, maxLength: 2 }) },
  );
const KEPT = new Map([['2020-01-01', true]]);
const iso = (at: number): string => new Date(at).toISOString();
const must = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('nothing here');
  return value;
};
const ofTally = ({ runs, success, warning, failed, missed, anomaly, running, bytes }: Tally) => ({
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  running,
  bytes,
});

const plain = ({ runs, success, warning, failed, missed, anomaly, running }: TrendTally) => ({
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  running,
});
const part = ({ key, name, now, before }: TrendPart) => ({
  key,
  name,
  now: plain(now),
  before: plain(before),
});

/** Somebody who asks the server, and a device that holds the same. */
interface Pair {
  readonly get: Get & {
    post(path: string, body: unknown): Promise<{ text: string; headers: Headers }>;
  };
  readonly engine: Engine;
  readonly timeZone: string;
}
interface Asked {
  readonly from: number;
  readonly to: number;
  readonly companyIds: readonly number[];
  readonly entityGroup: readonly (typeof ENTITY_GROUPS)[number][];
  readonly source: readonly (typeof SOURCES)[number][];
  readonly type: readonly (typeof JOB_TYPES)[number][];
}

const time = fc
  .record({
    back: fc.integer({ min: 0, max: 24 }),
    length: fc.integer({ min: 1, max: 20 }),
    odd: fc.constantFrom(0, 0, 0, 1, 500, 7 * 3_600_000),
  })
  .map(({ back, length, odd }) => ({
    from: NOW - back * DAY + odd,
    to: NOW + (length - back) * DAY,
  }));
const asked: fc.Arbitrary<Asked> = fc
  .tuple(
    time,
    fc.record({
      companyIds: few([1, 2, 3]),
      entityGroup: few(ENTITY_GROUPS.slice(0, 4)),
      source: few([SOURCES[0], SOURCES[2], SOURCES[9]]),
      type: few([JOB_TYPES[0], JOB_TYPES[7]]),
    }),
  )
  .map(([when, what]) => ({ ...when, ...what }));
const query = ({ from, to }: Pick<Asked, 'from' | 'to'>, filters: object, more = ''): string =>
  `?from=${iso(from)}&to=${iso(to)}&filters=${encodeURIComponent(JSON.stringify(filters))}${more}`;
const data = async <T>(get: Get, path: string): Promise<T> => {
  const answer = await get<T>(path);
  if (answer.status !== 200) throw new Error(`${path} ${answer.text}`);
  return answer.body.data;
};

eachDatabase((name, open) => {
  const pairs: Pair[] = [];
  beforeAll(async () => {
    const walls = [
      { timeZone: 'Europe/Berlin', dayBeginsHour: 6 },
      { timeZone: 'America/New_York', dayBeginsHour: 0 },
    ];
    for (const [place, wall] of walls.entries()) {
      const estate: Estate = await anEstate(await open(), 7 + place, wall, {
        jobs: 14,
        runs: 900,
        days: 24,
      });
      for (const companies of [null, [1, 2]])
        pairs.push({
          get: await estate.as(`u${place}${companies ? 'some' : 'all'}`, ['operator'], companies),
          engine: await estate.device(companies),
          timeZone: wall.timeZone,
        });
    }
  }, 120_000);

  test(`REP-3, REP-5: the numbers of a time, its days and its rankings are those that a device tells (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3), asked, async (place, { from, to, companyIds, entityGroup }) => {
        const { get, engine } = must(pairs[place]);
        const ask: OverviewAsk = { from, to, companies: companyIds, instructionTypes: entityGroup };
        const told = must(makeOverview()({ engine, days: KEPT }, ask, NOW));
        const q = query(ask, { companyIds, entityGroup });
        const stats = await data<OutputOf<'overviewStats'>>(get, `jobs/overview-stats${q}`);
        const chart = await data<OutputOf<'chartResults'>>(get, `jobs/history-chart${q}`);
        expect([ofTally(stats.now), ofTally(stats.before), stats.jobs, stats.pending]).toEqual([
          ofTally(told.now),
          ofTally(told.before),
          told.jobs,
          told.pending,
        ]);
        expect(
          stats.groups.map((one) => [one.entityGroup, ofTally(one.now), ofTally(one.before)]),
        ).toEqual(told.groups.map((one) => [one.group, ofTally(one.now), ofTally(one.before)]));
        expect(chart.columns.map((one) => [one.date, ofTally(one)])).toEqual(
          told.days.map((one) => [one.day, ofTally(one)]),
        );
        for (const [path, wanted] of [
          ['failures', told.mostFailures],
          ['duration', told.longest],
          ['transferred', told.mostTransferred],
        ] as const) {
          const ranking = await data<OutputOf<'rankFailures'>>(get, `jobs/ranking/${path}${q}`);
          expect(
            ranking.map(({ jobInstanceUid, jobName, companyName, value }) => [
              jobInstanceUid,
              jobName,
              companyName,
              value,
            ]),
          ).toEqual(
            wanted.map(({ job, jobName, companyName, value }) => [
              `job-${job}`,
              jobName,
              companyName,
              value,
            ]),
          );
        }
      }),
      { numRuns: numRuns(25) },
    );
  }, 120_000);

  test(`TREND-2: failures and warnings by company, type, source and day are those that a device tells (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        asked,
        fc.constantFrom('company', 'type', 'source'),
        async (place, { from, to, companyIds, source, type }, by) => {
          const { get, engine } = must(pairs[place]);
          const told = must(
            makeTrends()(
              { engine, days: KEPT },
              { from, to, companies: companyIds, sources: source, types: type, by },
            ),
          );
          const q = query({ from, to }, { companyIds, source, type });
          const parts = await data<OutputOf<'analytics'>>(get, `jobs/analytics${q}`);
          const chart = await data<OutputOf<'chartFailures'>>(
            get,
            `jobs/analytics/charts/failures-warnings${q}&by=${by}`,
          );
          expect([plain(parts.all.now), plain(parts.all.before)]).toEqual([told.now, told.before]);
          expect([
            parts.companies.map(part),
            parts.types.map(part),
            parts.sources.map(part),
          ]).toEqual([told.parts.company, told.parts.type, told.parts.source]);
          const days = (all: typeof chart.days) =>
            all.map(({ date, from: at, runs, failures, warnings, missed }) => ({
              day: date,
              from: Date.parse(at),
              runs,
              failures,
              warnings,
              missed,
            }));
          expect([days(chart.days), days(chart.before)]).toEqual([told.days, told.daysBefore]);
          expect(
            chart.series.map(({ key, failures, warnings }) => ({ key, failures, warnings })),
          ).toEqual(told.series);
        },
      ),
      { numRuns: numRuns(20) },
    );
  }, 120_000);

  test(`TREND-5: a spreadsheet of a device has the rows, cells, shares and figures of the server's (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        asked,
        fc.constantFrom(...CALENDAR_MODES),
        async (place, { companyIds, source, type, from, to }, mode) => {
          const { get, engine } = must(pairs[place]);
          const whole = { first: 0, count: 1_000 };
          const calendar = makeCalendar();
          const ask = {
            mode,
            companies: companyIds,
            sources: source,
            types: type,
            instructionTypes: [],
            problemsOnly: false,
            text: '',
            folded: [],
            rows: whole,
            days: whole,
          };
          const days = must(calendar({ engine, days: KEPT }, { ...ask, from, to }, NOW)).days;
          const time = { from: must(days[0]).from, to: must(days.at(-1)).to };
          const q = query(time, { companyIds, source, type }, `&mode=${mode}`);
          for (const by of ['job', 'company'] as const) {
            const told = must(
              calendar({ engine, days: KEPT }, { ...ask, ...time, lines: by }, NOW),
            );
            const sheet = await data<OutputOf<'spreadsheetReport'>>(
              get,
              `jobs/spreadsheet-report${q}&by=${by}&pageSize=200`,
            );
            expect(
              told.lines.map((line) => [
                line.is === 'job' ? must(line.of).name : line.name,
                line.is === 'job' ? `job-${line.job}` : null,
                line.share,
                line.cells,
              ]),
            ).toEqual(
              sheet.rows.map((row) => [
                row.companyName,
                row.jobInstanceUid,
                row.share,
                row.cells.map(({ state }) => state),
              ]),
            );
            expect([told.total, told.jobs]).toEqual([
              sheet.count,
              sheet.rows.reduce((all, row) => all + row.jobs, 0),
            ]);
            const stats = await data<OutputOf<'spreadsheetStats'>>(
              get,
              `jobs/spreadsheet-report/stats${q}`,
            );
            expect(told.counts).toEqual([
              ...RUN_STATES.map((state) => stats.cells[state]),
              stats.empty,
            ]);
            const window = must(
              calendar(
                { engine, days: KEPT },
                {
                  ...ask,
                  ...time,
                  lines: by,
                  rows: { first: 2, count: 3 },
                  days: { first: 1, count: 4 },
                },
                NOW,
              ),
            );
            expect(window.lines.map(({ cells }) => cells)).toEqual(
              told.lines.slice(2, 5).map(({ cells }) => must(cells).slice(1, 5)),
            );
          }
        },
      ),
      { numRuns: numRuns(20) },
    );
  }, 120_000);

  test(`REP-6: cells, shares and rows of the spreadsheet are those of the calendar (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        asked,
        fc.constantFrom(...CALENDAR_MODES),
        fc.constantFrom('', 'MAIL', 'pc-1', 'boreas'),
        async (place, { entityGroup, companyIds, source, type, from, to }, mode, text) => {
          const { get, engine } = must(pairs[place]);
          const whole = { first: 0, count: 1_000 };
          // Days are whole in a calendar.
          const days = must(
            makeCalendar()(
              { engine, days: KEPT },
              {
                from,
                to,
                mode,
                companies: [],
                sources: [],
                types: [],
                instructionTypes: [],
                problemsOnly: false,
                text: '',
                folded: [],
                rows: whole,
                days: whole,
              },
              NOW,
            ),
          ).days;
          const time = { from: must(days[0]).from, to: must(days.at(-1)).to };
          const view = must(
            makeCalendar()(
              { engine, days: KEPT },
              {
                ...time,
                mode,
                companies: companyIds,
                sources: source,
                types: type,
                instructionTypes: entityGroup,
                problemsOnly: false,
                text,
                folded: [],
                rows: whole,
                days: whole,
              },
              NOW,
            ),
          );
          const q = query(time, { companyIds, entityGroup, source, type, text }, `&mode=${mode}`);
          const jobs = await data<OutputOf<'spreadsheetReport'>>(
            get,
            `jobs/spreadsheet-report${q}&pageSize=200`,
          );
          const companies = await data<OutputOf<'spreadsheetReport'>>(
            get,
            `jobs/spreadsheet-report${q}&by=company&pageSize=200`,
          );
          expect(jobs.days.map(({ date }) => date)).toEqual(view.days.map(({ day }) => day));
          expect(
            jobs.rows.map(({ jobInstanceUid, share, cells }) => [
              jobInstanceUid,
              share,
              cells.map(({ state }) => state),
            ]),
          ).toEqual(
            view.lines.flatMap((line) =>
              line.is === 'job' ? [[`job-${line.job}`, line.share, line.cells]] : [],
            ),
          );
          expect(
            companies.rows.map(({ company, companyName, jobs: count, share, cells }) => [
              company,
              companyName,
              count,
              share,
              cells.map(({ bad }) => bad),
            ]),
          ).toEqual(
            view.lines.flatMap((line) =>
              line.is === 'company'
                ? [[line.company, line.name, line.jobs, line.share, line.bad]]
                : [],
            ),
          );
          const stats = await data<OutputOf<'spreadsheetStats'>>(
            get,
            `jobs/spreadsheet-report/stats${q}`,
          );
          expect(RUN_STATES.map((state) => stats.cells[state])).toEqual(
            RUN_STATES.map((_state, i) =>
              view.lines.reduce(
                (all, line) => all + (line.is === 'job' ? (line.counts[i] ?? 0) : 0),
                0,
              ),
            ),
          );
          expect(stats.results).toBe(
            jobs.rows.reduce(
              (all, { cells }) => all + cells.reduce((sum, { runs }) => sum + runs, 0),
              0,
            ),
          );
          expect(stats.empty + Object.values(stats.cells).reduce((all, one) => all + one, 0)).toBe(
            stats.days * stats.jobs,
          );
        },
      ),
      { numRuns: numRuns(25) },
    );
  }, 120_000);

  const ORDERS: Readonly<Record<string, readonly [Order, boolean]>> = {
    'startTime:desc': ['newest', false],
    'startTime:asc': ['newest', true],
    'status:asc': ['worst', false],
    'durationSec:asc': ['duration', false],
    'durationSec:desc': ['duration', true],
    'bytesTransferred:desc': ['bytes', true],
    'companyName:asc': ['company', false],
    'computerName:asc': ['computer', false],
  };
  const list = fc.record({
    status: few(RUN_STATES),
    state: fc.option(fc.constantFrom(...REVIEW_STATES), { freq: 2 }),
    anomaly: fc.boolean(),
    managed: fc.option(fc.boolean(), { freq: 2 }),
    text: fc.constantFrom('', '', 'MAIL', 'space', 'sql 1', 'srv.', 'pike'),
    sort: fc.constantFrom(...Object.keys(ORDERS)),
  });

  test(`REP-1, REP-2: a list finds the results that a device finds, in its order (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        asked,
        list,
        async (
          place,
          { from, to, companyIds, entityGroup, source, type },
          { status, state, anomaly, managed, text, sort },
        ) => {
          const { get, engine } = must(pairs[place]);
          const [order, reverse] = must(ORDERS[sort]);
          const filter: RunsFilter = {
            ...EVERYTHING,
            from,
            to,
            companies: companyIds,
            instructionTypes: entityGroup,
            sources: source,
            types: type,
            states: status,
            review: state,
            anomaly,
            managed,
            text,
            order,
            reverse,
          };
          const wanted = engine.select(filter, NOW);
          const q = query(
            { from, to },
            { companyIds, entityGroup, source, type, status, state, anomaly, managed, text },
          );
          const found = await data<OutputOf<'listResults'>>(
            get,
            `jobs${q}&sort=${sort}&pageSize=1000`,
          );
          expect([found.count, found.rows.map(({ _id }) => Number(_id))]).toEqual([
            wanted.total,
            [...wanted.ids()],
          ]);
          const page = await data<OutputOf<'listResults'>>(
            get,
            `jobs${q}&sort=${sort}&page=2&pageSize=7`,
          );
          expect([page.count, page.rows]).toEqual([wanted.total, found.rows.slice(7, 14)]);
          const views = engine.view(wanted, { first: 0, count: 20 }, NOW);
          expect(
            found.rows
              .slice(0, 20)
              .map((row) => [
                row.jobName,
                row.companyName,
                row.computerName,
                row.source,
                row.type,
                row.managed,
                row.status,
                row.durationSec,
                row.bytesTransferred,
                row.message,
                row.state,
                row.note?.content ?? null,
                row.problem?.ticket ?? null,
                row.problem?.cause ?? null,
              ]),
          ).toEqual(
            views.map((row) => [
              row.jobName,
              row.companyName,
              row.computer,
              row.source,
              row.type,
              row.managed,
              row.status,
              row.durationSec,
              row.bytes,
              row.message,
              row.review,
              row.problem?.note?.content ?? null,
              row.problem?.ticket ?? null,
              row.problem === null ? null : row.template,
            ]),
          );
        },
      ),
      { numRuns: numRuns(60) },
    );
  }, 120_000);

  test(`REP-9: a file holds what a device writes, byte for byte (${name})`, async () => {
    // What is usual is told as of now; a device tells it as of the run.
    const chosen = EXPORT_COLUMNS.filter(
      (id) => id !== 'usualDuration' && id !== 'usualBytes' && id !== 'reviewedBy',
    );
    const columns = reportColumns(chosen);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        asked,
        list,
        async (
          place,
          { from, to, companyIds, entityGroup },
          { status, state, anomaly, text, sort },
        ) => {
          const { get, engine } = must(pairs[place]);
          const [order, reverse] = must(ORDERS[sort]);
          const filter: RunsFilter = {
            ...EVERYTHING,
            from,
            to,
            companies: companyIds,
            instructionTypes: entityGroup,
            states: status,
            review: state,
            anomaly,
            text,
            order,
            reverse,
          };
          const clock = {
            ...systemClock,
            now: () => NOW,
            after: (ms: number, work: () => void) => systemClock.after(ms, work),
          };
          const made = must(
            await exportRuns({
              engine,
              clock: clock as never,
              names: new Map(),
              filter,
              columns,
              onProgress: () => null,
              stillHere: () => true,
            }).done(),
          );
          const answer = await get.post('export', {
            source: 'JOBS',
            csv: true,
            from: iso(from),
            to: iso(to),
            filters: { companyIds, entityGroup, status, state, anomaly, text },
            sort,
            columns: chosen,
          });
          expect(answer.text).toBe(await made.file.text());
          expect(answer.headers.get('content-disposition')).toBe(
            `attachment; filename="${made.name}"`,
          );
        },
      ),
      { numRuns: numRuns(15) },
    );
  }, 120_000);
});
