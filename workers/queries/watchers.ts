import type { Watches, WatchName } from '../api.ts';
import type { WorkerClock } from '../context.ts';

/**
 * One watch of the page. `make` returns its current value; a value with the same text as the last
 * one is not sent again.
 */
export interface Watching<N extends WatchName> {
  readonly make: (input: Watches[N]['input']) => Watches[N]['output'];
  readonly hold?: () => void;
}

interface Open {
  mark(): void;
  hold(): void;
  close(): void;
}

/**
 * At most one update per frame and watch, and none before the page has processed the last (so that
 * a slow page is not flooded).
 */
export const FRAME_MS = 16;

export class Watchers {
  readonly #clock: WorkerClock;
  readonly #open = new Set<Open>();

  constructor(clock: WorkerClock) {
    this.#clock = clock;
  }

  add<N extends WatchName>(
    watching: Watching<N>,
    first: Watches[N]['input'],
    onChange: (value: Watches[N]['output']) => unknown,
  ): { change(input: Watches[N]['input']): void; close(): void } {
    let input = first;
    let dirty = false;
    let busy = false;
    let closed = false;
    let off: (() => void) | null = null;
    let last: string | null = null;
    const give = async (): Promise<void> => {
      off = null;
      if (closed || busy || !dirty) return;
      dirty = false;
      const value = watching.make(input);
      const text = JSON.stringify(value);
      if (text === last) return;
      last = text;
      busy = true;
      try {
        await onChange(value);
      } catch {
        close(); // the page that asked is closed
      } finally {
        busy = false;
      }
      if (dirty && !closed) off ??= this.#clock.after(FRAME_MS, () => void give());
    };
    const open: Open = {
      mark: () => {
        dirty = true;
        if (!busy && !closed) off ??= this.#clock.after(FRAME_MS, () => void give());
      },
      hold: () => watching.hold?.(),
      close: () => close(),
    };
    const close = (): void => {
      closed = true;
      off?.();
      this.#open.delete(open);
    };
    this.#open.add(open);
    dirty = true;
    void give();
    return {
      change: (next) => {
        input = next;
        dirty = true;
        last = null; // even if the answer is the same: the page waits for one
        off?.(); // another query is answered at once
        void give();
      },
      close,
    };
  }

  /** A user is about to change something: lists keep their rows. */
  hold(): void {
    for (const open of this.#open) open.hold();
  }
  /** Something may have changed. */
  mark(): void {
    for (const open of this.#open) open.mark();
  }
  get size(): number {
    return this.#open.size;
  }
}
