import type { Waiting } from '#contract/engine/sessions.ts';

/** What requests that run side by side wait for at the moment. */
export interface Waits {
  /** Null: none waits. */
  current(): Waiting | null;
  /** For a `SourceCall`: each wait begins with a `Waiting` and ends with null. */
  readonly onWaiting: (waiting: Waiting | null) => void;
}

/** Follows waits of several requests: shows the one that ends last until none is left. */
export function followWaits(onChange: (waiting: Waiting | null) => void): Waits {
  let count = 0;
  let latest: Waiting | null = null;
  return {
    current: () => latest,
    onWaiting(waiting) {
      count = Math.max(0, count + (waiting === null ? -1 : 1));
      if (count === 0) latest = null;
      else if (waiting !== null && waiting.until > (latest?.until ?? 0)) latest = waiting;
      onChange(latest);
    },
  };
}
