import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs a limited number of tasks at once, with a limited queue. `null`: the queue is full, try
 * later.
 */
export interface Queue {
  run<T>(work: () => Promise<T>): Promise<T> | null;
  readonly running: number;
  readonly waiting: number;
}

/**
 * A slot in the queue, as seen by the work that holds it. `away`: how many parts of the work wait
 * for an external service.
 */
interface Place {
  away: number;
  isTaken: boolean;
  over: boolean;
  readonly leave: () => void;
  readonly take: () => Promise<void>;
}
const places = new AsyncLocalStorage<Place>();

/** `shared`: `releaseSlotDuring` releases the slots of this queue. */
export function makeQueue(atOnce: number, maxWaiting: number, shared = false): Queue {
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
  // The slot passes directly to the next in line, so that nobody can slip in between.
  const leave = (): void => {
    const next = back.shift() ?? waiting.shift();
    if (next) next();
    else running -= 1;
  };
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    await take(waiting);
    const place: Place = { away: 0, isTaken: true, over: false, leave, take: () => take(back) };
    try {
      return await (shared ? places.run(place, work) : work());
    } finally {
      place.over = true;
      if (place.isTaken) leave();
    }
  };
  return {
    run: (work) => (running >= atOnce && waiting.length >= maxWaiting ? null : enter(work)),
    get running() {
      return running;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** A queue per name, removed when empty. `null`: that queue is full. */
interface Lines {
  run<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> | null;
  readonly size: number;
}

export function makeQueues(maxWaiting: number): Lines {
  const lines = new Map<string, Queue>();
  return {
    run(name, atOnce, work) {
      const line = lines.get(name) ?? makeQueue(atOnce, maxWaiting);
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
 * HTTP-17: releases the caller's slot while `work` waits for an external service, which may take
 * arbitrarily long, and takes the next free slot afterwards, ahead of new work. Without a slot, or
 * if the call is already over, it just runs `work`.
 */
export async function releaseSlotDuring<T>(work: () => Promise<T>): Promise<T> {
  const place = places.getStore();
  if (place === undefined || place.over) return work();
  place.away += 1;
  if (place.isTaken) {
    place.isTaken = false;
    place.leave();
  }
  try {
    return await work();
  } finally {
    place.away -= 1;
    if (place.away === 0) await comeBack(place);
  }
}

/**
 * If several parts wait at once, only the last to finish takes a slot. A call that has ended needs
 * none.
 */
async function comeBack(place: Place): Promise<void> {
  if (place.over) return;
  await place.take();
  const now: Readonly<Place> = place;
  if (now.over || now.isTaken || now.away > 0) place.leave();
  else place.isTaken = true;
}
