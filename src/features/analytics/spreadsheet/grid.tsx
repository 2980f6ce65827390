/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid instead of a table: only visible rows and days are rendered */
import { Fragment, memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent } from 'react';
import type { CalendarCell } from '#contract/calendar/calendar.ts';
import { Icon } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';
import { moveGridCursor, within } from '../../shared/grid/cursor.ts';
import type { GridCursor } from '../../shared/grid/cursor.ts';
import { SkippedColumns } from '../../shared/grid/skipped-columns.tsx';
import { withSkipped } from '../../shared/grid/virtual-window.ts';
import type { IndexRange } from '../../shared/grid/virtual-window.ts';
import { useGridColumns, useGridRows } from '../../shared/grid/use-grid-window.ts';
import { shareOrDash } from '../../calendar/labels.ts';
import { weekdayName } from '../../calendar/steps.ts';
import { dayWords } from '../../shared/date-range/day-range.ts';
import type { SheetHead, SheetLine } from './sheet.ts';
import { spreadsheetMessages as t } from './messages.en.ts';

export interface GridProps {
  readonly heads: readonly SheetHead[];
  readonly total: number;
  readonly lineAt: (index: number) => SheetLine | undefined;
  readonly by: 'job' | 'company';
  readonly touch: boolean;
  /** Identifies the displayed days. When it changes, the grid scrolls to the newest day. */
  readonly daysKey: string;
  readonly onLines: (lines: IndexRange) => void;
  /** Null if the user may not see results. */
  readonly onOpen: ((line: SheetLine, day: string) => void) | null;
}

const HEAD_PX = 40;
const COL = 96;

/**
 * A grid of rows and days; both axes are virtualized, headers and names are sticky. Arrow keys move
 * between cells, Enter opens the results of a cell.
 */
export function Grid({ heads, total, lineAt, by, touch, daysKey, onLines, onOpen }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<GridCursor | null>(null);
  const row = touch ? 44 : 32;
  const left = touch ? 148 : 388;
  const here =
    cursor && total > 0 && heads.length > 0
      ? within(cursor, { lines: total, days: heads.length })
      : null;
  const active = here?.line ?? null;
  const rows = useGridRows({ scroller, total, size: row, sticky: HEAD_PX, active });
  const columns = useGridColumns({
    scroller,
    total: heads.length,
    size: COL,
    sticky: left,
    active: here?.day ?? null,
  });
  const { first, count } = rows.stretch;
  const sized = rows.height > 0;
  const today = heads.findIndex((head) => head.today);
  const start = today < 0 ? heads.length - 1 : today;
  useEffect(() => {
    if (count > 0) onLines({ first, count });
  }, [first, count, onLines]);
  // Scrolls the newest day to the right edge.
  useLayoutEffect(() => {
    if (sized && heads.length > 0) columns.scrollTo(start, 'end');
    // oxlint-disable-next-line react/exhaustive-deps -- runs only when the days change: otherwise it would reset the user's scroll position
  }, [daysKey, heads.length, sized, touch]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey) return;
    const page = Math.max(1, Math.floor((rows.height - HEAD_PX) / row) - 1);
    const next = moveGridCursor(cursor, event.key, event.ctrlKey || event.metaKey, {
      lines: total,
      days: heads.length,
      page,
      start,
    });
    if (next) {
      event.preventDefault();
      setCursor(next);
      rows.scrollTo(next.line);
      if (next.day >= 0) columns.scrollTo(next.day);
    } else if (cursor && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      open(cursor);
    }
  };
  const open = ({ line, day }: GridCursor): void => {
    const at = lineAt(line);
    const head = heads[day];
    if (at && head && head.status !== 'ahead') onOpen?.(at, head.day);
  };
  const shown = withSkipped(columns.indexes).flatMap(({ index, skipped }): ShownDay[] => {
    const head = heads[index];
    return head ? [{ day: index, skipped, head }] : [];
  });
  const style: CSSProperties & Record<'--left' | '--row', string> = {
    '--left': `${left}px`,
    '--row': `${row}px`,
  };
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={by === 'job' ? t.daysOfJobs : t.daysOfCompanies}
      aria-rowcount={total + 1}
      aria-colcount={heads.length + (touch ? 1 : 3)}
      {...(here && { 'aria-activedescendant': cellId(here.line, here.day) })}
      className="sht-scroll"
      style={style}
      onKeyDown={onKey}
      onClick={(event) => {
        const under = event.target instanceof Element ? event.target : null;
        const line = under?.closest<HTMLElement>('[data-line]')?.dataset['line'];
        const day = under?.closest<HTMLElement>('[data-day]')?.dataset['day'];
        if (line === undefined || day === undefined) return;
        setCursor({ line: Number(line), day: Number(day) });
        open({ line: Number(line), day: Number(day) });
      }}
    >
      <div
        className="relative"
        style={{ width: left + heads.length * COL, height: HEAD_PX + total * row }}
      >
        <div role="row" aria-rowindex={1} className="sht-head">
          <span className="sht-left" role="presentation">
            <span role="columnheader" aria-colindex={1} className="sht-name">
              {by === 'job' ? t.job : t.company}
            </span>
            {!touch && (
              <span role="columnheader" aria-colindex={2} className="sht-second">
                {by === 'job' ? t.company : t.jobs}
              </span>
            )}
            {!touch && (
              <span role="columnheader" aria-colindex={3} className="sht-share">
                {t.goodDays}
              </span>
            )}
          </span>
          {shown.map(({ day, skipped, head }) => (
            <Fragment key={head.day}>
              <SkippedColumns count={skipped} width={`${COL}px`} />
              <span
                role="columnheader"
                aria-colindex={day + (touch ? 2 : 4)}
                className="sht-day"
                {...(head.today && { 'data-today': '' })}
              >
                <b>{dayWords(head.day)}</b>
                <span>
                  {head.today
                    ? t.todayOf({ weekday: weekdayName(head.day, 'short') })
                    : weekdayName(head.day, 'short')}
                </span>
              </span>
            </Fragment>
          ))}
        </div>
        {rows.indexes.map((index) => {
          const line = lineAt(index);
          const top = HEAD_PX + index * row;
          const day = here?.line === index ? here.day : null;
          return line ? (
            <Row
              key={line.key}
              line={line}
              index={index}
              top={top}
              shown={shown}
              touch={touch}
              canOpen={onOpen !== null}
              cursor={day}
            />
          ) : (
            <div
              key={`at ${index}`}
              role="row"
              aria-rowindex={index + 2}
              className="sht-row"
              style={{ top }}
            >
              <span
                role="rowheader"
                className="sht-left"
                {...(day !== null && { id: cellId(index, day) })}
              >
                <i aria-hidden className="ml-4 h-2 w-40 rounded-[2px] bg-hair" />
                <span className="sr-only">{t.loading}</span>
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** A rendered day, and how many before it are not rendered. */
interface ShownDay {
  readonly day: number;
  readonly skipped: number;
  readonly head: SheetHead;
}

const cellId = (line: number, day: number): string => `sht-${line}-${day}`;

interface RowProps {
  readonly line: SheetLine;
  readonly index: number;
  readonly top: number;
  readonly shown: readonly ShownDay[];
  readonly touch: boolean;
  readonly canOpen: boolean;
  /** Index of the active day, -1 for the name, null if the active cell is in another row. */
  readonly cursor: number | null;
}

const Row = memo(
  function Row({ line, index, top, shown, touch, canOpen, cursor }: RowProps) {
    const name = line.name ?? line.companyName;
    const second = line.name === null ? line.detail : line.companyName;
    const detail = line.name === null ? '' : line.detail;
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        data-line={index}
        className="sht-row"
        style={{ top }}
      >
        <span className="sht-left" role="presentation">
          <span
            role="rowheader"
            aria-colindex={1}
            id={cellId(index, -1)}
            className="sht-name"
            data-tip={detail === '' ? name : `${name}, ${detail}`}
            {...(cursor === -1 && { 'data-cursor': '' })}
          >
            <span className="block min-w-0 truncate">{name}</span>
            {touch && (
              <span className="block truncate text-agate text-ink-3">
                {second === '' ? '' : `${second}, `}
                {shareOrDash(line.share)}
              </span>
            )}
          </span>
          {!touch && (
            <span role="gridcell" aria-colindex={2} className="sht-second" data-tip={second}>
              {second}
            </span>
          )}
          {!touch && (
            <span role="gridcell" aria-colindex={3} className="sht-share">
              {shareOrDash(line.share)}
            </span>
          )}
        </span>
        {shown.map(({ day, skipped, head }) => (
          <Fragment key={head.day}>
            <SkippedColumns count={skipped} width={`${COL}px`} />
            <span
              role="gridcell"
              id={cellId(index, day)}
              data-day={day}
              aria-colindex={day + (touch ? 2 : 4)}
              className="sht-cell"
              {...(canOpen && head.status !== 'ahead' && { 'data-opens': '' })}
              {...(head.weekend && { 'data-weekend': '' })}
              {...(cursor === day && { 'data-cursor': '' })}
            >
              <Cell cell={line.cells[day] ?? null} head={head} />
            </span>
          </Fragment>
        ))}
      </div>
    );
  },
  (a, b) =>
    a.index === b.index &&
    a.top === b.top &&
    a.touch === b.touch &&
    a.cursor === b.cursor &&
    a.canOpen === b.canOpen &&
    a.shown.length === b.shown.length &&
    a.shown.every(({ head }, i) => {
      const other = b.shown[i]?.head;
      return head.day === other?.day && head.status === other.status;
    }) &&
    (a.line === b.line || JSON.stringify(a.line) === JSON.stringify(b.line)),
);

const STATUS_TEXTS = {
  here: t.cellNotDue,
  loading: t.cellLoading,
  away: t.cellAway,
  part: t.cellPartial,
  ahead: '',
} as const;

/** Shows a state as icon, word and color. Other values are muted text. */
function Cell({ cell, head }: { readonly cell: CalendarCell; readonly head: SheetHead }) {
  if (cell === null || cell === 'off') {
    const words =
      cell === 'off'
        ? t.cellDisabled
        : head.today && head.status === 'here'
          ? t.cellNothingYet
          : STATUS_TEXTS[head.status];
    return (
      <span className="truncate text-agate text-ink-3" {...(words !== '' && { 'data-tip': words })}>
        {words}
      </span>
    );
  }
  const { label, icon, text } = STATES[cell];
  return (
    <span className={`inline-flex min-w-0 items-center gap-1 text-agate ${text}`}>
      <Icon name={icon} size={12} />
      <span className="truncate" data-tip={label}>
        {label}
      </span>
    </span>
  );
}
