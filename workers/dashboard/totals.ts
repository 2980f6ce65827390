import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { ColumnStore } from '#workers/types.ts';
import type { DayWindow } from '../periods/days.ts';
import { getSeconds } from '../periods/days.ts';
import { Seen } from '../periods/segments-seen.ts';
import { addSums, copyJobSums, noJobSums, noSums, sumJobs, sumRows } from './tally.ts';
import type { JobSums, TallyScope, TallySums } from './tally.ts';

/**
 * A time stretch with the totals of its runs. `isStill`: included in the cached sums by job.
 * `rests`: how many times in a row it was unchanged.
 */
interface Stretch {
  readonly seen: Seen;
  sums: TallySums;
  isStill: boolean;
  rests: number;
}

/**
 * The totals of a query's runs, cached by time stretches: an unchanged stretch is not walked again.
 * The sums by job of all stable stretches are cached. Changing stretches are added each time, until
 * they have been stable for a while.
 */
export class Totals {
  readonly #scope: TallyScope;
  readonly #jobs: number;
  readonly #days: readonly Stretch[];
  readonly #before: readonly Stretch[];
  #still: JobSums | null = null;

  /** `spans`: operational days of [from, to). */
  constructor(scope: TallyScope, from: Ms, to: Ms, spans: readonly DayWindow[], jobs: number) {
    this.#scope = scope;
    this.#jobs = jobs;
    this.#days = spans.map((day) => stretch(Math.max(day.from, from), Math.min(day.to, to)));
    const first = from - (to - from);
    const step = Math.max(DAY_MS, Math.ceil((from - first) / MAX_STEPS));
    this.#before = Array.from({ length: Math.max(0, Math.ceil((from - first) / step)) }, (_, i) =>
      stretch(first + i * step, Math.min(from, first + (i + 1) * step)),
    );
  }

  refresh(engine: ColumnStore): {
    readonly days: readonly TallySums[];
    readonly before: TallySums;
    readonly jobs: JobSums;
  } {
    for (const one of this.#before) if (one.seen.changed(engine)) this.#sum(one);
    const moved = this.#days.filter((one) => one.seen.changed(engine));
    for (const one of moved) this.#sum(one);
    if (this.#still === null || moved.some(({ isStill }) => isStill)) {
      // At first, all stretches count as stable; later, those that changed are left out, so that
      // they can change again cheaply.
      const first = this.#still === null;
      const still = (this.#still = noJobSums(this.#jobs));
      for (const one of this.#days) {
        one.isStill = first || (one.isStill && !moved.includes(one));
        if (one.isStill) this.#sumJobs(one, still);
      }
    }
    for (const one of this.#days) {
      one.rests = moved.includes(one) ? 0 : one.rests + 1;
      if (one.isStill || one.rests < RESTED) continue;
      one.isStill = true;
      this.#sumJobs(one, this.#still);
    }
    const moving = this.#days.filter(({ isStill }) => !isStill);
    const jobs = moving.length === 0 ? this.#still : copyJobSums(this.#still);
    for (const one of moving) this.#sumJobs(one, jobs);
    return {
      days: this.#days.map(({ sums }) => sums),
      before: addSums(this.#before.map(({ sums }) => sums)),
      jobs,
    };
  }

  #sum(one: Stretch): void {
    const sums = (one.sums = noSums());
    one.seen.each((piece, from, to) => {
      sumRows(piece, from, to, this.#scope, sums);
    });
  }

  #sumJobs(one: Stretch, into: JobSums): void {
    one.seen.each((piece, from, to) => {
      sumJobs(piece, from, to, this.#scope, into);
    });
  }
}

const MAX_STEPS = 1_100;
const RESTED = 20;

const stretch = (from: Ms, to: Ms): Stretch => ({
  seen: new Seen(getSeconds(from), getSeconds(to)),
  sums: noSums(),
  isStill: false,
  rests: 0,
});
