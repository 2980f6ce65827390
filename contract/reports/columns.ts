import type { Day } from '../ids.ts';
import type { TallyOut } from './result-rows.ts';
import type { CalendarReportLine, CellCounts } from './figures.ts';
import { getLetter } from './report.ts';
import type { ReportColumn, DayCells, Fact, ReportCell } from './report.ts';
import { reportTexts as t } from './report.messages.en.ts';

/** Columns that several templates share, and their cells. */
export const textReportColumn = (id: string, title: string, wide = 1): ReportColumn => ({
  id,
  title,
  kind: 'text',
  wide,
});
export const count = (id: string, title: string): ReportColumn => ({ id, title, kind: 'count' });
export const companyColumn = (): ReportColumn => textReportColumn('company', t.company, 1.4);
export const jobColumn = (): ReportColumn => textReportColumn('job', t.job, 1.6);
export const computerColumn = (): ReportColumn => textReportColumn('computer', t.computer);
export const sourceColumn = (): ReportColumn => textReportColumn('source', t.source, 0.7);
export const jobsColumn = (): ReportColumn => count('jobs', t.jobs);
export const shareColumn = (): ReportColumn => ({ id: 'share', title: t.goodDays, kind: 'share' });
export const daysColumn = (days: readonly Day[]): ReportColumn => ({
  id: 'days',
  title: t.days,
  kind: 'days',
  days,
});

/** Number of a job's days that ended with a warning, failed, or did not run. */
export const cellCountColumns = (): readonly ReportColumn[] => [
  count('warnings', t.warnings),
  count('failed', t.failed),
  count('missed', t.missed),
];
export const cellCounts = ({ Warning, Failed, Error, Missed }: CellCounts): readonly number[] => [
  Warning,
  Failed + Error,
  Missed,
];

/**
 * Returns the cells of a line. A day of one job is its state; a day of several jobs is the worst
 * state and how many were bad.
 */
export const dayCells = ({ cells }: CalendarReportLine, several: boolean): DayCells => ({
  states: cells.map(({ state }) => getLetter(state)).join(''),
  bad: several ? cells.map(({ bad }) => bad) : null,
});

export function sumCounts(lines: readonly { readonly counts: CellCounts }[]): CellCounts {
  const sum = { Failed: 0, Error: 0, Missed: 0, Anomaly: 0, Warning: 0, Running: 0, Success: 0 };
  for (const { counts } of lines) {
    sum.Failed += counts.Failed;
    sum.Error += counts.Error;
    sum.Missed += counts.Missed;
    sum.Anomaly += counts.Anomaly;
    sum.Warning += counts.Warning;
    sum.Running += counts.Running;
    sum.Success += counts.Success;
  }
  return sum;
}

/**
 * Returns the share (0 to 1) of good results among the judged ones of all lines (OVER-7), or null
 * if there are none.
 */
export function shareOfLines(
  lines: readonly { readonly judged: number; readonly good: number }[],
): number | null {
  const judged = lines.reduce((sum, line) => sum + line.judged, 0);
  const good = lines.reduce((sum, line) => sum + line.good, 0);
  return judged === 0 ? null : good / judged;
}

/** Returns the figures that sum up calendar lines. */
export function calendarFacts(
  lines: readonly {
    readonly counts: CellCounts;
    readonly judged: number;
    readonly good: number;
  }[],
  jobs: number,
): readonly Fact[] {
  const sum = sumCounts(lines);
  const [warnings = 0, failed = 0, missed = 0] = cellCounts(sum);
  return [
    { title: t.goodDays, kind: 'share', value: shareOfLines(lines) },
    { title: t.jobs, kind: 'count', value: jobs },
    { title: t.warningDays, kind: 'count', value: warnings },
    { title: t.failedDays, kind: 'count', value: failed },
    { title: t.missedDays, kind: 'count', value: missed },
  ];
}

export const tallyColumns = (): readonly ReportColumn[] => [
  count('runs', t.results),
  count('success', t.success),
  count('warnings', t.warnings),
  count('failed', t.failed),
  count('missed', t.missed),
  count('anomalies', t.anomalies),
  { id: 'share', title: t.successRate, kind: 'share' },
  { id: 'bytes', title: t.transferred, kind: 'bytes' },
];
export const tallyCells = ({
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  share,
  bytes,
}: TallyOut): readonly ReportCell[] => [
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  share,
  bytes,
];

export const tallyFacts = ({
  runs,
  warning,
  failed,
  missed,
  share,
  bytes,
}: TallyOut): readonly Fact[] => [
  { title: t.successRate, kind: 'share', value: share },
  { title: t.results, kind: 'count', value: runs },
  { title: t.warnings, kind: 'count', value: warning },
  { title: t.failed, kind: 'count', value: failed },
  { title: t.missed, kind: 'count', value: missed },
  { title: t.transferred, kind: 'bytes', value: bytes },
];

/** Returns the sum of tallies, with the share over all of them (OVER-7). */
export function sumReportTallies(all: readonly TallyOut[]): TallyOut {
  const sum = {
    runs: 0,
    success: 0,
    warning: 0,
    failed: 0,
    missed: 0,
    anomaly: 0,
    running: 0,
    bytes: 0,
    judged: 0,
    good: 0,
  };
  for (const one of all) {
    sum.runs += one.runs;
    sum.success += one.success;
    sum.warning += one.warning;
    sum.failed += one.failed;
    sum.missed += one.missed;
    sum.anomaly += one.anomaly;
    sum.running += one.running;
    sum.bytes += one.bytes;
    sum.judged += one.judged;
    sum.good += one.good;
  }
  return { ...sum, share: shareOfLines([sum]) };
}

/** Groups lines by company and preserves their order. */
export function byCompany<T extends { readonly company: number; readonly companyName: string }>(
  lines: readonly T[],
): readonly { readonly name: string; readonly lines: readonly T[] }[] {
  const groups = new Map<number, { name: string; lines: T[] }>();
  for (const line of lines) {
    const group = groups.get(line.company);
    if (group) group.lines.push(line);
    else groups.set(line.company, { name: line.companyName, lines: [line] });
  }
  return [...groups.values()];
}
