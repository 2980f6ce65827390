import { managedCode, sourceCode, typeCode } from '#contract/runs/columns.ts';
import { REVIEW_STATES, RUN_STATES } from '#contract/runs/query.ts';
import type { Facet, RunsFacets } from '#contract/runs/query.ts';
import { JOB_TYPES, PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';
import type { Counts } from './counts.ts';
import { DIM, RANK } from './kinds.ts';
import { REVIEWS } from './problems.ts';
import { aloneAt } from './scan.ts';

export interface Words {
  readonly companyName: (n: number) => string;
  readonly template: (n: number) => string;
}

/**
 * Returns counts as facets. Values of fixed lists come in the order of the list, including those
 * with none; companies and causes only if they have any, most first, then by number. `matched`:
 * rows in the list; rows without a problem don't count in the counts by review. `more`: rows that
 * the list would gain if anomalies counted as problems.
 */
export function getFacets(
  counts: Counts,
  matched: number,
  used: readonly number[],
  causeKinds: Uint8Array,
  words: Words,
  more: { readonly anomalies: number; readonly others: number },
): RunsFacets {
  const { kind, company, review, cause, reviewAlone, kindAlone, causeAlone } = counts;
  const byKind = <T>(
    values: readonly T[],
    code: (kind: number) => number,
    dim: number,
  ): Facet<T>[] => {
    const sums = new Uint32Array(256);
    const alone = aloneAt(dim);
    for (const k of used)
      sums[code(k)] = (sums[code(k)] ?? 0) + (kind[k] ?? 0) + (kind[alone | k] ?? 0);
    return values.map((value, i) => ({ value, count: sums[i] ?? 0 }));
  };
  const anomalies = used.reduce((sum, k) => sum + (RANK[k] === ANOMALY ? (kind[k] ?? 0) : 0), 0);
  const problemKinds = kindAlone.slice();
  const causes = causeAlone.slice();
  let withProblem = 0;
  for (let n = 0; n < cause.length; n++) {
    const count = cause[n] ?? 0;
    const k = causeKinds[n] ?? 0;
    if (count === 0) continue;
    problemKinds[k] = (problemKinds[k] ?? 0) + count;
    causes[n] = (causes[n] ?? 0) + count;
    withProblem += count;
  }
  causes[0] = 0;
  return {
    review: REVIEW_STATES.map((value) => {
      const code = REVIEWS.indexOf(value);
      return {
        value,
        count:
          (review[code] ?? 0) + (reviewAlone[code] ?? 0) + (code === 0 ? matched - withProblem : 0),
      };
    }),
    states: byKind(RUN_STATES, (k) => RANK[k] ?? 0, DIM.states),
    kinds: PROBLEM_KINDS.map((value, i) => ({ value, count: problemKinds[i + 1] ?? 0 })),
    companies: mostFirst(company, (value, count) => ({
      value,
      count,
      name: words.companyName(value),
    })),
    sources: byKind(SOURCES, sourceCode, DIM.sources),
    types: byKind(JOB_TYPES, typeCode, DIM.types),
    managed: byKind([null, false, true], managedCode, DIM.managed).toReversed(),
    anomaly: [
      { value: true, count: anomalies + more.anomalies },
      { value: false, count: matched - anomalies + more.others },
    ],
    causes: mostFirst(causes, (value, count) => ({
      value,
      count,
      template: words.template(value),
    })),
  };
}

/** The rank of an anomaly. */
export const ANOMALY = RUN_STATES.indexOf('Anomaly');

/** Sorts numbers, not objects: `count · span + (span - 1 - value)`, exact below 2^53. */
function mostFirst<F>(counts: Uint32Array, facet: (value: number, count: number) => F): F[] {
  const span = counts.length;
  const keys = new Float64Array(span);
  let found = 0;
  for (let value = 0; value < span; value++) {
    const count = counts[value] ?? 0;
    if (count > 0) keys[found++] = count * span + (span - 1 - value);
  }
  const sorted = keys.subarray(0, found).sort();
  const facets: F[] = [];
  for (let i = found - 1; i >= 0; i--) {
    const key = sorted[i] ?? 0;
    const count = Math.floor(key / span); // division and floor are faster than the remainder
    facets.push(facet(span - 1 - (key - count * span), count));
  }
  return facets;
}
