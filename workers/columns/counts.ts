import { PROBLEM_KINDS } from '#contract/monitoring/words.ts';
import type { RunsFilter } from '#contract/monitoring/query.ts';
import { DIM } from './kinds.ts';
import { REVIEWS } from './problems.ts';
import {
  countCompaniesAlone, countKindsAlone, countListed, countProblems, countProblemsAlone, KIND_STRETCHES,
} from './scan.ts';
import type { ProblemCounts, ProblemTables } from './scan.ts';
import type { Segment } from './segment.ts';
import { sumsOf } from './sums.ts';

/** What a pass over the rows counts, before it is told as facets. */
export interface Counts extends ProblemCounts {
  /** By kind, in stretches (scan.ts). */
  readonly kind: Uint32Array;
  readonly company: Uint32Array;
}

/** `kind` is large and used again: it is clean where `used` says. */
export function noCounts(kind: Uint32Array, used: readonly number[], companies: number, causes: number): Counts {
  for (let stretch = 0; stretch < KIND_STRETCHES; stretch++) for (const k of used) kind[(stretch << 16) | k] = 0;
  return {
    kind, company: new Uint32Array(companies + 1), review: new Uint32Array(REVIEWS.length), cause: new Uint32Array(causes),
    reviewAlone: new Uint32Array(REVIEWS.length), kindAlone: new Uint32Array(PROBLEM_KINDS.length + 1), causeAlone: new Uint32Array(causes),
  };
}
export const kindCounts = (): Uint32Array => new Uint32Array(KIND_STRETCHES << 16);

/** Rows in the list: those at places [first, last). */
export function countRows({ cols }: Segment, places: Uint32Array, first: number, last: number, base: number, tables: ProblemTables, counts: Counts): void {
  countListed(cols.kind, places, first, last, base, counts.kind);
  countListed(cols.company, places, first, last, base, counts.company);
  countProblems(cols.problem, places, first, last, base, tables, counts);
}

/** A piece whose rows are all in the list: its sums are known (COL-9). */
export function countWhole(piece: Segment, tables: ProblemTables, counts: Counts): void {
  const { kinds, companies, problems } = sumsOf(piece);
  for (let i = 0; i < kinds.values.length; i++) add(counts.kind, kinds.values[i] ?? 0, kinds.counts[i] ?? 0);
  for (let i = 0; i < companies.values.length; i++) add(counts.company, companies.values[i] ?? 0, companies.counts[i] ?? 0);
  for (const one of problems) {
    add(counts.review, tables.review[one] ?? 0, 1);
    add(counts.cause, tables.cause[one] ?? 0, 1);
  }
}

/** Rows that fail one dimension alone, for the dimensions of which the filter asks something. */
export function countAlone({ cols }: Segment, fails: Uint8Array, from: number, to: number, asked: number, tables: ProblemTables, counts: Counts): void {
  if ((asked & OF_KIND) !== 0) countKindsAlone(cols.kind, fails, from, to, counts.kind);
  if ((asked & DIM.companies) !== 0) {
    countCompaniesAlone(cols.company, fails, from, to, counts.company);
    counts.company[0] = 0;
  }
  if ((asked & OF_PROBLEM) !== 0) countProblemsAlone(cols.problem, fails, from, to, tables, counts);
}
const OF_KIND = DIM.states | DIM.sources | DIM.types | DIM.managed;
const OF_PROBLEM = DIM.review | DIM.kinds | DIM.causes;

/** The dimensions of which a filter asks something. */
export const askedOf = (filter: RunsFilter): number =>
  (filter.states.length > 0 ? DIM.states : 0) | (filter.sources.length > 0 ? DIM.sources : 0) | (filter.types.length > 0 ? DIM.types : 0)
  | (filter.managed === null ? 0 : DIM.managed) | (filter.companies.length > 0 ? DIM.companies : 0) | (filter.review === null ? 0 : DIM.review)
  | (filter.kinds.length > 0 ? DIM.kinds : 0) | (filter.causes.length > 0 ? DIM.causes : 0);

function add(counts: Uint32Array, at: number, count: number): void {
  counts[at] = (counts[at] ?? 0) + count;
}
