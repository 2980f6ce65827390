import { useEffect, useReducer, useState } from 'react';

/** What was rendered last: row keys, and the list positions that showed a row. */
export interface RenderedRows {
  readonly keys: ReadonlySet<number | string>;
  readonly places: ReadonlySet<number>;
}
/** A row that can be rendered. `seen`: visible, not only near the viewport. */
export interface RenderableRow {
  readonly index: number;
  readonly key: number | string;
  readonly seen: boolean;
  readonly cursor: boolean;
}

/**
 * New rows per frame: about a third of what a slow machine renders in one frame, so that scrolling
 * stays smooth.
 */
export const MAX_NEW_ROWS = 12;
export const NO_ROWS: RenderedRows = { keys: new Set(), places: new Set() };
const LATE_MS = 100;

/**
 * Returns the rows to render now. Rendered rows stay; a visible position switches to its new row at
 * once and is never blank in between. Of the new rows, up to `room` are rendered: the cursor's
 * first, then visible ones, then near ones.
 */
export function getRowsToRender(
  lines: readonly RenderableRow[],
  before: RenderedRows,
  room = MAX_NEW_ROWS,
): RenderedRows {
  const keys = new Set<number | string>();
  const places = new Set<number>();
  const put = ({ index, key }: RenderableRow): void => {
    keys.add(key);
    places.add(index);
  };
  let left = room;
  const waiting: RenderableRow[] = [];
  for (const line of lines) {
    if (before.keys.has(line.key)) put(line);
    else if (line.cursor || (line.seen && before.places.has(line.index))) {
      put(line);
      left -= 1;
    } else waiting.push(line);
  }
  for (const line of [
    ...waiting.filter(({ seen }) => seen),
    ...waiting.filter(({ seen }) => !seen),
  ].slice(0, Math.max(0, left)))
    put(line);
  return { keys, places };
}

/**
 * Renders a list over several frames. Returns the rows of this frame, and renders again while rows
 * are missing.
 */
export function useIncrementalRender(lines: readonly RenderableRow[]): RenderedRows {
  'use no memo'; // the previous result is mutated in place
  const [last] = useState(remembered);
  const again = useReducer((times: number) => times + 1, 0)[1];
  const rendered = getRowsToRender(lines, last.rendered(), last.room());
  useEffect(() => last.put(rendered, rendered.keys.size < lines.length ? again : null));
  return rendered;
}

/**
 * The last rendered rows, and the remaining room before the next frame, because a busy page renders
 * several times per frame.
 */
function remembered(): {
  readonly rendered: () => RenderedRows;
  readonly room: () => number;
  readonly put: (rendered: RenderedRows, more: (() => void) | null) => void;
} {
  let last = NO_ROWS;
  let room = MAX_NEW_ROWS;
  let frame = 0;
  let then: (() => void) | null = null;
  const next = (): void => {
    frame = 0;
    room = MAX_NEW_ROWS;
    then?.();
  };
  return {
    rendered: () => last,
    room: () => room,
    put(rendered, more) {
      for (const key of rendered.keys) if (!last.keys.has(key)) room -= 1;
      last = rendered;
      then = more;
      if (room < MAX_NEW_ROWS && frame === 0) frame = requestAnimationFrame(next);
    },
  };
}

/** Returns true once something has been missing for 100 ms. Faster loads need no placeholders. */
export function useLate(missing: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(missing), missing ? LATE_MS : 0);
    return () => clearTimeout(timer);
  }, [missing]);
  return late && missing;
}
