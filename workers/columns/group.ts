import { SINGLE_CAUSES } from '#contract/runs/query.ts';
import type { RunGrouping } from '#contract/runs/query.ts';
import type { Jobs } from './jobs.ts';
import { DIM, RANK } from './kinds.ts';
import type { Orders } from './order.ts';
import { getValues } from './order-rows.ts';
import type { OrderedRows } from './order-rows.ts';
import { settle, sorted } from './order-sort.ts';
import { Groups } from './group-heads.ts';
import { REVIEWS } from './problems.ts';
import type { CandidateRows } from './candidate-rows.ts';
import type { ProblemTables } from './scan.ts';
import type { Segment } from './segment.ts';
import { getPieceSums } from './sums.ts';

/**
 * A grouping of a list: group numbers, from a column and a table over its values (null: the values
 * themselves).
 */
export interface Grouping {
  readonly column: 'company' | 'job' | 'problem';
  readonly table: Uint32Array | null;
  /** All group numbers are below this. */
  readonly span: number;
  /** The sort positions of the groups' titles. */
  readonly ranks: Uint32Array;
  readonly titleOf: (group: number) => string;
  /** The group's key, and back; undefined for a key without a group. */
  readonly keyOf: (group: number) => number | string;
  readonly groupOf: (key: number | string) => number | undefined;
  /** The group for all causes that only one job has; null if those are separate groups. */
  readonly single: number | null;
}

const BY_NUMBER = {
  keyOf: (group: number) => group,
  groupOf: (key: number | string) => (typeof key === 'number' ? key : undefined),
  single: null,
};

export function getGrouping(
  group: RunGrouping,
  reach: CandidateRows,
  orders: Orders,
  jobs: Jobs,
  { cause, kinds }: ProblemTables,
): Grouping {
  switch (group) {
    case 'company':
      return {
        column: 'company',
        table: null,
        span: reach.company + 1,
        ranks: orders.company.to(reach.company),
        titleOf: (n) => orders.company.at(n),
        ...BY_NUMBER,
      };
    case 'job':
      return {
        column: 'job',
        table: null,
        span: reach.job + 1,
        ranks: orders.job.to(reach.job),
        titleOf: (n) => orders.job.at(n),
        ...BY_NUMBER,
      };
    case 'cause': {
      const single = kinds.length;
      return {
        column: 'problem',
        table: cause,
        span: single + 1,
        ranks: orders.cause.to(single),
        titleOf: (n) => (n === single ? '' : orders.cause.at(n)),
        single,
        keyOf: (n) => (n === single ? SINGLE_CAUSES : n),
        groupOf: (key) =>
          key === SINGLE_CAUSES
            ? single
            : typeof key === 'number' && key < single
              ? key
              : undefined,
      };
    }
    case 'server': {
      const { servers } = jobs;
      const getName = (n: number): string => servers[n] ?? '';
      servers.forEach((name, n) => {
        orders.server.set(n, name);
      });
      return {
        column: 'job',
        table: jobs.serversTo(reach.job),
        span: servers.length,
        ranks: orders.server.to(servers.length),
        titleOf: getName,
        keyOf: getName,
        groupOf: (key) => (typeof key === 'string' ? jobs.serverN(key) : undefined),
        single: null,
      };
    }
  }
}

/**
 * Counts rows per group by the review of their problem, whatever review the filter asks for. Also
 * finds groups that only one job has.
 */
export class GroupProgress {
  readonly cleared: Uint32Array;
  readonly of: Uint32Array;
  /** The group's only job so far, plus one; 0: none yet. */
  private readonly only: Uint32Array;
  private readonly grouping: Grouping;
  private readonly review: Uint8Array;

  constructor(grouping: Grouping, review: Uint8Array) {
    this.grouping = grouping;
    this.review = review;
    this.cleared = new Uint32Array(grouping.span);
    this.of = new Uint32Array(grouping.span);
    this.only = new Uint32Array(grouping.single === null ? 0 : grouping.span);
  }

  /** Counts rows [from, to) of a segment by what they fail; null: none fails anything. */
  count(piece: Segment, from: number, to: number, fails: Uint8Array | null): void {
    const { problem, job } = piece.cols;
    const { column, table, single } = this.grouping;
    const values = piece.cols[column];
    for (const row of getPieceSums(piece).problemRows) {
      const fail = fails === null ? 0 : (fails[row] ?? 0);
      const review = this.review[problem[row] ?? 0] ?? 0;
      if (row < from || row >= to || (fail !== 0 && (fail !== DIM.review || review === 0)))
        continue;
      const value = values[row] ?? 0;
      const group = table ? (table[value] ?? 0) : value;
      if (single !== null) {
        const one = (job[row] ?? 0) + 1;
        const before = this.only[group] ?? 0;
        this.only[group] = before === 0 || before === one ? one : MANY;
      }
      if (review === 0) continue;
      this.of[group] = (this.of[group] ?? 0) + 1;
      if (review !== PENDING) this.cleared[group] = (this.cleared[group] ?? 0) + 1;
    }
  }

  /**
   * Merges the groups that only one job has. Returns the group into which each goes, and which they
   * are. Leaves out the group of rows without a value.
   */
  gather(): { readonly into: Uint32Array; readonly those: readonly number[] } | null {
    const { single, span } = this.grouping;
    if (single === null) return null;
    const into = new Uint32Array(span);
    const those: number[] = [];
    for (let group = 0; group < span; group++) {
      const only = this.only[group] ?? 0;
      const alone = group !== 0 && only !== 0 && only !== MANY;
      into[group] = alone ? single : group;
      if (!alone) continue;
      those.push(group);
      this.of[single] = (this.of[single] ?? 0) + (this.of[group] ?? 0);
      this.cleared[single] = (this.cleared[single] ?? 0) + (this.cleared[group] ?? 0);
    }
    return { into, those };
  }
}
const PENDING = REVIEWS.indexOf('pending');
const MANY = 0xffff_ffff;

/**
 * Orders the rows of a list by group (COL-11): worst state first, then most rows, then by title,
 * then by key. For causes, those that only one job has come after the others under one head, and
 * rows without a cause come last (COL-13). Within a group, rows keep the given order (null: as they
 * are). Returns the row at each position.
 */
export function together(
  grouping: Grouping,
  listed: OrderedRows,
  order: Uint32Array | null,
  progress: GroupProgress,
): { readonly groups: Groups; readonly order: Uint32Array } {
  const { span, single } = grouping;
  const { count } = listed;
  const gathered = progress.gather();
  const groups = getValues(listed, grouping.column, grouping.table);
  const ranks = getValues(listed, 'kind', RANKS);
  if (gathered) for (let i = 0; i < count; i++) groups[i] = gathered.into[groups[i] ?? 0] ?? 0;
  const rows = new Uint32Array(span);
  const worst = new Uint8Array(span).fill(NO_RANK);
  for (let i = 0; i < count; i++) {
    const group = groups[i] ?? 0;
    const rank = ranks[i] ?? 0;
    rows[group] = (rows[group] ?? 0) + 1;
    if (rank < (worst[group] ?? 0)) worst[group] = rank;
  }
  const heads = headsInOrder(grouping.ranks, rows, worst, count, single);
  const at = new Uint32Array(span);
  for (let head = 0; head < heads.length; head++) at[heads[head] ?? 0] = head;
  for (let i = 0; i < count; i++) groups[i] = at[groups[i] ?? 0] ?? 0;
  const inGroups = sorted(groups, heads.length, order);
  const distinct = (name: 'job' | 'company'): Uint32Array =>
    distinctBy(groups, inGroups, getValues(listed, name), heads);
  return {
    groups: new Groups(
      grouping,
      heads,
      {
        rows,
        worst,
        jobs: distinct('job'),
        companies: distinct('company'),
        cleared: progress.cleared,
        of: progress.of,
      },
      gathered?.those ?? [],
    ),
    order: inGroups,
  };
}
const RANKS = new Uint32Array(RANK);
const NO_RANK = 0xff;

/**
 * Sorts by title, then most rows first, then worst first; `single` then comes after the others and
 * 0 last. The last sort decides first.
 */
function headsInOrder(
  titles: Uint32Array,
  rows: Uint32Array,
  worst: Uint8Array,
  count: number,
  single: number | null,
): Uint32Array {
  const found = new Uint32Array(rows.length);
  let many = 0;
  for (let group = 0; group < rows.length; group++) {
    found[many] = group;
    if ((rows[group] ?? 0) > 0) many += 1;
  }
  const heads = found.slice(0, many);
  const byTitle = heads.map((group) => titles[group] ?? 0);
  const titled = sorted(byTitle, settle(byTitle, false), null);
  const max = sorted(
    heads.map((group) => count - (rows[group] ?? 0)),
    count,
    titled,
  );
  const getRank = (group: number): number =>
    single !== null && (group === single || group === 0)
      ? NO_RANK - Number(group === single)
      : (worst[group] ?? 0);
  return sorted(heads.map(getRank), NO_RANK, max).map((i) => heads[i] ?? 0);
}

/**
 * Counts the distinct values in the rows of each group. `groups`: positions of heads, by row; rows
 * of a group are consecutive in `order`.
 */
function distinctBy(
  groups: Uint32Array,
  order: Uint32Array,
  values: Uint32Array,
  heads: Uint32Array,
): Uint32Array {
  let max = 0;
  let span = 0;
  for (let i = 0; i < values.length; i++) max = Math.max(max, values[i] ?? 0);
  for (let head = 0; head < heads.length; head++) span = Math.max(span, (heads[head] ?? 0) + 1);
  const seen = new Uint32Array(max + 1);
  const counts = new Uint32Array(span);
  for (let at = 0; at < order.length; at++) {
    const i = order[at] ?? 0;
    const value = values[i] ?? 0;
    const mark = (groups[i] ?? 0) + 1;
    if (seen[value] === mark) continue;
    seen[value] = mark;
    const group = heads[mark - 1] ?? 0;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}
