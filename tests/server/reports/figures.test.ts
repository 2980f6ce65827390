import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { cellOfLetter, firstRows, rowsIn } from '#contract/reports/report.ts';
import type { Report, ReportRow } from '#contract/reports/report.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import { TEMPLATE_KEYS } from '#contract/reports/template.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { makeReport } from '#server/features/reports/make-report.ts';
import { reportCsv } from '#server/features/reports/render/csv.ts';
import { render } from '#server/features/reports/render/render.ts';
import { anDemo, DAY, NOW } from './results/fixtures.ts';
import type { Demo, Get } from './results/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { ENGLISH } from '#contract/i18n/messages.ts';

const BERLIN = { timeZone: 'Europe/Berlin', dayBeginsHour: 6 };
const ALL = { userId: 'u', roles: ['admin', 'operator'] as const, companies: null };
const LOOK = {
  provider: 'Harbour',
  side: '#1b3256',
  sideInk: '#ffffff',
  accent: '#23509e',
  logo: null,
} as const;
const data = async <T>(get: Get, path: string): Promise<T> => {
  const answer = await get<T>(path);
  if (answer.status !== 200) throw new Error(`${path} ${answer.text}`);
  return answer.body.data;
};
const filters = (companies: readonly number[]): string =>
  `filters=${encodeURIComponent(JSON.stringify({ companyIds: companies }))}`;

const createReport = async (
  { ground: fixture, tenant }: Demo,
  template: ReportFields['template'],
  companies: readonly number[],
  period: ReportFields['period'],
): Promise<Report> => {
  const made = await makeReport(
    fixture.context,
    tenant,
    ALL,
    { name: 'x', template, companies: [...companies], period, language: 'en-US' },
    NOW,
  );
  if (!made.ok) throw new Error(made.failure.message);
  return made.value.write(ENGLISH);
};
const column = ({ sections }: Report, id: string): readonly unknown[] =>
  sections.flatMap(({ columns, rows }) => {
    const at = columns.findIndex((one) => one.id === id);
    return rows.map((row) => row[at]);
  });
const cells = (row: unknown): readonly unknown[] =>
  typeof row === 'object' && row !== null && 'states' in row && typeof row.states === 'string'
    ? row.states.split('').map(cellOfLetter)
    : [];
const time = ({ from, to }: Report): string =>
  `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
const table = (count: number) => ({
  title: null,
  columns: [],
  rows: Array.from({ length: count }, (_, i) => [i]),
  total: [0],
  none: '',
});

eachDatabase((name, open) => {
  const estates: Demo[] = [];
  beforeAll(async () => {
    for (const seed of [31, 32])
      estates.push(await anDemo(await open(), seed, BERLIN, { jobs: 14, runs: 700, days: 25 }));
  });
  afterAll(() => estates.splice(0));

  test(`REPORT-4: cells and shares of a calendar are those of the spreadsheet, by job and by company (${name})`, async () => {
    for (const demoData of estates) {
      const get = await demoData.as(`sheet-${name}`, ['operator']);
      for (const companies of [[], [1], [2, 3]]) {
        for (const [template, by] of [
          ['calendarReportBasic', 'job'],
          ['calendarReportFull', 'job'],
          ['calendarReportSummary', 'company'],
        ] as const) {
          for (const period of ['last-14', 'yesterday', 'this-month'] as const) {
            const report = await createReport(demoData, template, companies, period);
            const sheet = await data<OutputOf<'spreadsheetReport'>>(
              get,
              `jobs/spreadsheet-report?${time(report)}&by=${by}&pageSize=200&${filters(companies)}`,
            );
            expect(column(report, 'days').map(cells)).toEqual(
              sheet.rows.map((row) => row.cells.map(({ state }) => state)),
            );
            expect(column(report, 'share')).toEqual(sheet.rows.map(({ share }) => share));
            expect(report.sections[0]?.columns.find(({ kind }) => kind === 'days')?.days).toEqual(
              sheet.days.map(({ date }) => date),
            );
            if (by === 'company')
              expect(column(report, 'days').map((one) => (one as { bad: unknown }).bad)).toEqual(
                sheet.rows.map((row) => row.cells.map(({ bad }) => bad)),
              );
            const stats = await data<OutputOf<'spreadsheetStats'>>(
              get,
              `jobs/spreadsheet-report/stats?${time(report)}&${filters(companies)}`,
            );
            expect(report.facts.map(({ value }) => value)).toEqual([
              stats.share,
              stats.jobs,
              stats.cells.Warning,
              stats.cells.Failed + stats.cells.Error,
              stats.cells.Missed,
            ]);
          }
        }
      }
    }
  });

  test(`REPORT-4: totals are those of the dashboard, details those of the list (${name})`, async () => {
    for (const demoData of estates) {
      const get = await demoData.as(`totals-${name}`, ['operator']);
      const many = await createReport(demoData, 'multiCustomerReportSummary', [1, 2, 3], 'last-14');
      for (const [place, row] of many.sections[0]?.rows.entries() ?? []) {
        const company = [3, 1, 2][place] ?? 0;
        const stats = await data<OutputOf<'overviewStats'>>(
          get,
          `jobs/overview-stats?${time(many)}&${filters([company])}`,
        );
        const { runs, success, warning, failed, missed, anomaly, share, bytes } = stats.now;
        expect(row.slice(1)).toEqual([
          stats.jobs.all,
          runs,
          success,
          warning,
          failed,
          missed,
          anomaly,
          share,
          bytes,
          stats.before.share,
          stats.pending,
        ]);
      }
      const one = await createReport(demoData, 'calendarReportCompanySummary', [2], 'last-7');
      const chart = await data<OutputOf<'chartResults'>>(
        get,
        `jobs/history-chart?${time(one)}&${filters([2])}`,
      );
      expect(one.sections[0]?.rows).toEqual(
        chart.columns.map(
          ({ date, runs, success, warning, failed, missed, anomaly, share, bytes }): ReportRow => [
            date,
            runs,
            success,
            warning,
            failed,
            missed,
            anomaly,
            share,
            bytes,
          ],
        ),
      );
      const list = await createReport(demoData, 'detailReport', [1], 'last-14');
      const results = await data<OutputOf<'listResults'>>(
        get,
        `jobs?${time(list)}&pageSize=1000&${filters([1])}`,
      );
      expect(list.sections[0]?.rows.map((row) => [row[0], row[3], row[8]])).toEqual(
        results.rows.map(({ startTime, jobName, message }) => [
          Date.parse(startTime),
          jobName,
          message,
        ]),
      );
      const rows = (
        await createReport(demoData, 'multiCustomerReportDetails', [1, 2, 3], 'last-14')
      ).sections;
      const sums = many.sections[0]?.rows ?? [];
      // Jobs come to their company.
      expect(
        rows.map(({ rows: jobs }) => jobs.reduce((all, row) => all + Number(row[3]), 0)),
      ).toEqual(sums.map((row) => row[2]));
    }
  });

  test(`REPORT-4, REPORT-6: every template has a row for each of its columns, and one without rows says why (${name})`, async () => {
    const [demoData] = estates;
    if (!demoData) throw new Error('no estate');
    for (const key of TEMPLATE_KEYS) {
      const { customers } = TEMPLATES[key];
      const report = await createReport(
        demoData,
        key,
        customers === 'one' ? [1] : customers === 'some' ? [1, 2, 3] : [],
        'last-14',
      );
      for (const { columns, rows, total, none } of report.sections) {
        expect([
          key,
          new Set([...rows, ...(total ? [total] : [])].map((row) => row.length)),
        ]).toEqual([key, new Set(rows.length > 0 || total ? [columns.length] : [])]);
        expect(none).toMatch(/^[A-Z].*\.$/);
      }
      const csv = reportCsv(report).slice(1);
      const empty = {
        ...report,
        sections: report.sections.map((section) => ({ ...section, rows: [], total: null })),
      };
      expect(csv.split('\r\n').length).toBeGreaterThan(rowsIn(report));
      const file = await render(demoData.ground.context, {
        report: empty,
        look: LOOK,
        format: 'html',
        language: 'en',
      });
      expect(file.kind === 'file' ? new TextDecoder().decode(file.bytes) : file.kind).toContain(
        report.sections[0]?.none.replaceAll("'", '&#39;'),
      );
    }
  });
});

test('REPORT-6: a page holds the first rows, over all tables, and no total of the cut ones', () => {
  const cut = firstRows({ facts: [], notices: [], sections: [table(2), table(3), table(1)] }, 4);
  expect(cut.sections.map(({ rows, total }) => [rows.length, total])).toEqual([
    [2, [0]],
    [2, null],
  ]);
});

test('REPORT-6: a thousand rows with long names fill many pages, in a thread beside the server; one that takes too long is stopped', async () => {
  const name = `${'a'.repeat(80)} Ärger мир <b>`;
  const columns = [
    { id: 'job', title: 'Job', kind: 'text' as const },
    { id: 'days', title: 'Days', kind: 'days' as const, days: ['2026-03-01', '2026-03-02'] },
  ];
  const report: Report = {
    name: 'Long',
    template: 'x',
    from: NOW - 7 * DAY,
    to: NOW,
    madeAt: NOW,
    timeZone: 'UTC',
    language: 'de',
    facts: [],
    notices: [],
    sections: [
      {
        title: 'A company',
        columns,
        rows: Array.from({ length: 1_000 }, (): ReportRow => [name, { states: 'FM', bad: null }]),
        total: null,
        none: '',
      },
    ],
  };
  const before = performance.eventLoopUtilization();
  const made = await render(
    {
      clock: {
        now: () => NOW,
        after: (ms, work) => {
          const one = setTimeout(work, ms);
          return { cancel: () => clearTimeout(one) };
        },
      },
    },
    { report, look: LOOK, format: 'pdf', language: 'en' },
  );
  // The server's own thread was free nearly all the while, however busy the machine is.
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  const text = made.kind === 'file' ? Buffer.from(made.bytes).toString('latin1') : made.kind;
  expect(text.slice(0, 5)).toBe('%PDF-');
  expect(Number(/\/Type \/Pages\s*\/Count (\d+)/.exec(text)?.[1])).toBeGreaterThan(20);
  expect(
    await render(
      {
        clock: {
          now: () => NOW,
          after: (_ms, work) => {
            const one = setTimeout(work, 1);
            return { cancel: () => clearTimeout(one) };
          },
        },
      },
      { report, look: LOOK, format: 'pdf', language: 'en' },
    ),
  ).toEqual({ kind: 'late' });
});
