import { DIM, RANK } from './kinds.ts';
import { ANOMALY } from './facets.ts';
import type { Segment } from './segment.ts';
import { getPieceSums } from './sums.ts';

/**
 * How many more (or, below 0, fewer) rows the list would have if anomalies counted as problems:
 * anomalies and others. Only rows with a problem can differ. `without`: what a problem fails under
 * the current filter, `counted`: what it fails if anomalies count.
 */
export class AnomaliesCounted {
  more = { anomalies: 0, others: 0 };
  private readonly without: Uint8Array;
  private readonly counted: Uint8Array;

  constructor(without: Uint8Array, counted: Uint8Array) {
    this.without = without;
    this.counted = counted;
  }

  /** Counts rows [from, to) of a segment by what they fail. */
  count(piece: Segment, from: number, to: number, fails: Uint8Array | null): void {
    const { problem, kind } = piece.cols;
    for (const row of getPieceSums(piece).problemRows) {
      const one = problem[row] ?? 0;
      const fail = fails?.[row] ?? 0;
      const turns = (this.counted[one] === 0 ? 1 : 0) - (this.without[one] === 0 ? 1 : 0);
      if (turns === 0 || row < from || row >= to || (fail & NOT_OF_PROBLEM) !== 0) continue;
      if (RANK[kind[row] ?? 0] === ANOMALY) this.more.anomalies += turns;
      else this.more.others += turns;
    }
  }
}
const NOT_OF_PROBLEM = DIM.states | DIM.sources | DIM.types | DIM.managed | DIM.companies;
