import { AsyncLocalStorage } from 'node:async_hooks';

/** A bounded number of things at once, and a bounded number that wait. `null`: full, try later. */
export interface Queue {
  run<T>(work: () => Promise<T>): Promise<T> | null;
  readonly running: number;
  readonly waiting: number;
}

/**
 * A place in line as what works in it knows it. `away`: how many of its parts wait for somebody
 * outside.
 */
interface Place {
  away: number;
  held: boolean;
  over: boolean;
  readonly leave: () => void;
  readonly take: () => Promise<void>;
}
const places = new AsyncLocalStorage<Place>();

/** `shared`: its places are the ones that `aside` gives up. */
export function makeQueue(atOnce: number, mostWaiting: number, shared = false): Queue {
  let running = 0;
  const waiting: (() => void)[] = [];
  const back: (() => void)[] = [];
  const take = async (line: (() => void)[]): Promise<void> => {
    if (running >= atOnce)
      await new Promise<void>((resolve) => {
        line.push(resolve);
      });
    else running += 1;
  };
  // The place passes straight to the next in line, so nobody can slip in between.
  const leave = (): void => {
    const next = back.shift() ?? waiting.shift();
    if (next) next();
    else running -= 1;
  };
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    await take(waiting);
    const place: Place = { away: 0, held: true, over: false, leave, take: () => take(back) };
    try {
      return await (shared ? places.run(place, work) : work());
    } finally {
      place.over = true;
      if (place.held) leave();
    }
  };
  return {
    run: (work) => (running >= atOnce && waiting.length >= mostWaiting ? null : enter(work)),
    get running() {
      return running;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** A queue for each name, kept while somebody is in it. `null`: that one is full. */
interface Lines {
  run<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> | null;
  readonly size: number;
}

export function makeQueues(mostWaiting: number): Lines {
  const lines = new Map<string, Queue>();
  return {
    run(name, atOnce, work) {
      const line = lines.get(name) ?? makeQueue(atOnce, mostWaiting);
      lines.set(name, line);
      return (
        line.run(work)?.finally(() => {
          if (line.running === 0 && line.waiting === 0) lines.delete(name);
        }) ?? null
      );
    },
    get size() {
      return lines.size;
    },
  };
}

/**
 * HTTP-17: gives the place of whoever asks up while `work` waits for somebody outside, who may take
 * as long as it likes, and takes the next free one after it, before those that have had none yet.
 * Where there is no place, or the work it was for is over, it is simply done.
 */
export async function releaseSlotDuring<T>(work: () => Promise<T>): Promise<T> {
  const place = places.getStore();
  if (place === undefined || place.over) return work();
  place.away += 1;
  if (place.held) {
    place.held = false;
    place.leave();
  }
  try {
    return await work();
  } finally {
    place.away -= 1;
    if (place.away === 0) await comeBack(place);
  }
}

/** Of parts that wait side by side the last one comes back; what ended meanwhile needs no place. */
async function comeBack(place: Place): Promise<void> {
  if (place.over) return;
  await place.take();
  const now: Readonly<Place> = place;
  if (now.over || now.held || now.away > 0) place.leave();
  else place.held = true;
}
