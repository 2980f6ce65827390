import { PROBLEM_KINDS } from '#contract/runs/vocabulary.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { DIM } from './kinds.ts';
import { REVIEWS } from './problems.ts';
import {
  aloneAt,
  countCompaniesAlone,
  countKindsAlone,
  countListed,
  countProblem,
  countProblemAlone,
  countProblemRows,
  countProblems,
  countProblemsAlone,
  KIND_STRETCHES,
} from './scan.ts';
import type { Masks, ProblemCounts, ProblemTables } from './scan.ts';
import type { Segment } from './segment.ts';
import { getPieceSums } from './sums.ts';
import type { RunSums } from './sums.ts';

/** What a pass over the rows counts, before it becomes facets. */
export interface Counts extends ProblemCounts {
  /** By kind, in stretches (scan.ts). */
  readonly kind: Uint32Array;
  readonly company: Uint32Array;
}

/** `kind` is large and reused: only the entries in `used` need clearing. */
export function noCounts(
  kind: Uint32Array,
  used: readonly number[],
  companies: number,
  causes: number,
): Counts {
  for (let stretch = 0; stretch < KIND_STRETCHES; stretch++)
    for (const k of used) kind[(stretch << 16) | k] = 0;
  return {
    kind,
    company: new Uint32Array(companies + 1),
    review: new Uint32Array(REVIEWS.length),
    cause: new Uint32Array(causes),
    reviewAlone: new Uint32Array(REVIEWS.length),
    kindAlone: new Uint32Array(PROBLEM_KINDS.length + 1),
    causeAlone: new Uint32Array(causes),
  };
}
export const kindCounts = (): Uint32Array => new Uint32Array(KIND_STRETCHES << 16);

/**
 * The only column that a filter restricts; `none` if it restricts no column, null if it restricts
 * more.
 */
export type CountedMasks = 'kind' | 'company' | 'problem' | 'none' | null;

export function toCountedMasks(masks: Masks | null): CountedMasks {
  if (masks === null) return 'none';
  const names = Object.entries(masks)
    .filter(([, mask]) => mask !== null)
    .map(([name]) => name);
  return names.length === 1 ? (ONE_COLUMN.find((name) => name === names[0]) ?? null) : null;
}
const ONE_COLUMN = ['kind', 'company', 'problem'] as const;

/**
 * Counts the rows in the list: those at indexes [first, last). `fails`: of all rows of the segment,
 * where written.
 */
export function countRows(
  piece: Segment,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  fails: Uint8Array | null,
  tables: ProblemTables,
  counts: Counts,
  known: CountedMasks,
): void {
  const { cols } = piece;
  if (known !== 'kind') countListed(cols.kind, places, first, last, base, counts.kind);
  if (known !== 'company') countListed(cols.company, places, first, last, base, counts.company);
  if (known === 'problem') return;
  if (fails && (last - first) * MANY > piece.rows) {
    // few rows have a problem: in a long list, iterating over those is faster
    const { problemRows, problems } = getPieceSums(piece);
    countProblemRows(problemRows, problems.values, fails, tables, counts);
  } else countProblems(cols.problem, places, first, last, base, tables, counts);
}
const MANY = 8;

/**
 * For whole segments, the sums of the columns are cached (COL-9). If the filter restricts nothing,
 * the sums are the counts. If it restricts one column, that column's value decides what a row
 * fails, so the counts over that column follow from its sum.
 */
export function countBySums(
  sums: RunSums,
  { kind, company, problem }: Partial<Masks>,
  counts: Counts,
  tables: ProblemTables,
  only: CountedMasks,
): void {
  if (only === 'none' || kind) {
    const { values, counts: times } = sums.kinds;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? 0;
      const at = aloneAt(kind?.[value] ?? 0) | value;
      counts.kind[at] = (counts.kind[at] ?? 0) + (times[i] ?? 0);
    }
  }
  if (only === 'none' || company) {
    const { values, counts: times } = sums.companies;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? 0;
      counts.company[value] = (counts.company[value] ?? 0) + (times[i] ?? 0);
    }
  }
  if (only === 'none' || problem) countByProblems(sums, problem, counts, tables);
}

/** The same for problems only: which rows have one is also known for a part of a segment. */
export function countByProblems(
  { rows, problems: { values, counts: times } }: Pick<RunSums, 'rows' | 'problems'>,
  problem: Uint8Array | null | undefined,
  counts: Counts,
  tables: ProblemTables,
): void {
  let without = rows;
  for (let i = 0; i < values.length; i++) {
    const one = values[i] ?? 0;
    const fail = problem?.[one] ?? 0;
    const often = times[i] ?? 0;
    if (fail === 0) countProblem(one, often, tables, counts);
    else countProblemAlone(one, fail, often, tables, counts);
    without -= often;
  }
  countProblemAlone(0, problem?.[0] ?? 0, without, tables, counts);
}

/** Counts rows that fail exactly one dimension, for the dimensions that the filter restricts. */
export function countAlone(
  { cols }: Segment,
  fails: Uint8Array,
  from: number,
  to: number,
  request: number,
  tables: ProblemTables,
  counts: Counts,
): void {
  if ((request & OF_KIND) !== 0) countKindsAlone(cols.kind, fails, from, to, counts.kind);
  if ((request & DIM.companies) !== 0) {
    countCompaniesAlone(cols.company, fails, from, to, counts.company);
    counts.company[0] = 0;
  }
  if ((request & OF_PROBLEM) !== 0)
    countProblemsAlone(cols.problem, fails, from, to, tables, counts);
}
const OF_KIND = DIM.states | DIM.sources | DIM.types | DIM.managed;
const OF_PROBLEM = DIM.review | DIM.kinds | DIM.causes;

/** Returns the dimensions that a filter restricts. */
export const getFilterMask = (filter: RunsFilter): number =>
  (filter.states.length > 0 ? DIM.states : 0) |
  (filter.sources.length > 0 ? DIM.sources : 0) |
  (filter.types.length > 0 ? DIM.types : 0) |
  (filter.managed === null ? 0 : DIM.managed) |
  (filter.companies.length > 0 ? DIM.companies : 0) |
  (filter.review === null ? 0 : DIM.review) |
  (filter.kinds.length > 0 ? DIM.kinds : 0) |
  (filter.causes.length > 0 ? DIM.causes : 0);
