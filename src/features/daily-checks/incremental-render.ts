import { useEffect, useReducer, useState } from 'react';

/** What was rendered last: row keys, and the list positions that showed a row. */
export interface DrawnRows {
  readonly keys: ReadonlySet<number | string>;
  readonly places: ReadonlySet<number>;
}
/** A row that can be rendered. `seen`: visible, not only near the viewport. */
export interface Drawable {
  readonly index: number;
  readonly key: number | string;
  readonly seen: boolean;
  readonly cursor: boolean;
}

/**
 * New rows per frame: about a third of what a slow machine renders in one frame, so that scrolling
 * stays smooth.
 */
export const ANEW = 12;
export const NOTHING_DRAWN: DrawnRows = { keys: new Set(), places: new Set() };
const LATE_MS = 100;

/**
 * Returns the rows to render now. Rendered rows stay; a visible position switches to its new row at
 * once and is never blank in between. Of the new rows, up to `room` are rendered: the cursor's
 * first, then visible ones, then near ones.
 */
export function getDrawn(lines: readonly Drawable[], before: DrawnRows, room = ANEW): DrawnRows {
  const keys = new Set<number | string>();
  const places = new Set<number>();
  const put = ({ index, key }: Drawable): void => {
    keys.add(key);
    places.add(index);
  };
  let left = room;
  const waiting: Drawable[] = [];
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
export function useIncrementalRender(lines: readonly Drawable[]): DrawnRows {
  'use no memo'; // the previous result is mutated in place
  const [last] = useState(remembered);
  const again = useReducer((times: number) => times + 1, 0)[1];
  const drawn = getDrawn(lines, last.drawn(), last.room());
  useEffect(() => last.put(drawn, drawn.keys.size < lines.length ? again : null));
  return drawn;
}

/**
 * The last rendered rows, and the remaining room before the next frame, because a busy page renders
 * several times per frame.
 */
function remembered(): {
  readonly drawn: () => DrawnRows;
  readonly room: () => number;
  readonly put: (drawn: DrawnRows, more: (() => void) | null) => void;
} {
  let last = NOTHING_DRAWN;
  let room = ANEW;
  let frame = 0;
  let then: (() => void) | null = null;
  const next = (): void => {
    frame = 0;
    room = ANEW;
    then?.();
  };
  return {
    drawn: () => last,
    room: () => room,
    put(drawn, more) {
      for (const key of drawn.keys) if (!last.keys.has(key)) room -= 1;
      last = drawn;
      then = more;
      if (room < ANEW && frame === 0) frame = requestAnimationFrame(next);
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
