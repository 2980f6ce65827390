import type { Ms } from '#contract/ids.ts';
import { PROBLEM_KINDS } from '#contract/monitoring/words.ts';
import { RUN_STATES } from '#contract/monitoring/query.ts';
import type { RunsFilter } from '#contract/monitoring/query.ts';
import { facetsOf } from './facets.ts';
import type { Told } from './facets.ts';
import { DIM, kindMasks, RANK } from './kinds.ts';
import { REVIEWS } from './problems.ts';
import type { Problems } from './problems.ts';
import type { Counts, Gate, Problem } from './scan.ts';
import { HIT, scan, WANTED } from './scan.ts';
import type { Segment } from './segment.ts';
import { firstBefore } from './segment.ts';
import type { Segments } from './segments.ts';
import { Picked } from './selection.ts';
import type { Names } from './text.ts';
import { keyOf, markMessages } from './text.ts';

export interface Shelf { readonly segments: Segments; readonly problems: Problems; readonly jobs: Names; readonly companies: Names }

/** Turns a filter into tables (COL-2) and walks the pieces once. No sort but by counting, no closure per row. */
export function select({ segments, problems, jobs, companies }: Shelf, filter: RunsFilter, now: Ms, told: Omit<Told, 'kinds' | 'causeKinds'>): Picked {
  const { list, reach } = segments;
  const tables = problems.tables(now, filter.anomaly, reach.problem);
  const problem: Problem = { ...tables, kinds: problems.kinds };
  const masks = {
    kind: kindMasks(filter, reach.kinds), company: companyMasks(filter, reach.company), problem: problemMasks(filter, problem),
  };
  const counts = noCounts(reach.company, problems.kinds.length);
  const key = keyOf(filter.text);
  const gate = gateOf(filter, key, jobs, companies, reach.job, reach.company);
  const places = new Uint32Array(segments.size);
  const bases: number[] = [], ends: number[] = [];
  const until = filter.to === null ? Infinity : Math.ceil(filter.to / 1000), since = filter.from === null ? -Infinity : Math.ceil(filter.from / 1000);
  let base = 0, count = 0;
  for (const piece of list) {
    const from = firstBefore(piece, until), to = firstBefore(piece, since);
    if (from < to) {
      const row = gate && key !== null ? new Uint8Array(piece.rows) : null;
      if (row && key !== null) markMessages(piece, key, row, HIT);
      count = scan(piece, from, to, base, masks, gate && row ? { ...gate, row } : gate, problem, counts, places, count);
    }
    bases.push(base);
    ends.push(count);
    base += piece.rows;
  }
  const facets = facetsOf(counts, count, { ...told, kinds: reach.kinds, causeKinds: problems.kinds });
  const ordered = filter.order === 'worst' ? worstFirst(list, bases, ends, places, count) : places.slice(0, count);
  return new Picked(filter, facets, list, bases, ordered);
}

/** By rank, newest first inside: counts of ranks, then each to its place. */
function worstFirst(list: readonly Segment[], bases: readonly number[], ends: readonly number[], places: Uint32Array, count: number): Uint32Array {
  const ordered = new Uint32Array(count), next = new Uint32Array(RUN_STATES.length + 1);
  const walk = (visit: (place: number, rank: number) => void): void => {
    let i = 0;
    list.forEach(({ cols: { kind } }, piece) => {
      const base = bases[piece] ?? 0, end = ends[piece] ?? 0;
      for (; i < end; i++) {
        const place = places[i] ?? 0;
        visit(place, RANK[kind[place - base] ?? 0] ?? 0);
      }
    });
  };
  walk((_, rank) => { next[rank + 1] = (next[rank + 1] ?? 0) + 1; });
  for (let rank = 1; rank < next.length; rank++) next[rank] = (next[rank] ?? 0) + (next[rank - 1] ?? 0);
  walk((place, rank) => {
    const at = next[rank] ?? 0;
    ordered[at] = place;
    next[rank] = at + 1;
  });
  return ordered;
}

const noCounts = (companies: number, causes: number): Counts => ({
  kind: new Uint32Array((DIM.managed + 1) << 16), company: new Uint32Array(companies + 1), review: new Uint32Array(REVIEWS.length),
  cause: new Uint32Array(causes), causeAlone: new Uint32Array(causes), problemKindAlone: new Uint32Array(PROBLEM_KINDS.length + 1),
});

function companyMasks({ companies }: RunsFilter, most: number): Uint8Array {
  const masks = new Uint8Array(most + 1);
  if (companies.length === 0) return masks;
  masks.fill(DIM.companies);
  for (const n of companies) if (n <= most) masks[n] = 0;
  return masks;
}

function problemMasks(filter: RunsFilter, { review, cause, kinds }: Problem): Uint8Array {
  const masks = new Uint8Array(review.length);
  if (filter.review === null && filter.kinds.length === 0 && filter.causes.length === 0) return masks;
  const byReview = REVIEWS.map((state) => (filter.review !== null && state !== filter.review ? DIM.review : 0));
  const wanted = filter.kinds.map((kind) => PROBLEM_KINDS.indexOf(kind) + 1), causes = new Set(filter.causes);
  const byCause = Uint8Array.from(kinds, (kind, n) =>
    (wanted.length > 0 && !wanted.includes(kind) ? DIM.kinds : 0) | (causes.size > 0 && !causes.has(n) ? DIM.causes : 0));
  for (let n = 0; n < masks.length; n++) masks[n] = (byReview[review[n] ?? 0] ?? 0) | (byCause[cause[n] ?? 0] ?? 0);
  return masks;
}

function gateOf(filter: RunsFilter, key: string | null, jobs: Names, companies: Names, mostJob: number, mostCompany: number): Gate | null {
  if (key === null && filter.jobs.length === 0 && filter.rows === 'runs') return null;
  const job = new Uint8Array(mostJob + 1), company = new Uint8Array(mostCompany + 1);
  if (key === null) job.fill(WANTED | HIT);
  else {
    jobs.mark(key, job, WANTED | HIT, WANTED);
    companies.mark(key, company, HIT, 0);
  }
  if (filter.jobs.length > 0) {
    const wanted = new Set(filter.jobs);
    for (let n = 0; n < job.length; n++) if (!wanted.has(n)) job[n] = 0;
  }
  return { job, company, row: new Uint8Array(), met: filter.rows === 'jobs' ? new Uint8Array(mostJob + 1) : null };
}
