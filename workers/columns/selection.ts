import type { RunsFacets, RunsFilter, RunsWindow } from '#contract/runs/query.ts';
import type { GroupCounts, RunLines, RunSelection } from '#workers/types.ts';
import type { Groups } from './group-heads.ts';
import type { RunKey, Segment } from './segment.ts';
import { keyAt } from './segment.ts';

/** Positions in order; or all from one position on, which are not written. */
export type Places = Uint32Array | { readonly first: number; readonly length: number };

/**
 * The runs of a list, in order, as positions in the segments that it was made from. The keys of a
 * segment never change, so a selection names the same runs whatever the store does. Changed values
 * are looked up when read.
 */
export class Picked implements RunSelection {
  readonly total: number;
  readonly facets: RunsFacets;
  readonly filter: RunsFilter;
  private readonly pieces: readonly Segment[];
  private readonly bases: readonly number[];
  private readonly places: Places;
  private readonly groups: Groups | null;

  constructor(
    filter: RunsFilter,
    facets: RunsFacets,
    pieces: readonly Segment[],
    bases: readonly number[],
    places: Places,
    groups: Groups | null = null,
  ) {
    this.filter = filter;
    this.facets = facets;
    this.pieces = pieces;
    this.bases = bases;
    this.places = places;
    this.groups = groups;
    this.total = places.length;
  }

  /** The same filter without its review: how many rows need a review, and how many are reviewed. */
  get progress(): { readonly cleared: number; readonly of: number } {
    const count = (state: string): number =>
      this.facets.review.find(({ value }) => value === state)?.count ?? 0;
    const cleared = count('snoozed') + count('cleared');
    return { cleared, of: cleared + count('pending') };
  }

  lines(window: RunsWindow, folded: readonly (number | string)[]): RunLines {
    const { count, heads, rows } = this.groups?.lines(window, folded) ?? {
      count: this.total,
      heads: [],
      rows: [
        {
          first: Math.max(0, window.first),
          last: Math.min(this.total, Math.max(0, window.first) + window.count),
        },
      ],
    };
    const places = rows.flatMap(({ first, last }) =>
      Array.from({ length: Math.max(0, last - first) }, (_, i) => this.placeOf(first + i)),
    );
    return {
      count,
      heads,
      rows: new Picked(this.filter, this.facets, this.pieces, this.bases, Uint32Array.from(places)),
    };
  }

  counts(key: number | string): GroupCounts | null {
    return this.groups?.counts(key) ?? null;
  }

  ids(): Uint32Array {
    const ids = new Uint32Array(this.total);
    let piece = 0;
    for (let i = 0; i < ids.length; i++) {
      const place = this.placeOf(i);
      if (place < (this.bases[piece] ?? 0) || place >= (this.bases[piece + 1] ?? Infinity))
        piece = this.pieceOf(place);
      ids[i] = this.pieces[piece]?.cols.n[place - (this.bases[piece] ?? 0)] ?? 0;
    }
    return ids;
  }

  keys(first: number, count: number): RunKey[] {
    const from = Math.max(0, first);
    const to = Math.min(this.total, from + Math.max(0, count));
    return Array.from({ length: Math.max(0, to - from) }, (_, i) => {
      const place = this.placeOf(from + i);
      const at = this.pieceOf(place);
      const piece = this.pieces[at];
      return piece ? keyAt(piece, place - (this.bases[at] ?? 0)) : { startSec: 0, n: 0 };
    });
  }

  private placeOf(i: number): number {
    return this.places instanceof Uint32Array ? (this.places[i] ?? 0) : this.places.first + i;
  }

  private pieceOf(place: number): number {
    let low = 0;
    let high = this.bases.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((this.bases[mid] ?? 0) <= place) low = mid;
      else high = mid - 1;
    }
    return low;
  }
}
