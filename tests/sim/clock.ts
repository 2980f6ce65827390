import type { WorkerClock } from '#workers/context.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

/** Time that passes only when it is told to. */
export class TestClock implements WorkerClock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  readonly #settled: () => Promise<void>;

  /** `settled`: what else must come to rest before time goes on. */
  constructor(start = Date.UTC(2026, 5, 15, 6), settled: () => Promise<void> = () => settle()) {
    this.#now = start;
    this.#settled = settled;
  }

  /** Whole milliseconds, as a real clock tells them. */
  now(): number {
    return Math.floor(this.#now);
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, work };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /**
   * Lets `ms` pass: each timer at its time, and everything that follows from it before the next.
   */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    await this.#settled();
    for (let due = this.#due(until); due; due = this.#due(until)) {
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.work();
      await this.#settled();
    }
    this.#now = until;
  }

  #due(until: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (
        timer.at <= until &&
        (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
      )
        first = timer;
    }
    return first;
  }
}

/** The clock of one device: the same time passes on it, but it shows another. */
export class SkewedClock implements WorkerClock {
  readonly #true: TestClock;
  /** How far it is ahead, in ms; negative if it is behind. */
  skew: number;

  constructor(clock: TestClock, skew: number) {
    this.#true = clock;
    this.skew = skew;
  }

  now(): number {
    return this.#true.now() + this.skew;
  }

  after(ms: number, work: () => void): () => void {
    return this.#true.after(ms, work);
  }
}

/** Until everything that needs no time has happened. */
export async function settle(turns = 4): Promise<void> {
  for (let i = 0; i < turns; i++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}
