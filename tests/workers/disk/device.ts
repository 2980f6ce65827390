import type { Day } from '#contract/ids.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import { getUtcDay, startOfUtcDay } from '#workers/disk/manifest.ts';
import type { Disk } from '#workers/types.ts';
import { SMALL_TABLES } from '#workers/tables.ts';
import type { SmallRow } from '#workers/tables.ts';
import { DAYS, fresh, page, patch, problem, run, type ShownRows } from './sample.ts';

/**
 * A server's truth and what a device must show of it, told plainly: of a day that is here the
 * truth, of another what was changed since the beginning. Every step is done to the disk first and
 * counts only if the disk said so.
 */
export class Device {
  disk: Disk;
  #truth = new Map<number, LeanRun>();
  #rows = new Map<number, SmallRow>();
  #changed = new Set<number>();
  #here = new Set<Day>();
  #cursor = 10;
  #version = 0;
  #since = 0;
  #old = new Map<Day, LeanRun[]>();

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** The same after closing and opening. */
  on(disk: Disk): this {
    this.disk = disk;
    return this;
  }

  async begin(perDay: number): Promise<void> {
    const truth = new Map<number, LeanRun>();
    for (const [i, day] of DAYS.entries())
      for (let at = 0; at < perDay; at++)
        truth.set(1 + i * 1000 + at, run(1 + i * 1000 + at, startOfUtcDay(day) + at * 40));
    const rows = new Map<number, SmallRow>([1, 2, 1024, 5000].map((n) => [n, problem(n)]));
    await this.disk.begin({ ...fresh(), rows: { problem: [...rows.values()] } as object });
    this.#truth = truth;
    this.#rows = rows;
    this.#changed = new Set();
    this.#here = new Set();
    this.#cursor = 10;
    this.#since = 0;
    this.#old = new Map(DAYS.map((day) => [day, this.#of(day)]));
  }

  /**
   * The page of a day that is not here may be as old as the beginning; that of one that is here was
   * fetched now.
   */
  async addDay(day: Day, stale: boolean): Promise<void> {
    const runs = stale && !this.#here.has(day) ? (this.#old.get(day) ?? []) : this.#of(day);
    const half = Math.ceil(runs.length / 2);
    const sorted = runs.toSorted((a, b) => b.startSec - a.startSec);
    await this.disk.addDays([
      {
        day,
        pages: half > 1 ? [page(sorted.slice(0, half)), page(sorted.slice(half))] : [page(runs)],
      },
    ]);
    this.#here.add(day);
  }

  /** `count` patches: each changes a run that there is, adds one, and touches two rows. */
  async change(count: number, seed: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const version = this.#version + 1;
      const pick = (seed + i * 31) % (this.#truth.size + 1);
      const day = DAYS[(seed + i) % DAYS.length] ?? '';
      const before = [...this.#truth.values()][pick];
      const runs = [
        run(10_000 + version, startOfUtcDay(day) + ((seed * 7 + i) % 80_000), version),
        ...(before ? [run(before.n, before.startSec, version)] : []),
      ];
      const rows = [
        problem(1 + ((seed + i) % 3000), version),
        problem(1 + (((seed + i) * 5) % 3000), version),
      ];
      await this.disk.append(patch(this.#cursor + 1, runs, { problem: rows }), version);
      this.#version = version;
      this.#cursor += 1;
      for (const one of runs) {
        this.#truth.set(one.n, one);
        this.#changed.add(one.n);
      }
      for (const one of rows) this.#rows.set(one.n, one);
    }
  }

  async forget(day: Day): Promise<void> {
    await this.disk.forget(startOfUtcDay(day));
    this.#since = Math.max(this.#since, startOfUtcDay(day));
  }

  /**
   * What was forgotten may still lie in a segment that reaches into the window: it is looked at by
   * nobody.
   */
  seen(shown: ShownRows): ShownRows {
    return {
      ...shown,
      runs: Object.fromEntries(
        Object.entries(shown.runs).filter(([, one]) => one.startSec >= this.#since),
      ),
    };
  }

  expected(): ShownRows {
    const runs = [...this.#truth.values()].filter(
      (one) => this.#here.has(getUtcDay(one.startSec)) || this.#changed.has(one.n),
    );
    return this.seen({
      cursor: this.#cursor,
      rows: {
        ...Object.fromEntries(SMALL_TABLES.map((table) => [table, {}])),
        problem: Object.fromEntries(this.#rows),
      },
      runs: Object.fromEntries(runs.map((one) => [String(one.n), one])),
    });
  }

  #of(day: Day): LeanRun[] {
    return [...this.#truth.values()].filter((one) => getUtcDay(one.startSec) === day);
  }
}
