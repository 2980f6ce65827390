import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import { successShare } from '#contract/dashboard/overview.ts';
import type { OverviewQuery, Tally } from '#contract/dashboard/overview.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { TrendPart, TrendTally } from '#contract/analytics/trends.ts';
import { makeCalendar } from '#workers/calendar/calendar.ts';
import { makeOverview } from '#workers/dashboard/overview.ts';
import { makeTrends } from '#workers/analytics/trends.ts';
import { anyDatabase } from '../../db/databases.ts';
import { request, devicePairs, STORED, must, numRuns, query } from './device-pairs.ts';
import type { Pair } from './device-pairs.ts';
import { data, NOW } from './fixtures.ts';

const ofTally = ({
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  running,
  bytes,
  judged,
  good,
}: Tally) => ({
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  running,
  bytes,
  judged,
  good,
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

anyDatabase((name, open) => {
  let pairs: readonly Pair[];
  beforeAll(async () => {
    pairs = await devicePairs(open);
  });

  test(`REP-3, REP-5, OVER-7: the numbers of a period, its days and its rankings equal a device's (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3), request, async (place, { from, to, companyIds, entityGroup }) => {
        const { get, engine } = must(pairs[place]);
        const ask: OverviewQuery = {
          from,
          to,
          companies: companyIds,
          instructionTypes: entityGroup,
        };
        const details = must(makeOverview()({ engine, days: STORED }, ask, NOW));
        const q = query(ask, { companyIds, entityGroup });
        const stats = await data<OutputOf<'overviewStats'>>(get, `jobs/overview-stats${q}`);
        const chart = await data<OutputOf<'chartResults'>>(get, `jobs/history-chart${q}`);
        expect([ofTally(stats.now), ofTally(stats.before), stats.jobs, stats.pending]).toEqual([
          ofTally(details.now),
          ofTally(details.before),
          details.jobs,
          details.pending,
        ]);
        expect([stats.now.share, stats.before.share]).toEqual([
          successShare(details.now),
          successShare(details.before),
        ]);
        expect(
          stats.groups.map((one) => [one.entityGroup, ofTally(one.now), ofTally(one.before)]),
        ).toEqual(details.groups.map((one) => [one.group, ofTally(one.now), ofTally(one.before)]));
        expect(chart.columns.map((one) => [one.date, ofTally(one)])).toEqual(
          details.days.map((one) => [one.day, ofTally(one)]),
        );
        for (const [path, wanted] of [
          ['failures', details.mostFailures],
          ['duration', details.longest],
          ['transferred', details.mostTransferred],
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
  });

  test(`TREND-2: failures and warnings by company, type, source and day equal a device's (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        request,
        fc.constantFrom('company', 'type', 'source'),
        async (place, { from, to, companyIds, source, type }, by) => {
          const { get, engine } = must(pairs[place]);
          const details = must(
            makeTrends()(
              { engine, days: STORED },
              { from, to, companies: companyIds, sources: source, types: type, by },
            ),
          );
          const q = query({ from, to }, { companyIds, source, type });
          const parts = await data<OutputOf<'analytics'>>(get, `jobs/analytics${q}`);
          const chart = await data<OutputOf<'chartFailures'>>(
            get,
            `jobs/analytics/charts/failures-warnings${q}&by=${by}`,
          );
          expect([plain(parts.all.now), plain(parts.all.before)]).toEqual([
            details.now,
            details.before,
          ]);
          expect([
            parts.companies.map(part),
            parts.types.map(part),
            parts.sources.map(part),
          ]).toEqual([details.parts.company, details.parts.type, details.parts.source]);
          const days = (all: typeof chart.days) =>
            all.map(({ date, from: at, runs, failures, warnings, missed }) => ({
              day: date,
              from: Date.parse(at),
              runs,
              failures,
              warnings,
              missed,
            }));
          expect([days(chart.days), days(chart.before)]).toEqual([
            details.days,
            details.daysBefore,
          ]);
          expect(
            chart.series.map(({ key, failures, warnings }) => ({ key, failures, warnings })),
          ).toEqual(details.series);
        },
      ),
      { numRuns: numRuns(20) },
    );
  });

  test(`TREND-5, OVER-7: a device's spreadsheet has the server's rows, cells, shares and figures (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        request,
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
          const days = must(calendar({ engine, days: STORED }, { ...ask, from, to }, NOW)).days;
          const time = { from: must(days[0]).from, to: must(days.at(-1)).to };
          const q = query(time, { companyIds, source, type }, `&mode=${mode}`);
          for (const by of ['job', 'company'] as const) {
            const details = must(
              calendar({ engine, days: STORED }, { ...ask, ...time, lines: by }, NOW),
            );
            const sheet = await data<OutputOf<'spreadsheetReport'>>(
              get,
              `jobs/spreadsheet-report${q}&by=${by}&pageSize=200`,
            );
            expect(
              details.lines.map((line) => [
                line.kind === 'job' ? must(line.of).name : line.name,
                line.kind === 'job' ? `job-${line.job}` : null,
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
            expect([details.total, details.jobs]).toEqual([
              sheet.count,
              sheet.rows.reduce((all, row) => all + row.jobs, 0),
            ]);
            const stats = await data<OutputOf<'spreadsheetStats'>>(
              get,
              `jobs/spreadsheet-report/stats${q}`,
            );
            expect([details.counts, details.share]).toEqual([
              [...RUN_STATES.map((state) => stats.cells[state]), stats.empty],
              stats.share,
            ]);
            const window = must(
              calendar(
                { engine, days: STORED },
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
              details.lines.slice(2, 5).map(({ cells }) => must(cells).slice(1, 5)),
            );
          }
        },
      ),
      { numRuns: numRuns(20) },
    );
  });

  test(`REP-6: cells, shares and rows of the spreadsheet are those of the calendar (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        request,
        fc.constantFrom(...CALENDAR_MODES),
        fc.constantFrom('', 'MAIL', 'pc-1', 'boreas'),
        async (place, { entityGroup, companyIds, source, type, from, to }, mode, text) => {
          const { get, engine } = must(pairs[place]);
          const whole = { first: 0, count: 1_000 };
          // Days are whole in a calendar.
          const days = must(
            makeCalendar()(
              { engine, days: STORED },
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
              { engine, days: STORED },
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
              line.kind === 'job' ? [[`job-${line.job}`, line.share, line.cells]] : [],
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
              line.kind === 'company'
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
                (all, line) => all + (line.kind === 'job' ? (line.counts[i] ?? 0) : 0),
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
  });
});
