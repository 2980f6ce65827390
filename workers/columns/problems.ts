import type { CauseN, Ms, ProblemN } from '#contract/ids.ts';
import { PROBLEM_KINDS } from '#contract/runs/vocabulary.ts';
import type { ReviewState } from '#contract/runs/query.ts';
import { isCleared } from '#contract/runs/review.ts';
import type { CauseRow, ProblemRow } from '#contract/runs/rows.ts';

/** Review states as bytes. A run without a problem, or with an unknown one, has 0. */
export const REVIEWS: readonly ReviewState[] = ['none', 'pending', 'snoozed', 'cleared'];
const [NONE, PENDING, SNOOZED, CLEARED] = [0, 1, 2, 3] as const;
/** Kinds of causes as bytes: 0 for no cause, else the index in `PROBLEM_KINDS` plus one. */
const OTHER = PROBLEM_KINDS.indexOf('other') + 1;

const UNKNOWN = { review: null } as const;

/**
 * Byte tables over problem numbers, from three sources: rows put, rows laid over them, and the time
 * (a snooze ends without an event).
 */
export class Problems {
  readonly rows = new Map<ProblemN, ProblemRow>();
  over: ReadonlyMap<ProblemN, ProblemRow> = new Map();
  /** By cause number: its kind of problem. An unknown cause is of kind `other`; 0 is no cause. */
  kinds = new Uint8Array([0]);
  private review = new Uint8Array(1);
  private cause = new Uint32Array(1);
  private anomaly = new Uint8Array(1);
  private readonly snoozed = new Map<ProblemN, Ms>();
  /** `review` is correct for any time in [from, to) with regard to snoozes. */
  private from = Infinity;
  /** No known problem has a lower number. */
  private min = Infinity;
  private to = -Infinity;

  at(n: ProblemN): ProblemRow | undefined {
    return this.over.get(n) ?? this.rows.get(n);
  }

  put(row: ProblemRow): void {
    this.rows.set(row.n, row);
    this.tell(row.n);
  }

  putCause(row: CauseRow): void {
    this.reachCause(row.n);
    this.kinds[row.n] = PROBLEM_KINDS.indexOf(row.kind) + 1;
  }

  overlay(over: ReadonlyMap<ProblemN, ProblemRow>): void {
    const before = this.over;
    this.over = new Map(over);
    for (const n of before.keys()) this.tell(n);
    for (const n of over.keys()) this.tell(n);
  }

  /**
   * Returns tables as of `now`, at least up to `max`. With `anomalies` false, anomalies don't
   * count as problems.
   */
  tables(
    now: Ms,
    anomalies: boolean,
    max: ProblemN,
  ): { readonly review: Uint8Array; readonly cause: Uint32Array; readonly min: ProblemN } {
    this.reach(max);
    this.wake(now);
    if (anomalies) return { review: this.review, cause: this.cause, min: this.min };
    const review = this.review.slice();
    const cause = this.cause.slice();
    for (let n = 0; n < review.length; n++) {
      if (this.anomaly[n] === 1) {
        review[n] = NONE;
        cause[n] = 0;
      }
    }
    return { review, cause, min: this.min };
  }

  /** Whether problems need the same review at both times, as long as no row changes. */
  isAsAt(a: Ms, b: Ms): boolean {
    this.wake(a);
    return this.from <= b && b < this.to;
  }

  pending(now: Ms): ProblemRow[] {
    this.wake(now);
    const found: ProblemRow[] = [];
    for (let n = this.review.indexOf(PENDING); n >= 0; n = this.review.indexOf(PENDING, n + 1)) {
      const row = this.at(n);
      if (row) found.push(row);
    }
    return found;
  }

  clear(): void {
    this.rows.clear();
    this.over = new Map();
    this.snoozed.clear();
    for (const table of [this.review, this.cause, this.anomaly]) table.fill(0);
    this.kinds = new Uint8Array([0]);
  }

  private tell(n: ProblemN): void {
    this.reach(n);
    if (n < this.min) this.min = n;
    const row = this.at(n);
    this.snoozed.delete(n);
    this.review[n] = !row
      ? NONE
      : isCleared(row)
        ? CLEARED
        : row.closedAt === null
          ? PENDING
          : NONE; // as if not snoozed
    this.cause[n] = row?.cause ?? 0;
    this.anomaly[n] = row?.state === 'Anomaly' ? 1 : 0;
    if (!row) return;
    this.reachCause(row.cause);
    if (row.closedAt !== null || row.snooze === null) return;
    this.snoozed.set(n, row.snooze.until);
    this.from = Infinity;
  }

  private wake(now: Ms): void {
    if (this.from <= now && now < this.to) return;
    this.from = -Infinity;
    this.to = Infinity;
    for (const [n, until] of this.snoozed) {
      const asleep = until > now;
      this.review[n] = asleep ? SNOOZED : isCleared(this.at(n) ?? UNKNOWN) ? CLEARED : PENDING;
      if (asleep) this.to = Math.min(this.to, until);
      else this.from = Math.max(this.from, until);
    }
  }

  private reach(max: ProblemN): void {
    if (max < this.review.length) return;
    const length = Math.max(max + 1, this.review.length * 2);
    this.review = grow(new Uint8Array(length), this.review);
    this.cause = grow(new Uint32Array(length), this.cause);
    this.anomaly = grow(new Uint8Array(length), this.anomaly);
  }

  private reachCause(max: CauseN): void {
    if (max < this.kinds.length) return;
    const next = new Uint8Array(Math.max(max + 1, this.kinds.length * 2)).fill(OTHER);
    next.set(this.kinds);
    this.kinds = next;
  }
}

function grow<A extends Uint8Array | Uint32Array>(next: A, before: A): A {
  next.set(before);
  return next;
}
