import { useState } from 'react';
import { firstRows } from '#contract/reports/report.ts';
import type { ReportColumn, Report, ReportCell, ReportSection } from '#contract/reports/report.ts';
import type { RunState } from '#contract/runs/query.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatWhen,
  formatTenths,
} from '#src/ui/format.ts';
import { StateMark } from '#src/ui/state-mark.tsx';
import { STATES } from '#src/ui/states.ts';
import { Button } from '#src/ui/button.tsx';
import { Marks, MarksLegend, marksWords } from './marks.tsx';
import { reportMessages as t } from './messages.en.ts';

/** Rows that are rendered before "show more" is pressed. */
const FIRST = 100;

/**
 * A report on the page, with the same figures and tables as its file. `rows`: number of all rows.
 */
export function ReportSheet({ report, rows }: { readonly report: Report; readonly rows: number }) {
  const [max, setMax] = useState(FIRST);
  const here = report.sections.reduce((all, section) => all + section.rows.length, 0);
  const drawn = report.sections.some(({ columns }) => columns.some(({ kind }) => kind === 'days'));
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <dl className="m-0 flex flex-wrap gap-x-8 gap-y-3 border-t-2 border-head-rule pt-3">
        {report.facts.map(({ title, kind, value }) => (
          <div key={title} className="flex flex-col-reverse">
            <dt className="text-agate text-ink-3">{title}</dt>
            <dd className="m-0 text-head">{getWord(kind, value, report.timeZone)}</dd>
          </div>
        ))}
      </dl>
      {report.notices.map((text) => (
        <p key={text} className="m-0 font-semibold text-warning">
          {text}
        </p>
      ))}
      {drawn && <MarksLegend />}
      {firstRows(report, max).sections.map((section, place) => (
        <Table key={place} section={section} zone={report.timeZone} />
      ))}
      {here > max && (
        <p className="m-0">
          <Button onClick={() => setMax(max + 5 * FIRST)}>{t.showMoreRows}</Button>
        </p>
      )}
      {rows > here && <p className="m-0 text-ink-2">{t.firstRows({ shown: here, count: rows })}</p>}
    </div>
  );
}

function Table({
  section: { title, columns, rows, total, none },
  zone,
}: {
  readonly section: ReportSection;
  readonly zone: string;
}) {
  return (
    <section className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      {title !== null && <h3 className="m-0 text-body font-semibold break-words">{title}</h3>}
      {rows.length === 0 ? (
        <p className="m-0 text-ink-2">{none}</p>
      ) : (
        <div
          className="overflow-x-auto"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by keyboard
          tabIndex={0}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a scrolling box, not a section
          role="region"
          aria-label={title ?? t.rowsOfReport}
        >
          <table className="w-full border-collapse">
            <thead>
              <tr className="h-8 border-b border-head-rule text-left align-bottom text-agate text-ink-2">
                {columns.map((column) => (
                  <th
                    key={column.id}
                    scope="col"
                    className={`pb-1 font-normal whitespace-nowrap ${isNumber(column) ? 'pl-3 text-right' : 'pr-3'}`}
                  >
                    {column.kind === 'days' ? daysHead(column) : column.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at} className="border-b border-hair align-top">
                  {columns.map((column, i) => (
                    <Cell key={column.id} column={column} value={row[i] ?? null} zone={zone} />
                  ))}
                </tr>
              ))}
            </tbody>
            {total !== null && (
              <tfoot>
                <tr className="border-t border-head-rule font-semibold">
                  {columns.map((column, i) => (
                    <Cell
                      key={column.id}
                      column={column}
                      value={total[i] ?? null}
                      zone={zone}
                      sum
                    />
                  ))}
                </tr>
              </tfoot>
            )}
          </table>
        </div>
      )}
    </section>
  );
}

/** `10/24 to 11/22`: heading of the marks, as wide as they are. */
function daysHead({ days = [] }: ReportColumn) {
  return (
    <span className="flex justify-between gap-2" style={{ width: Math.max(days.length * 11, 90) }}>
      <span>{short(days[0])}</span>
      {days.length > 1 && <span>{short(days.at(-1))}</span>}
    </span>
  );
}

const short = (day: string | undefined): string =>
  day === undefined ? '' : `${day.slice(5, 7)}/${day.slice(8)}`;

function Cell({
  column,
  value,
  zone,
  sum = false,
}: {
  readonly column: ReportColumn;
  readonly value: ReportCell;
  readonly zone: string;
  readonly sum?: boolean;
}) {
  if (value !== null && typeof value === 'object')
    return (
      <td className="py-2 pr-3">
        <Marks days={column.days?.length ?? 0} cells={value} label={marksWords(value)} />
      </td>
    );
  if (column.kind === 'state' && typeof value === 'string' && isState(value))
    return (
      <td className="py-1.5 pr-3">
        <StateMark state={value} />
      </td>
    );
  const bad = BAD.has(column.id) && typeof value === 'number' && value > 0;
  return (
    <td
      className={`py-1.5 ${isNumber(column) ? 'pl-3 text-right whitespace-nowrap' : column.kind === 'text' ? 'max-w-90 min-w-24 pr-3 [overflow-wrap:anywhere]' : 'pr-3 whitespace-nowrap'} ${bad ? 'font-semibold text-failed' : ''}`}
    >
      {value === null && sum ? '' : getWord(column.kind, value, zone)}
    </td>
  );
}

const BAD = new Set(['failed', 'missed']);
const isState = (text: string): text is RunState => text in STATES;
const isNumber = ({ kind }: ReportColumn): boolean =>
  kind === 'count' || kind === 'share' || kind === 'bytes' || kind === 'seconds';

function getWord(kind: ReportColumn['kind'], value: string | number | null, zone: string): string {
  if (value === null) return kind === 'text' ? '' : '–';
  if (typeof value === 'string')
    return kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(value)
      ? `${value.slice(5, 7)}/${value.slice(8)}/${value.slice(2, 4)}`
      : value;
  switch (kind) {
    case 'share':
      return `${formatTenths(Math.floor(value * 1000))}%`;
    case 'bytes':
      return formatBytes(value);
    case 'seconds':
      return formatDuration(value);
    case 'moment':
      return formatWhen(value, zone);
    case 'count':
    case 'text':
    case 'state':
    case 'day':
    case 'days':
      return formatCount(value);
  }
}
