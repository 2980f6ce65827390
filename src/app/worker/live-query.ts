import type { WorkerClient, Watch, WatchName, Watches } from '#workers/api.ts';

/**
 * A watch of the worker as an external store. It opens with the first listener and closes after the
 * last; the last value stays readable for the same user.
 */
export interface LiveQuery<N extends WatchName> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly now: () => Watches[N]['output'] | undefined;
  /** Changes the input. Does nothing if it is the same. */
  readonly ask: (input: Watches[N]['input']) => void;
}

/**
 * Creates a live query. `onError` is called if the watch cannot be opened, which is a bug and never
 * an expected failure. `getOwner`: for whom values are, compared with `===`.
 */
export function createLiveQuery<N extends WatchName>(
  client: () => WorkerClient,
  name: N,
  first: Watches[N]['input'],
  onError: (error: unknown) => void,
  getOwner: () => unknown = () => undefined,
): LiveQuery<N> {
  const listeners = new Set<() => void>();
  let input = first;
  let value: Watches[N]['output'] | undefined;
  let owner: unknown;
  /** Number of the current subscription; values from an earlier one are ignored. */
  let turn = 0;
  let watch: Watch<N> | null = null;

  async function open(): Promise<void> {
    turn += 1;
    const mine = turn;
    const sentInput = input;
    const opened = await client().watch(name, sentInput, (next) => {
      if (mine !== turn) return;
      value = next;
      owner = getOwner();
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
      // Nobody has followed it for a while: the value may be another user's.
      if (listeners.size === 0 && owner !== getOwner()) value = undefined;
      listeners.add(listener);
      if (listeners.size === 1) open().catch(onError);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) close();
      };
    },
    now: () => (listeners.size === 0 && owner !== getOwner() ? undefined : value),
    ask(next) {
      if (same(input, next)) return;
      input = next;
      watch?.change(next);
    },
  };
}

/** Compares by JSON: inputs of watches are small plain data. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);
