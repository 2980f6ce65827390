import type { WorkerClient, Watch, WatchName, Watches } from '#workers/api.ts';

/**
 * One watch of the worker as an external store. Opened with its first listener, closed after its
 * last; the last value stays readable.
 */
export interface LiveQuery<N extends WatchName> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly now: () => Watches[N]['output'] | undefined;
  /** Another question; nothing happens where it is the same. */
  readonly ask: (input: Watches[N]['input']) => void;
}

/** `onFault` hears of a watch that could not be opened: a bug, never an expected failure. */
export function createLiveQuery<N extends WatchName>(
  door: () => WorkerClient,
  name: N,
  first: Watches[N]['input'],
  onFault: (fault: unknown) => void,
): LiveQuery<N> {
  const listeners = new Set<() => void>();
  let input = first;
  let value: Watches[N]['output'] | undefined;
  /** Counts the openings: what an earlier one still delivers is not ours any more. */
  let turn = 0;
  let watch: Watch<N> | null = null;

  async function open(): Promise<void> {
    turn += 1;
    const mine = turn;
    const sentInput = input;
    const opened = await door().watch(name, sentInput, (next) => {
      if (mine !== turn) return;
      value = next;
      listeners.forEach((listener) => listener());
    });
    if (mine !== turn) {
      opened.close();
      return;
    }
    watch = opened;
    if (!same(sentInput, input)) opened.change(input);
  }

  function close(): void {
    turn += 1;
    watch?.close();
    watch = null;
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) open().catch(onFault);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) close();
      };
    },
    now: () => value,
    ask(next) {
      if (same(input, next)) return;
      input = next;
      watch?.change(next);
    },
  };
}

/** The input of a watch is small plain data. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);
