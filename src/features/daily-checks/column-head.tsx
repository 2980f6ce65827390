// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid instead of a table: only visible rows are rendered */
import type { PointerEvent, ReactNode } from 'react';
import type { Ms } from '#contract/ids.ts';
import type { Order } from '#contract/runs/query.ts';
import { formatDate } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { changedColumn, COLUMN_IDS, COLUMNS, MAX_WIDTH } from '../shared/runs/columns.ts';
import type { Column, ColumnId } from '../shared/runs/columns.ts';
import { coverage } from './selection.ts';
import type { SelectedRuns } from './selection.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

interface HeadProps {
  readonly cards: boolean;
  /** Users without actions have no selection column. */
  readonly canAct: boolean;
  readonly selection: SelectedRuns;
  readonly total: number;
  readonly zone: string;
  readonly now: Ms;
  readonly order: Order;
  readonly reverse: boolean;
  /**
   * One line per row. In the folded layout the cause is too close to the names to click, so it
   * sorts from the menu only.
   */
  readonly dense: boolean;
  readonly columns: readonly Column[];
  readonly onSelectAll: () => void;
  readonly onSort: (order: Order, reverse: boolean) => void;
  readonly onColumns: (columns: readonly Column[]) => void;
}

/**
 * The column headers fold as the rows do: State over Streak, Company over Cause. For cards they are
 * visible to screen readers only.
 */
export function ColumnHead({
  cards,
  canAct,
  selection,
  total,
  zone,
  now,
  order,
  reverse,
  dense,
  columns,
  onSelectAll,
  onSort,
  onColumns,
}: HeadProps) {
  const covered = coverage(selection, total);
  if (cards) {
    return (
      <div role="rowgroup" className="sr-only">
        <div role="row" aria-rowindex={1}>
          {[canAct ? t.select : t.state, t.result, COLUMNS.days.label, t.review].map((label) => (
            <span key={label} role="columnheader">
              {label}
            </span>
          ))}
        </div>
      </div>
    );
  }
  const heads: Readonly<Record<ColumnId, ReactNode>> = {
    st: (
      <>
        <b>{t.state}</b>
        <span>{t.streak}</span>
      </>
    ),
    co: <span>{t.company}</span>,
    job: <span>{t.job}</span>,
    pc: <span>{t.computer}</span>,
    ca: <span>{t.causeFirstLine}</span>,
    days: (
      <>
        <span>{t.fourteenDays}</span>
        <span>{t.daysTo({ date: formatDate(now, zone).slice(0, 5) })}</span>
      </>
    ),
    at: (
      <>
        <span>{t.started}</span>
        <span>{t.age}</span>
      </>
    ),
    du: (
      <>
        <span>{t.duration}</span>
        <span>{t.andTypical}</span>
      </>
    ),
    tr: (
      <>
        <span>{t.transferred}</span>
        <span>{t.andTypical}</span>
      </>
    ),
    last: (
      <>
        <span>{t.last}</span>
        <span>{t.good}</span>
      </>
    ),
    tk: <span>{t.ticket}</span>,
    note: <Icon name="note" size={12} label={t.note} />,
  };
  return (
    <div role="rowgroup" className="contents">
      <div role="row" aria-rowindex={1} className="dc-hd">
        <div role="columnheader" className="dc-sel">
          {canAct && (
            <button
              type="button"
              role="checkbox"
              className="dc-boxed"
              aria-label={t.selectAllMatching}
              aria-keyshortcuts="Control+A Meta+A"
              aria-checked={covered === 'all' ? true : covered === 'some' ? 'mixed' : false}
              onClick={onSelectAll}
            >
              <span className="dc-box" {...(covered !== 'none' && { 'data-on': '' })}>
                {covered !== 'none' && (
                  <Icon name={covered === 'all' ? 'check' : 'minus'} size={12} stroke={2.25} />
                )}
              </span>
            </button>
          )}
        </div>
        {COLUMN_IDS.map((id) => {
          const by = id === 'ca' && !dense ? null : COLUMNS[id].order;
          const on = by !== null && by === order;
          const down = on && reverse !== FROM_THE_TOP.has(by);
          return (
            <div
              key={id}
              role="columnheader"
              className={`dc-${id} dc-hc`}
              {...(by !== null && {
                'aria-sort': on
                  ? down
                    ? ('descending' as const)
                    : ('ascending' as const)
                  : ('none' as const),
              })}
            >
              {by === null ? (
                <span className="dc-two">{heads[id]}</span>
              ) : (
                <button
                  type="button"
                  className="dc-sort dc-two"
                  data-tip={t.sortByColumn({ column: COLUMNS[id].label.toLowerCase() })}
                  {...(on && { 'data-on': down ? 'down' : 'up' })}
                  onClick={() => onSort(by, on ? !reverse : GREATEST_FIRST.has(by))}
                >
                  {heads[id]}
                </button>
              )}
              <i
                aria-hidden
                className="dc-grip"
                onPointerDown={(event) =>
                  drag(event, (width) =>
                    onColumns(
                      changedColumn(columns, id, {
                        width: Math.min(MAX_WIDTH, Math.max(COLUMNS[id].min, width)),
                      }),
                    ),
                  )
                }
              />
            </div>
          );
        })}
        <div role="columnheader" className="dc-rev">
          <Icon name="check" size={12} label={t.review} />
        </div>
      </div>
    </div>
  );
}

/**
 * Orders that start with the highest value, and those that start descending because the highest
 * value is of interest.
 */
const FROM_THE_TOP: ReadonlySet<Order> = new Set(['worst', 'newest']);
const GREATEST_FIRST: ReadonlySet<Order> = new Set(['duration', 'bytes', 'streak']);

/**
 * Follows the pointer until it is released. For keyboards, the column dialog also has the widths.
 */
function drag(event: PointerEvent<HTMLElement>, onWidth: (width: number) => void): void {
  const grip = event.currentTarget;
  const from = event.clientX;
  const wide = grip.parentElement?.getBoundingClientRect().width ?? 0;
  event.preventDefault();
  grip.setPointerCapture(event.pointerId);
  const move = (at: globalThis.PointerEvent): void => onWidth(Math.round(wide + at.clientX - from));
  grip.addEventListener('pointermove', move);
  grip.addEventListener('lostpointercapture', () => grip.removeEventListener('pointermove', move), {
    once: true,
  });
}
