import type { Segment } from '#workers/columns/segment.ts';
import type { ColumnStore } from '#workers/types.ts';

/**
 * A snapshot of the rows of a time range: segments, their rows and how often each has changed.
 * While it matches, derived results are still valid and the rows need not be walked again.
 */
export class Seen {
  readonly #fromSec: number;
  readonly #toSec: number;
  #known: readonly Rows[] | null = null;

  /** Seconds, `to` exclusive. */
  constructor(fromSec: number, toSec: number) {
    this.#fromSec = fromSec;
    this.#toSec = toSec;
  }

  /** Takes a new snapshot. Returns true if something has changed, and the first time. */
  changed(engine: Pick<ColumnStore, 'walk'>): boolean {
    const now: Rows[] = [];
    engine.walk(this.#fromSec, this.#toSec, (piece, from, to) => {
      now.push({ piece, edits: piece.edits, from, to });
    });
    const known = this.#known;
    this.#known = now;
    return known?.length !== now.length || now.some((one, i) => !same(one, known[i]));
  }

  /** Visits the last snapshot, newest first. */
  each(visit: (piece: Segment, from: number, to: number) => void): void {
    for (const { piece, from, to } of this.#known ?? []) visit(piece, from, to);
  }

  get isEmpty(): boolean {
    return (this.#known ?? []).length === 0;
  }
}

interface Rows {
  readonly piece: Segment;
  readonly edits: number;
  readonly from: number;
  readonly to: number;
}

const same = (a: Rows, b: Rows | undefined): boolean =>
  a.piece === b?.piece && a.edits === b.edits && a.from === b.from && a.to === b.to;
