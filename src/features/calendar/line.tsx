/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows of an ARIA grid instead of a table */
import { Fragment, memo } from 'react';
import type { CalendarLine } from '#contract/calendar/calendar.ts';
import { formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { SkippedColumns } from '../shared/grid/skipped-columns.tsx';
import { withSkipped } from '../shared/grid/virtual-window.ts';
import { badWords, cellWords, getCellForm, shareOrDash } from './labels.ts';
import type { DayHead, DayStatus } from './labels.ts';
import { calendarMessages as t } from './messages.en.ts';

interface LineProps {
  readonly line: CalendarLine;
  readonly index: number;
  readonly top: number;
  readonly days: readonly DayHead[];
  readonly statuses: readonly DayStatus[];
  /** The indexes of the rendered days. */
  readonly shown: readonly number[];
  readonly touch: boolean;
  /** Index of the active day, -1 for the name, null if the active cell is in another row. */
  readonly cursor: number | null;
  readonly open: number | null;
}

export const cellId = (line: number, day: number): string => `cal-${line}-${day}`;

/** A row of a company or job: name, share of good days, and a cell for each visible day. */
export const CalendarRow = memo(function Line({
  line,
  index,
  top,
  days,
  statuses,
  shown,
  touch,
  cursor,
  open,
}: LineProps) {
  const company = line.kind === 'company';
  const second = company ? t.jobCount({ count: line.jobs }) : line.computer;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-line={index}
      className={`cal-line ${company ? 'cal-company' : ''}`}
      style={{ top }}
    >
      <span className="cal-left" role="presentation">
        <span
          role="rowheader"
          aria-colindex={1}
          id={cellId(index, -1)}
          data-day={-1}
          className="cal-name"
          data-tip={line.name}
          {...(cursor === -1 && { 'data-cursor': '' })}
        >
          {company && (
            <button
              type="button"
              tabIndex={-1}
              aria-expanded={!line.folded}
              aria-label={t.jobsOf({ name: line.name })}
            >
              <Icon name={line.folded ? 'chevron-right' : 'chevron-down'} />
            </button>
          )}
          <span className="cal-two">
            <span className="cal-cut">{line.name}</span>
            {touch && (
              <span className="cal-cut cal-ag">
                {second === ''
                  ? shareOrDash(line.share)
                  : t.jobAndShare({ name: second, share: shareOrDash(line.share) })}
              </span>
            )}
          </span>
        </span>
        {!touch && (
          <span
            role="gridcell"
            aria-colindex={2}
            className="cal-computer cal-cut"
            data-tip={second}
          >
            {second}
          </span>
        )}
        {!touch && (
          <span role="gridcell" aria-colindex={3} className="cal-share">
            {shareOrDash(line.share)}
          </span>
        )}
      </span>
      {withSkipped(shown).map(({ index: day, skipped }) => {
        const head = days[day];
        if (!head) return null;
        const status = statuses[day] ?? 'here';
        const marks = {
          ...(cursor === day && { 'data-cursor': '' }),
          ...(open === day && { 'data-open': '' }),
        };
        const at = {
          'id': cellId(index, day),
          'data-day': day,
          'aria-colindex': day + (touch ? 2 : 4),
          ...marks,
        };
        if (line.kind === 'company') {
          const bad = line.bad[day] ?? 0;
          return (
            <Fragment key={head.day}>
              <SkippedColumns count={skipped} width="var(--col)" />
              <span
                role="gridcell"
                {...at}
                aria-label={badWords(head, bad, status)}
                className="cal-cell"
              >
                {bad > 0 && <span aria-hidden>{formatCount(bad)}</span>}
              </span>
            </Fragment>
          );
        }
        const form = getCellForm(line.cells[day], status);
        return (
          <Fragment key={head.day}>
            <SkippedColumns count={skipped} width="var(--col)" />
            <span
              role="gridcell"
              {...at}
              aria-label={cellWords(head, form)}
              data-form={form}
              className="cal-cell"
            />
          </Fragment>
        );
      })}
    </div>
  );
}, same);

/** Compares rows by value: every answer brings new objects, and most of them are equal. */
function same(a: LineProps, b: LineProps): boolean {
  return (
    a.index === b.index &&
    a.top === b.top &&
    a.touch === b.touch &&
    a.cursor === b.cursor &&
    a.open === b.open &&
    a.shown === b.shown &&
    a.days === b.days &&
    a.statuses === b.statuses &&
    (a.line === b.line || JSON.stringify(a.line) === JSON.stringify(b.line))
  );
}

/** Placeholder of a row that is not loaded yet. `id`: that of its active cell. */
export function WaitingLine({
  index,
  row,
  id,
}: {
  readonly index: number;
  readonly row: number;
  readonly id?: string;
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="cal-line cal-waiting"
      style={{ top: index * row }}
    >
      <span role="gridcell" id={id} className="sr-only">
        {t.loading}
      </span>
      <i aria-hidden style={{ width: `${62 - ((index * 13) % 31)}%` }} />
    </div>
  );
}
