import { useEffect, useReducer, useState } from 'react';

/**
 * What was drawn the last time: the lines by their keys, and the places of the list that showed
 * one.
 */
export interface Drawn {
  readonly keys: ReadonlySet<number | string>;
  readonly places: ReadonlySet<number>;
}
/** A line that could be drawn. `seen`: it can be seen, and is not only near. */
export interface Drawable {
  readonly index: number;
  readonly key: number | string;
  readonly seen: boolean;
  readonly cursor: boolean;
}

/**
 * Lines that one frame draws anew: about a third of what a frame of a slow machine has time for, so
 * that whatever is scrolled to stays fluid.
 */
export const ANEW = 12;
export const NONE: Drawn = { keys: new Set(), places: new Set() };
const LATE_MS = 100;

/**
 * Which lines are drawn this time. What is drawn stays; a place that is seen goes from line to line
 * at once, never blank in between; and of what comes into the list, as many as there is `room` for:
 * first where the cursor is, then what can be seen, then what is near.
 */
export function drawnOf(lines: readonly Drawable[], before: Drawn, room = ANEW): Drawn {
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
 * Draws a list frame by frame: answers what is drawn this time, and draws again while lines wait.
 */
export function useIncrementalRender(lines: readonly Drawable[]): Drawn {
  'use no memo'; // what was drawn the last time changes under the same name
  const [last] = useState(remembered);
  const again = useReducer((times: number) => times + 1, 0)[1];
  const drawn = drawnOf(lines, last.drawn(), last.room());
  useEffect(() => last.put(drawn, drawn.keys.size < lines.length ? again : null));
  return drawn;
}

/**
 * What was drawn the last time, and the room that is left before the next frame: a busy page
 * renders several times in one.
 */
function remembered(): {
  readonly drawn: () => Drawn;
  readonly room: () => number;
  readonly put: (drawn: Drawn, more: (() => void) | null) => void;
} {
  let last = NONE;
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

/** Says so once something has been missing for 100 ms: what is quick needs no bars. */
export function useLate(missing: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(missing), missing ? LATE_MS : 0);
    return () => clearTimeout(timer);
  }, [missing]);
  return late && missing;
}
