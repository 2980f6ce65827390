/* oxlint-disable jsx-a11y/prefer-tag-over-role -- an ARIA grid instead of a table: only visible rows and days are rendered */
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { CSSProperties, KeyboardEvent, PointerEvent, Ref } from 'react';
import type { CalendarLine, CalendarView } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { moveGridCursor, within } from '../shared/grid/cursor.ts';
import type { GridCursor } from '../shared/grid/cursor.ts';
import { CalendarHead } from './head.tsx';
import { cellId, CalendarRow, WaitingLine } from './line.tsx';
import { columnWidth } from '../shared/grid/virtual-window.ts';
import type { IndexRange } from '../shared/grid/virtual-window.ts';
import { useGridColumns, useGridRows } from '../shared/grid/use-grid-window.ts';
import { getDayStatus } from './labels.ts';
import { calendarMessages as t } from './messages.en.ts';

export interface GridProps {
  readonly view: CalendarView | undefined;
  readonly touch: boolean;
  readonly dayBegins: string | null;
  readonly now: Ms;
  /** Identifies the displayed days. When it changes, the grid scrolls to today. */
  readonly daysKey: string;
  /** The open cell, if it is in sight. */
  readonly open: GridCursor | null;
  readonly onLines: (lines: IndexRange) => void;
  /** Day -1: the row's name was clicked. */
  readonly onOpen: (line: CalendarLine, day: number) => void;
  /** The cell under the pointer or cursor; null for none. */
  readonly onPoint: (line: CalendarLine | null, day: number) => void;
  readonly ref: Ref<GridHandle>;
}
export interface GridHandle {
  focus(): void;
  cell(at: GridCursor): Element | null;
}

const HEAD_PX = 60;
const SKELETON = 24;
const NO_DAYS: CalendarView['days'] = [];

/** A grid of jobs and days. It uses event delegation: cells have no handlers. */
export function Grid({
  view,
  touch,
  dayBegins,
  now,
  daysKey,
  open,
  onLines,
  onOpen,
  onPoint,
  ref,
}: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const cross = useRef<HTMLElement>(null);
  const [cursor, setCursor] = useState<GridCursor | null>(null);
  const days = useSame(view?.days ?? NO_DAYS);
  const total = view?.total ?? 0;
  const row = touch ? 44 : 28;
  const here = cursor && total > 0 ? within(cursor, { lines: total, days: days.length }) : null;
  const active = here?.line ?? null;
  const rows = useGridRows({ scroller, total, size: row, sticky: HEAD_PX, active });
  const { width, height, indexes } = rows;
  const left = touch ? 132 : width >= 1580 ? 432 : 332;
  const col = columnWidth(width - left, days.length, touch);
  const columns = useGridColumns({
    scroller,
    total: days.length,
    size: col,
    sticky: left,
    active: here?.day ?? null,
  });
  const shown = useSame(columns.indexes);
  const { first, count } = rows.stretch;
  useEffect(() => {
    if (count > 0) onLines({ first, count });
  }, [first, count, onLines]);
  const standings = useSame(days.map((day) => getDayStatus(day, view?.keptFrom ?? null, now)));
  const today = days.findIndex((day) => day.today);
  const start = today < 0 ? days.length - 1 : today;

  const lineAt = (line: number): CalendarLine | undefined =>
    view && line >= view.first ? view.lines[line - view.first] : undefined;
  const point = (line: number, day: number): void => {
    const at = cross.current;
    if (at)
      at.style.cssText = day < 0 ? 'display:none' : `display:block;left:${left + day * col}px`;
    onPoint(lineAt(line) ?? null, day);
  };
  const go = (next: GridCursor): void => {
    setCursor(next);
    point(next.line, next.day);
    rows.scrollTo(next.line);
    if (next.day >= 0) columns.scrollTo(next.day);
  };
  const press = useEffectEvent((key: string, ctrl: boolean): boolean => {
    const page = Math.max(1, Math.floor((height - HEAD_PX) / row) - 1);
    const next = moveGridCursor(cursor, key, ctrl, {
      lines: total,
      days: days.length,
      page,
      start,
    });
    if (next) {
      go(next);
      return true;
    }
    const line = cursor && (key === 'Enter' || key === ' ') ? lineAt(cursor.line) : undefined;
    if (!line || !cursor) return false;
    onOpen(line, cursor.day);
    return true;
  });
  const onKey = (event: KeyboardEvent): void => {
    if (
      event.target === scroller.current &&
      !event.altKey &&
      press(event.key, event.ctrlKey || event.metaKey)
    )
      event.preventDefault();
  };
  // Arrow keys enter the grid if nothing else has the focus.
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      const idle = event.target instanceof Element && event.target.matches('body, #content');
      if (!idle || event.defaultPrevented || event.altKey || !event.key.startsWith('Arrow')) return;
      event.preventDefault();
      scroller.current?.focus({ preventScroll: true });
      press(event.key, event.ctrlKey || event.metaKey);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  // Scrolls today to the right edge.
  useLayoutEffect(() => {
    if (days.length > 0 && width > 0) columns.scrollTo(start, 'end');
    // oxlint-disable-next-line react/exhaustive-deps -- runs only when the days or cell sizes change: otherwise it would reset the user's scroll position
  }, [daysKey, days.length, width > 0, touch]);
  useLayoutEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [daysKey]);
  useImperativeHandle(
    ref,
    () => ({
      focus() {
        scroller.current?.focus({ preventScroll: true });
      },
      cell: ({ line, day }) => document.getElementById(cellId(line, day)),
    }),
    [],
  );

  const over = (event: PointerEvent): void => {
    const at = getCursorAt(event);
    point(at?.line ?? -1, at?.day ?? -1);
  };
  return (
    <div
      ref={scroller}
      className="cal-scroll"
      role="grid"
      tabIndex={0}
      aria-label={t.resultsByDay}
      aria-rowcount={total + 1}
      aria-colcount={days.length + (touch ? 1 : 3)}
      aria-busy={view === undefined}
      {...(here && { 'aria-activedescendant': cellId(here.line, here.day) })}
      {...(touch && { 'data-touch': '' })}
      onKeyDown={onKey}
      onPointerOver={over}
      onPointerLeave={() => point(-1, -1)}
      onClick={(event) => {
        const at = getCursorAt(event);
        const line = at && lineAt(at.line);
        if (!at || !line || at.day < -1) return;
        setCursor(at);
        onOpen(line, at.day);
      }}
      style={{ '--row': `${row}px`, '--col': `${col}px`, '--left': `${left}px` } as CSSProperties}
    >
      <div
        className="cal-inner"
        role="presentation"
        style={{
          width: Math.max(left + days.length * col, 0),
          minHeight: HEAD_PX + Math.max(total, 1) * row,
        }}
      >
        <div role="presentation" className="cal-tints">
          {days.map((day, i) => {
            const tint =
              standings[i] === 'here'
                ? day.today
                  ? 'today'
                  : day.weekend
                    ? 'weekend'
                    : null
                : (standings[i] ?? null);
            return tint === null ? null : (
              <i key={day.day} data-tint={tint} style={{ left: left + i * col }} />
            );
          })}
          {days.map(({ day }, i) =>
            i > 0 && day.endsWith('-01') ? (
              <i key={day} data-month style={{ left: left + i * col }} />
            ) : null,
          )}
        </div>
        <CalendarHead days={days} shown={shown} touch={touch} dayBegins={dayBegins} />
        <div role="rowgroup" className="cal-lines" style={{ height: total * row }}>
          {view === undefined &&
            Array.from({ length: SKELETON }, (_, i) => <WaitingLine key={i} index={i} row={row} />)}
          {indexes.map((index) => {
            const line = lineAt(index);
            const day = here?.line === index ? here.day : null;
            if (!line)
              return (
                <WaitingLine
                  key={`at ${index}`}
                  index={index}
                  row={row}
                  {...(day !== null && { id: cellId(index, day) })}
                />
              );
            return (
              <CalendarRow
                key={line.kind === 'job' ? `j${line.job}` : `c${line.company}`}
                line={line}
                index={index}
                top={index * row}
                days={days}
                statuses={standings}
                shown={shown}
                touch={touch}
                cursor={day}
                open={open?.line === index ? open.day : null}
              />
            );
          })}
        </div>
        <i ref={cross} aria-hidden className="cal-cross" />
      </div>
    </div>
  );
}

/** Returns the first of equal values, because each answer of the worker is a new object. */
function useSame<T>(value: T): T {
  const [stored, keep] = useState(value);
  if (stored === value || JSON.stringify(stored) === JSON.stringify(value)) return stored;
  keep(value);
  return value;
}

/** Returns the cell of an event; day -2: outside names and days. */
function getCursorAt(event: { readonly target: EventTarget }): GridCursor | null {
  const under = event.target instanceof Element ? event.target : null;
  const line = under?.closest<HTMLElement>('[data-line]')?.dataset['line'];
  return line === undefined
    ? null
    : {
        line: Number(line),
        day: Number(under?.closest<HTMLElement>('[data-day]')?.dataset['day'] ?? -2),
      };
}
