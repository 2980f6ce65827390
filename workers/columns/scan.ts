import { DIM } from './kinds.ts';
import type { Segment } from './segment.ts';

/**
 * A filter as tables: which dimensions a row fails, by its kind, its company and its problem. A row that fails none is in the list and
 * counts in every facet; one that fails a single dimension counts in the facet of that dimension alone (COL-3); the rest count nowhere.
 */
export interface Masks { readonly kind: Uint8Array; readonly company: Uint8Array; readonly problem: Uint8Array }

/** What else decides, and counts in no facet: tables by job and row. Null where neither job, text nor "newest of each job" is asked. */
export interface Gate {
  /** 0: the job is not wanted. Bit 1: the text is in the job's names. */
  readonly job: Uint8Array;
  /** Bit 1: the text is in the company's name. */
  readonly company: Uint8Array;
  /** Bit 1: the text is in the message. By row of the piece. */
  readonly row: Uint8Array;
  /** Jobs met already, where only the newest run of each counts. */
  readonly met: Uint8Array | null;
}
export const WANTED = 1, HIT = 2;

export interface Counts {
  /** By kind; one stretch of 2^16 for rows that fail nothing, and one for each of the kind's dimensions failed alone. */
  readonly kind: Uint32Array;
  readonly company: Uint32Array;
  /** By review byte. */
  readonly review: Uint32Array;
  /** By cause, rows that fail nothing; rows that fail `causes` alone; by kind of problem, rows that fail `kinds` alone. */
  readonly cause: Uint32Array;
  readonly causeAlone: Uint32Array;
  readonly problemKindAlone: Uint32Array;
}

export interface Problem { readonly review: Uint8Array; readonly cause: Uint32Array; readonly kinds: Uint8Array }

/** One pass over rows [from, to) of a piece: adds to the counts and writes `base + row` of those in the list to `places`; answers how many stand there now. */
export function scan(
  { cols }: Segment, from: number, to: number, base: number, masks: Masks, gate: Gate | null, problems: Problem, counts: Counts,
  places: Uint32Array, already: number,
): number {
  const { kind, company, problem, job } = cols;
  const { kind: kindMask, company: companyMask, problem: problemMask } = masks;
  const { review, cause, kinds } = problems;
  const { kind: byKind, company: byCompany, review: byReview, cause: byCause, causeAlone, problemKindAlone } = counts;
  let count = already;
  for (let row = from; row < to; row++) {
    const c = company[row] ?? 0;
    if (gate !== null) {
      const j = job[row] ?? 0;
      if (gate.met !== null) {
        if (gate.met[j] !== 0) continue;
        gate.met[j] = 1;
      }
      const wanted = gate.job[j] ?? 0;
      if (wanted === 0 || ((wanted | (gate.company[c] ?? 0) | (gate.row[row] ?? 0)) & HIT) === 0) continue;
    }
    const k = kind[row] ?? 0, p = problem[row] ?? 0;
    const mask = (kindMask[k] ?? 0) | (companyMask[c] ?? 0) | (problemMask[p] ?? 0);
    if (mask === 0) {
      places[count] = base + row;
      count += 1;
      byKind[k] = (byKind[k] ?? 0) + 1;
      byCompany[c] = (byCompany[c] ?? 0) + 1;
      if (p !== 0) {
        const r = review[p] ?? 0, a = cause[p] ?? 0;
        byReview[r] = (byReview[r] ?? 0) + 1;
        byCause[a] = (byCause[a] ?? 0) + 1;
      }
    } else if ((mask & (mask - 1)) === 0) {
      if (mask < DIM.companies) byKind[(mask << 16) | k] = (byKind[(mask << 16) | k] ?? 0) + 1;
      else if (mask === DIM.companies) byCompany[c] = (byCompany[c] ?? 0) + 1;
      else if (mask === DIM.review) { const r = review[p] ?? 0; byReview[r] = (byReview[r] ?? 0) + 1; }
      else if (mask === DIM.causes) { const a = cause[p] ?? 0; causeAlone[a] = (causeAlone[a] ?? 0) + 1; }
      else { const a = kinds[cause[p] ?? 0] ?? 0; problemKindAlone[a] = (problemKindAlone[a] ?? 0) + 1; }
    }
  }
  return count;
}
