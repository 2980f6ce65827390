/** Gives the place up while `work` waits for somebody outside, and takes the next free one after it, before those that have had none yet. */
type Aside = <T>(work: () => Promise<T>) => Promise<T>;

/** A bounded number of things at once, and a bounded number that wait. `null`: full, try later. */
export interface Queue {
  run<T>(work: (aside: Aside) => Promise<T>): Promise<T> | null;
  readonly running: number;
  readonly waiting: number;
}

export function makeQueue(atOnce: number, mostWaiting: number): Queue {
  let running = 0;
  const waiting: (() => void)[] = [], back: (() => void)[] = [];
  const take = async (line: (() => void)[]): Promise<void> => {
    if (running >= atOnce) await new Promise<void>((resolve) => { line.push(resolve); });
    else running += 1;
  };
  // The place passes straight to the next in line, so nobody can slip in between.
  const leave = (): void => {
    const next = back.shift() ?? waiting.shift();
    if (next) next();
    else running -= 1;
  };
  const aside: Aside = async (work) => {
    leave();
    try {
      return await work();
    } finally {
      await take(back);
    }
  };
  const enter = async <T>(work: (aside: Aside) => Promise<T>): Promise<T> => {
    await take(waiting);
    try {
      return await work(aside);
    } finally {
      leave();
    }
  };
  return {
    run: (work) => (running >= atOnce && waiting.length >= mostWaiting ? null : enter(work)),
    get running() { return running; },
    get waiting() { return waiting.length; },
  };
}

/** The place that a request holds while it is worked on. */
const places = new WeakMap<Request, Aside>();
export const hold = (request: Request, aside: Aside): void => { places.set(request, aside); };
/** The same for who has a request alone; one without a place has none to give up. */
export const aside = <T>(request: Request, work: () => Promise<T>): Promise<T> => places.get(request)?.(work) ?? work();
