/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events -- an ARIA grid instead of a table: only visible rows are rendered; use-keys.ts handles its keys */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { CSSProperties, MouseEvent } from 'react';
import type { Ms } from '#contract/ids.ts';
import type {
  RunGrouping,
  GroupHead,
  Order,
  RunsView,
  RunsWindow,
  RunView,
} from '#contract/runs/query.ts';
import { ColumnHead } from './column-head.tsx';
import { getLayout } from '../shared/runs/columns.ts';
import type { Column } from '../shared/runs/columns.ts';
import type { ListCursor } from './cursor.ts';
import { useIncrementalRender, useLate } from './incremental-render.ts';
import type { RenderableRow } from './incremental-render.ts';
import { GroupLine } from './group-line.tsx';
import { lineAt, rowsUnder } from './lines.ts';
import type { ListLine } from './lines.ts';
import { Card, placed, Row } from './row.tsx';
import type { SelectedRuns } from './selection.ts';
import { getGap, withPinned } from '../shared/grid/virtual-window.ts';
import { near, getWindow } from './window.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

export interface GridProps {
  readonly view: RunsView | undefined;
  readonly window: RunsWindow;
  readonly cards: boolean;
  readonly cursor: ListCursor | null;
  readonly selection: SelectedRuns;
  readonly open: number | null;
  readonly canAct: boolean;
  readonly me: string;
  readonly zone: string;
  readonly now: Ms;
  /** Identifies the list. When it changes, the grid scrolls to the top. */
  readonly listKey: string;
  readonly onWindow: (window: RunsWindow) => void;
  /** The mouse entered or left the rows. */
  readonly onPoint: (over: boolean) => void;
  readonly onPress: (what: Press, row: RunView, index: number, shift: boolean) => void;
  readonly onSelectAll: () => void;
  /** Number of rows that "select all" would select. */
  readonly matching: number;
  readonly group: RunGrouping | null;
  readonly onPressHead: (what: HeadPress, head: GroupHead, index: number) => void;
  readonly columns: readonly Column[];
  readonly dense: boolean;
  readonly order: Order;
  readonly reverse: boolean;
  readonly onSort: (order: Order, reverse: boolean) => void;
  readonly onColumns: (columns: readonly Column[]) => void;
}
export type Press = 'open' | 'select' | 'review' | 'undo';
export type HeadPress = 'fold' | 'select' | 'review';

export const ROW_PX = 36;
export const DENSE_PX = 28;
export const CARD_PX = 56;
const HEAD_PX = 36;
const ASK_LATER_MS = 40;
const WAITING = 20;

/** A virtualized list. It uses event delegation: rows have no handlers. */
export function Grid(props: GridProps) {
  'use no memo'; // the virtualizer mutates its state in place
  const {
    view,
    window: request,
    cards,
    cursor,
    selection,
    dense,
    onWindow,
    onPoint,
    onPress,
    onPressHead,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const total = view?.lines ?? 0;
  const head = cards ? 0 : HEAD_PX;
  const rowPx = cards ? CARD_PX : dense ? DENSE_PX : ROW_PX;
  const layout = getLayout(props.columns, dense);
  // eslint-disable-next-line react/incompatible-library -- React Compiler skips this component
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 6,
    scrollMargin: head,
    scrollPaddingStart: head,
    useFlushSync: false,
    rangeExtractor: (range) => withPinned(range, cursor?.index ?? null),
  });
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [props.listKey]);
  useEffect(() => {
    virtual.measure();
  }, [rowPx, virtual]);
  useEffect(() => () => onPoint(false), [onPoint]); // removed rows no longer receive mouse events
  // Sets the layout from script: a container query would lay out all rows several times during each
  // style recalculation.
  useLayoutEffect(() => {
    const seen = new ResizeObserver(([list]) => {
      if (list) scroller.current?.style.setProperty('--dc-seen', `${list.contentRect.width}px`);
    });
    if (scroller.current) seen.observe(scroller.current);
    return () => seen.disconnect();
  }, []);

  const { startIndex, endIndex } = virtual.range ?? { startIndex: 0, endIndex: 0 };
  const wanted = getWindow(startIndex, endIndex, total);
  const { first, count } = wanted;
  useEffect(() => {
    const next = { first, count };
    if (near(request, next)) return onWindow(next);
    // a jump: wait until the scrolling rests
    const timer = setTimeout(() => onWindow(next), ASK_LATER_MS);
    return () => clearTimeout(timer);
  }, [first, count, request, onWindow]);

  const step = cursor?.step ?? 0;
  const at = cursor?.index ?? -1;
  const items = virtual.getVirtualItems();
  const apart = getGap(items.map(({ index }) => index));
  const lead = items.find(({ index }) => index !== apart);
  const known = items.flatMap(({ index }): RenderableRow[] => {
    const line = lineAt(view, index);
    return line
      ? [
          {
            index,
            key: getKey(line),
            seen: index >= startIndex && index <= endIndex,
            cursor: index === at,
          },
        ]
      : [];
  });
  const drawn = useIncrementalRender(known);
  const late = useLate(view === undefined || known.length < items.length);

  // Moves the focus to the cursor after scrolling.
  useEffect(() => {
    if (step === 0 || at < 0) return;
    virtual.scrollToIndex(at, { align: 'auto' });
    scroller.current
      ?.querySelector<HTMLElement>(`[data-index="${at}"]`)
      ?.focus({ preventScroll: true });
  }, [step, at, virtual]);
  // If the cursor jumped before its row was rendered, the placeholder has the focus.
  const here = drawn.places.has(at);
  useEffect(() => {
    if (step > 0 && here && document.activeElement === document.body)
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${at}"]`)
        ?.focus({ preventScroll: true });
  }, [step, at, here]);

  const press = (event: MouseEvent): void => {
    const under = event.target instanceof Element ? event.target : null;
    const index = Number(under?.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
    const line = lineAt(view, index);
    const details = under?.closest<HTMLElement>('[data-do]')?.dataset['do'];
    if (!line) return;
    if (line.kind === 'head')
      return onPressHead((details ?? 'fold') as HeadPress, line.head, index);
    const what = (details ?? 'open') as Press;
    return onPress(
      what === 'open' && event.shiftKey && props.canAct ? 'select' : what,
      line.row,
      index,
      event.shiftKey,
    );
  };
  const One = cards ? Card : Row;
  const tabbed = cursor?.index ?? 0;
  // While days are still loading, "no good run" is not certain yet.
  const coming = view !== undefined && view.loaded.days < view.loaded.of;
  return (
    <div
      ref={scroller}
      className="dc-scroll"
      role="grid"
      tabIndex={-1}
      aria-label={t.results}
      aria-multiselectable={props.canAct}
      aria-rowcount={total + 1}
      aria-colcount={cards ? 4 : COLUMN_COUNT - layout.hidden.length}
      aria-busy={view === undefined}
      onClick={press}
      onMouseDown={(event) => {
        if (event.shiftKey) event.preventDefault();
      }}
      onPointerMove={({ pointerType }) => {
        if (pointerType === 'mouse') onPoint(true);
      }}
      onPointerLeave={() => onPoint(false)}
    >
      <div
        className={coming ? 'dc-inner [&_.dc-last>span]:invisible' : 'dc-inner'}
        role="presentation"
        {...(cards ? { 'data-cards': '' } : { 'data-hidden': layout.hidden.join(' ') })}
        {...(dense && !cards && { 'data-dense': '' })}
        data-stuck={[...layout.stuck.keys()].join(' ')}
        style={
          {
            '--dc-columns': layout.columns,
            '--dc-areas': layout.areas,
            '--dc-min': `${layout.min}px`,
            ...getStickyOffsets(layout.stuck),
          } as CSSProperties
        }
      >
        <ColumnHead
          cards={cards}
          canAct={props.canAct}
          selection={selection}
          total={props.matching}
          zone={props.zone}
          now={props.now}
          order={props.order}
          reverse={props.reverse}
          dense={dense}
          columns={props.columns}
          onSelectAll={props.onSelectAll}
          onSort={props.onSort}
          onColumns={props.onColumns}
        />
        <div
          role="rowgroup"
          className="relative"
          style={{ height: virtual.getTotalSize(), paddingTop: lead ? lead.start - head : 0 }}
        >
          {view === undefined &&
            Array.from({ length: WAITING }, (_, i) => (
              <PlaceholderRow key={i} index={i} apart={null} cards={cards} late={late} />
            ))}
          {items.map(({ index, start }) => {
            const line = lineAt(view, index);
            const top = index === apart ? start - head : null;
            if (!line || !drawn.places.has(index))
              return (
                <PlaceholderRow
                  key={`at ${index}`}
                  index={index}
                  apart={top}
                  cards={cards}
                  late={late && !line}
                />
              );
            if (line.kind === 'head') {
              return (
                <GroupLine
                  key={getKey(line)}
                  head={line.head}
                  group={props.group ?? 'cause'}
                  index={index}
                  apart={top}
                  cards={cards}
                  cursor={cursor?.index === index}
                  tabbed={index === tabbed}
                  chosen={getGroupSelection(
                    selection,
                    line.head,
                    view ? rowsUnder(view, line.head) : [],
                  )}
                  canAct={props.canAct}
                />
              );
            }
            const { row } = line;
            return (
              <One
                key={getKey(line)}
                row={row}
                index={index}
                apart={top}
                selected={selection.runs.has(row.n)}
                cursor={cursor?.index === index}
                tabbed={index === tabbed}
                open={props.open === row.n}
                canAct={props.canAct}
                me={props.me}
                zone={props.zone}
                now={props.now}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Select, cause, columns and review. */
const COLUMN_COUNT = 14;

const getKey = (line: ListLine): number | string =>
  line.kind === 'head' ? `head/${line.head.key}` : line.row.n;

const getStickyOffsets = (stuck: ReadonlyMap<string, number>): Readonly<Record<string, string>> =>
  Object.fromEntries([...stuck].map(([id, left]) => [`--dc-left-${id}`, `${left}px`]));

/**
 * Returns how much of a group is selected among its visible rows. A group selected as a whole is
 * known by its key.
 */
function getGroupSelection(
  { runs, groups }: SelectedRuns,
  { key, rows }: GroupHead,
  under: readonly RunView[],
): 'none' | 'some' | 'all' {
  if (groups.has(key)) return 'all';
  const count = under.filter(({ n }) => runs.has(n)).length;
  return count === 0 ? 'none' : count === rows ? 'all' : 'some';
}

/** Placeholder row: blank at first, with bars if `late`. */
export function PlaceholderRow({
  index,
  apart,
  cards,
  late,
}: {
  readonly index: number;
  readonly apart: number | null;
  readonly cards: boolean;
  readonly late: boolean;
}) {
  const wide = (share: number): { readonly width: string } => ({
    width: `${share - ((index * 13) % 29)}%`,
  });
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={-1}
      className={`dc-row dc-bars ${cards ? 'dc-card' : 'dc-line'}`}
      style={placed(apart)}
    >
      <span role="gridcell" className="sr-only">
        {t.loading}
      </span>
      {late &&
        (cards ? (
          <>
            <i style={{ width: 16, justifySelf: 'center' }} />
            <i style={wide(80)} />
            <i style={wide(90)} />
            <i style={{ width: 18, justifySelf: 'center' }} />
          </>
        ) : (
          <>
            <i className="dc-st" style={{ ...wide(90), gridRow: '1/3' }} />
            <i className="dc-co" style={{ ...wide(80), gridRow: '1/3' }} />
            <i className="dc-job" style={{ ...wide(75), gridRow: '1/3' }} />
            <i className="dc-days" style={{ ...wide(96), gridRow: '1/3' }} />
            <i className="dc-at" style={{ ...wide(85), gridRow: '1/3', marginLeft: 8 }} />
          </>
        ))}
    </div>
  );
}
