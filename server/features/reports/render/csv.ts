import { BOM, csvLine, utcText, wallText } from '#contract/runs/csv.ts';
import type { Cell } from '#contract/runs/csv.ts';
import { cellOfLetter } from '#contract/reports/report.ts';
import type { ReportColumn, Report, ReportCell, ReportSection } from '#contract/reports/report.ts';
import { reportTexts, STATE_WORDS } from '#contract/reports/report.messages.en.ts';
import { reportMessages as t } from '../messages.en.ts';

/**
 * Returns a report as CSV. Tables with the same columns are merged, with their title in the first
 * column; others follow one another. Numbers are not formatted, a time becomes two columns, and the
 * days of a calendar become one column each.
 */
export function reportCsv({ sections, timeZone }: Report): string {
  const [first] = sections;
  if (!first) return BOM;
  const alike = sections.every(
    ({ columns }) => JSON.stringify(columns) === JSON.stringify(first.columns),
  );
  const titled = sections.some(({ title }) => title !== null);
  if (alike)
    return (
      BOM +
      csvLine([...(titled ? [reportTexts.company] : []), ...getHeaderCells(first)]) +
      sections.map((one) => getRows(one, timeZone, titled ? [one.title ?? ''] : [])).join('')
    );
  return (
    BOM +
    sections
      .map(
        (one) =>
          csvLine([one.title ?? '']) + csvLine(getHeaderCells(one)) + getRows(one, timeZone, []),
      )
      .join('\r\n')
  );
}

const getHeaderCells = ({ columns }: ReportSection): readonly string[] =>
  columns.flatMap(({ title, kind, days }) =>
    kind === 'moment'
      ? [title, t.utcColumn({ column: title })]
      : kind === 'days'
        ? (days ?? [])
        : [title],
  );

const getRows = (
  { columns, rows }: ReportSection,
  timeZone: string,
  before: readonly string[],
): string =>
  rows
    .map((row) =>
      csvLine([
        ...before,
        ...columns.flatMap((column, i) => getCells(column, row[i] ?? null, timeZone)),
      ]),
    )
    .join('');

function getCells(
  { kind, days = [] }: ReportColumn,
  value: ReportCell,
  timeZone: string,
): readonly Cell[] {
  if (kind === 'days') {
    if (value === null || typeof value !== 'object') return days.map(() => null);
    return days.map((_, i) => {
      const cell = cellOfLetter(value.states[i] ?? '');
      const bad = value.bad?.[i] ?? 0;
      if (cell === null) return null;
      return bad > 0
        ? t.stateWithCount({ state: STATE_WORDS[cell], count: bad })
        : STATE_WORDS[cell];
    });
  }
  if (value !== null && typeof value === 'object') return [null];
  if (kind === 'moment')
    return typeof value === 'number' ? [wallText(value, timeZone), utcText(value)] : [null, null];
  if (kind === 'share' && typeof value === 'number') return [Math.floor(value * 10_000) / 10_000];
  return [
    kind === 'state' && typeof value === 'string' && value in STATE_WORDS
      ? STATE_WORDS[value as keyof typeof STATE_WORDS]
      : value,
  ];
}
