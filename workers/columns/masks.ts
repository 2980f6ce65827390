import type { RunsFilter } from '#contract/runs/query.ts';
import { PROBLEM_KINDS } from '#contract/runs/vocabulary.ts';
import type { Jobs } from './jobs.ts';
import { DIM, kindMasks } from './kinds.ts';
import { REVIEWS } from './problems.ts';
import type { CandidateRows } from './candidate-rows.ts';
import { OUT } from './scan.ts';
import type { Masks, ProblemTables } from './scan.ts';
import type { Names } from './text.ts';

/** Prepared on first use. */
interface SearchedNames {
  readonly jobs: Names;
  readonly companies: Names;
}

/**
 * Turns a filter into byte tables (COL-2). `key`: its normalized search text. Returns null for a
 * filter that restricts nothing but the time.
 */
export function getMasks(
  filter: RunsFilter,
  key: string | null,
  tables: ProblemTables,
  reach: CandidateRows,
  names: SearchedNames,
  rows: Jobs,
): Masks | null {
  const masks = {
    kind: kindMasks(filter, reach.kinds),
    company: companyMasks(filter, reach.company),
    problem: problemMasks(filter, tables),
    job: jobMasks(filter, reach.job, rows),
    text: key === null ? null : textMasks(key, names, reach),
    met: filter.rows === 'jobs' ? new Uint8Array(reach.job + 1) : null,
  };
  return Object.values(masks).every((mask) => mask === null) ? null : masks;
}

const companyMasks = ({ companies }: RunsFilter, max: number): Uint8Array | null =>
  companies.length === 0 ? null : allBut(companies, DIM.companies, max);

function jobMasks(
  { jobs, servers, instructionTypes }: RunsFilter,
  max: number,
  rows: Jobs,
): Uint8Array | null {
  if (jobs.length + servers.length + instructionTypes.length === 0) return null;
  const masks = jobs.length === 0 ? new Uint8Array(max + 1) : allBut(jobs, OUT, max);
  rows.mark(masks, servers, instructionTypes, OUT);
  return masks;
}

function allBut(wanted: readonly number[], fail: number, max: number): Uint8Array {
  const masks = new Uint8Array(max + 1).fill(fail);
  for (const n of wanted) if (n <= max) masks[n] = 0;
  return masks;
}

/** Returns what each problem fails. Null if the filter restricts no problems. */
export function problemMasks(
  filter: RunsFilter,
  { review, cause, kinds, min }: ProblemTables,
): Uint8Array | null {
  if (filter.review === null && filter.kinds.length === 0 && filter.causes.length === 0)
    return null;
  const masks = new Uint8Array(review.length);
  const byReview = Uint8Array.from(REVIEWS, (state) =>
    filter.review !== null && state !== filter.review ? DIM.review : 0,
  );
  if (filter.kinds.length === 0 && filter.causes.length === 0)
    return byTable(review, min, byReview, masks);
  const wanted = filter.kinds.map((kind) => PROBLEM_KINDS.indexOf(kind) + 1);
  const causes = new Set(filter.causes);
  const byCause = Uint8Array.from(
    kinds,
    (kind, n) =>
      (wanted.length > 0 && !wanted.includes(kind) ? DIM.kinds : 0) |
      (causes.size > 0 && !causes.has(n) ? DIM.causes : 0),
  );
  for (let n = 0; n < masks.length; n++)
    masks[n] = (byReview[review[n] ?? 0] ?? 0) | (byCause[cause[n] ?? 0] ?? 0);
  return masks;
}

/**
 * Most problem numbers need no review: skips four of those at once. `review` begins at the start of
 * its buffer.
 */
function byTable(
  review: Uint8Array,
  min: number,
  table: Uint8Array,
  masks: Uint8Array,
): Uint8Array {
  const fours = new Uint32Array(review.buffer, 0, review.length >>> 2);
  const none = table[0] ?? 0;
  masks.fill(none);
  for (let four = Math.min(min, review.length) >>> 2; four < fours.length; four++) {
    if (fours[four] === 0) continue;
    const n = four << 2;
    masks[n] = table[review[n] ?? 0] ?? 0;
    masks[n + 1] = table[review[n + 1] ?? 0] ?? 0;
    masks[n + 2] = table[review[n + 2] ?? 0] ?? 0;
    masks[n + 3] = table[review[n + 3] ?? 0] ?? 0;
  }
  for (let n = fours.length << 2; n < masks.length; n++) masks[n] = table[review[n] ?? 0] ?? 0;
  return masks;
}

function textMasks(
  key: string,
  { jobs, companies }: SearchedNames,
  reach: CandidateRows,
): NonNullable<Masks['text']> {
  const job = new Uint8Array(reach.job + 1);
  const company = new Uint8Array(reach.company + 1);
  const inJobs = jobs.mark(key, job, 0, OUT);
  const inCompanies = companies.mark(key, company, 0, OUT);
  return { key, job: inJobs ? job : null, company: inCompanies ? company : null };
}
