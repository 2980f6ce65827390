import { expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { columns, getRows } from '#contract/reports/calendar-report-full.ts';
import type { JobLine } from '#contract/reports/figures.ts';
import type { Report } from '#contract/reports/report.ts';
import { reportHtml } from '#server/features/reports/render/html.ts';
import { pdfNotices, reportPdf } from '#server/features/reports/render/pdf.ts';

const NOW = Date.parse('2026-03-31T12:00:00Z');
const DAY = 86_400_000;
const DAYS = Array.from({ length: 31 }, (_, i) =>
  new Date(NOW - (30 - i) * DAY).toISOString().slice(0, 10),
);
const LOOK = {
  provider: 'Harbour',
  side: '#1b3256',
  sideInk: '#ffffff',
  accent: '#23509e',
  logo: null,
} as const;
const STATES = [
  'Success',
  'Success',
  'Success',
  'Failed',
  'Success',
  'Missed',
  'Success',
  null,
  'Warning',
  'Success',
  'Success',
  'Success',
  'Anomaly',
  'Success',
  'off',
] as const;

const getLine = (i: number): JobLine => ({
  company: 1 + (i % 1_000),
  companyName: `Company ${1 + (i % 1_000)}`,
  jobName: `Nightly backup of the file server ${i} & its shares`,
  computerName: `SRV-${i}.office.example.com`,
  source: 'Veeam B&R',
  type: 'Backup',
  cells: DAYS.map((_, d) => ({ state: STATES[(i * 7 + d) % STATES.length] ?? null, bad: 0 })),
  counts: { Failed: 2, Error: 0, Missed: 2, Anomaly: 2, Warning: 2, Running: 0, Success: 19 },
  share: 0.791_66,
  judged: 27,
  good: 23,
});
function getCalendar(jobs: number): Report {
  const groups = [
    ...Map.groupBy(
      Array.from({ length: jobs }, (_, i) => getLine(i)),
      ({ companyName }) => companyName,
    ),
  ];
  return {
    name: 'All jobs',
    template: 'Calendar, full',
    from: NOW - 31 * DAY,
    to: NOW,
    madeAt: NOW,
    timeZone: 'UTC',
    language: 'en-GB',
    facts: [],
    notices: [],
    sections: groups.map(([title, lines]) => ({
      title,
      columns: columns(DAYS),
      rows: getRows(lines),
      total: null,
      none: '',
    })),
  };
}
/** What stands in the cells of the days, row by row: sign and words, where it has some. */
const cellsIn = (html: string): readonly (readonly string[])[] =>
  html
    .split('<tr')
    .slice(1)
    .filter((row) => /<td/.test(row) && row.includes('Nightly'))
    .map((row) =>
      row
        .split('<td')
        .slice(5, 5 + DAYS.length)
        .map(
          (cell) =>
            `${/title="\S+ ([^"]+)"/.exec(cell)?.[1] ?? ''} ${cell.replace(/^[^>]*>/, '').replaceAll(/<[^>]+>|\s/g, '')}`,
        ),
    );

test('REPORT-9: the largest calendar, ten thousand jobs and 31 days, is a page that can be sent, with the same content as a smaller one', () => {
  const began = performance.now();
  const html = reportHtml(getCalendar(LIMITS.reportRows), LOOK);
  const bytes = Buffer.byteLength(html);
  process.stdout.write(
    `HTML of ${LIMITS.reportRows} jobs: ${(bytes / 1e6).toFixed(1)} MB in ${Math.round(performance.now() - began)} ms\n`,
  );
  expect(bytes).toBeLessThan(LIMITS.reportFileBytes);
  const all = cellsIn(html);
  const small = cellsIn(reportHtml(getCalendar(40), LOOK));
  expect([all.length, small.length, all.every((row) => row.length === DAYS.length)]).toEqual([
    LIMITS.reportRows,
    40,
    true,
  ]);
  // Rows are by company there: the first of each company are those of the smaller one.
  const first = all.filter((_row, i) => i % 10 === 0).slice(0, 40);
  // A day that is well, or was not due, has its sign alone.
  expect(first).toEqual(
    small.map((row) => row.map((cell) => cell.replace(/^(Success|Not due) /, ' '))),
  );
  expect(new Set(first.flat())).toEqual(
    new Set([' ✓', ' ·', 'Failed ✗', 'Did not run ○', 'Warning !', 'Anomaly ◇', 'Disabled –']),
  );
});

test('REPORT-9: a PDF names its language, and says so if it has no glyphs for a name that the other files have', async () => {
  const report = getCalendar(3);
  const text = (await reportPdf(report, LOOK)).toString('latin1');
  expect(/\/Lang \(en\)/.test(text)).toBe(true);
  const named = (name: string): readonly string[] =>
    pdfNotices({ ...report, name, notices: ['Cut.'] }, LOOK);
  for (const name of ['Ärger – Łódź ✓', 'Ελλάδα', 'Москва', 'תל אביב'])
    expect(named(name)).toEqual(['Cut.']);
  for (const name of ['東京 nightly', '서울', 'กรุงเทพ'])
    expect(named(name)).toEqual(['Cut.', expect.stringMatching(/HTML and CSV/)]);
  const [first] = report.sections;
  expect(
    pdfNotices(
      { ...report, sections: first ? [{ ...first, rows: [['バックアップ']] }] : [] },
      LOOK,
    ),
  ).toHaveLength(1);
});
