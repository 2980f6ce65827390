/** A bounded number of things at once, and a bounded number that wait. `null`: full, try later. */
export interface Queue {
  run<T>(work: () => Promise<T>): Promise<T> | null;
  readonly running: number;
  readonly waiting: number;
}

export function makeQueue(atOnce: number, mostWaiting: number): Queue {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => { waiting.push(resolve); });
    else running += 1;
    try {
      return await work();
    } finally {
      // The place passes straight to the next in line, so nobody can slip in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return {
    run: (work) => (running >= atOnce && waiting.length >= mostWaiting ? null : enter(work)),
    get running() { return running; },
    get waiting() { return waiting.length; },
  };
}
