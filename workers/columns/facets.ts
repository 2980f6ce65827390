import { REVIEW_STATES, RUN_STATES } from '#contract/monitoring/query.ts';
import type { Facet, RunsFacets } from '#contract/monitoring/query.ts';
import { JOB_TYPES, PROBLEM_KINDS, SOURCES } from '#contract/monitoring/words.ts';
import { DIM, managedOf, sourceOf, stateOf, typeOf } from './kinds.ts';
import { REVIEWS } from './problems.ts';
import type { Counts } from './scan.ts';

export interface Told {
  /** Kinds that occur, and kind of problem by cause. */
  readonly kinds: readonly number[];
  readonly causeKinds: Uint8Array;
  readonly companyName: (n: number) => string;
  readonly template: (n: number) => string;
}

/**
 * Counts as facets. Values of closed lists stand in the order of the list, also those with none; companies and causes only where there
 * is one, the most first, then by number. `matched`: rows in the list; those without a problem are not in the counts by review.
 */
export function facetsOf(counts: Counts, matched: number, told: Told): RunsFacets {
  const { kind, company, review, cause, causeAlone, problemKindAlone } = counts;
  const byKind = <T>(values: readonly T[], of: (kind: number) => T, dim: number): Facet<T>[] => {
    const sums = new Map<T, number>();
    for (const k of told.kinds) {
      const count = (kind[k] ?? 0) + (kind[(dim << 16) | k] ?? 0);
      if (count > 0) sums.set(of(k), (sums.get(of(k)) ?? 0) + count);
    }
    return values.map((value) => ({ value, count: sums.get(value) ?? 0 }));
  };
  const problemKinds = problemKindAlone.slice();
  let withProblem = 0;
  cause.forEach((count, n) => {
    const k = told.causeKinds[n] ?? 0;
    problemKinds[k] = (problemKinds[k] ?? 0) + count;
    withProblem += count;
  });
  const causes = cause.map((count, n) => count + (causeAlone[n] ?? 0));
  causes[0] = 0;
  return {
    review: REVIEW_STATES.map((value) => {
      const code = REVIEWS.indexOf(value);
      return { value, count: (review[code] ?? 0) + (code === 0 ? matched - withProblem : 0) };
    }),
    states: byKind(RUN_STATES, stateOf, DIM.states),
    kinds: PROBLEM_KINDS.map((value, i) => ({ value, count: problemKinds[i + 1] ?? 0 })),
    companies: mostFirst(company).map((facet) => ({ ...facet, name: told.companyName(facet.value) })),
    sources: byKind(SOURCES, sourceOf, DIM.sources),
    types: byKind(JOB_TYPES, typeOf, DIM.types),
    managed: byKind([true, false, null], managedOf, DIM.managed),
    causes: mostFirst(causes).map((facet) => ({ ...facet, template: told.template(facet.value) })),
  };
}

function mostFirst(counts: Uint32Array): Facet<number>[] {
  const found: Facet<number>[] = [];
  counts.forEach((count, value) => { if (count > 0) found.push({ value, count }); });
  return found.sort((a, b) => b.count - a.count || a.value - b.value);
}
