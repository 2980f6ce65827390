import type { Ms } from '#contract/ids.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { AnomaliesCounted } from './anomalies.ts';
import {
  getFilterMask,
  countAlone,
  countByProblems,
  countBySums,
  countRows,
  kindCounts,
  noCounts,
  toCountedMasks,
} from './counts.ts';
import type { CountedMasks } from './counts.ts';
import type { Days } from './days.ts';
import { getFacets } from './facets.ts';
import type { Words } from './facets.ts';
import { MAX_ROWS } from './gather.ts';
import { GroupProgress, getGrouping, together } from './group.ts';
import type { Jobs } from './jobs.ts';
import { RANK } from './kinds.ts';
import { listed, listedAll, listedBy, listedByIndex, listedByProblem } from './listing.ts';
import { getMasks, problemMasks } from './masks.ts';
import { sortRows } from './order.ts';
import type { Orders } from './order.ts';
import type { OrderedRows } from './order-rows.ts';
import type { Problems } from './problems.ts';
import { markFailures } from './scan.ts';
import type { Masks, ProblemTables } from './scan.ts';
import type { Segment } from './segment.ts';
import { firstBefore } from './segment.ts';
import type { Segments } from './segments.ts';
import { Picked } from './selection.ts';
import { getIndex, problemsWithin, getPieceSums, sumsOfAll } from './sums.ts';
import type { Names } from './text.ts';
import { getKey } from './text.ts';

export interface SelectionCache {
  readonly segments: Segments;
  readonly problems: Problems;
  readonly rows: Jobs;
  readonly jobs: Names;
  readonly companies: Names;
  readonly orders: Orders;
  readonly scratch: Scratch;
  readonly days: Days;
}

/** Tables that every walk reuses. */
export class Scratch {
  readonly kinds = kindCounts();
  fails = new Uint8Array();
  places = new Uint32Array();

  reach(size: number, pieceRows: number): void {
    if (this.places.length <= size) this.places = new Uint32Array(Math.ceil(size * 1.25) + 1);
    if (this.fails.length < pieceRows) this.fails = new Uint8Array(pieceRows);
  }
}

/**
 * Walks the segments once, newest first, so the positions come out in order. No sort except by
 * counting, no closure per row.
 */
export function select(store: SelectionCache, filter: RunsFilter, now: Ms, words: Words): Picked {
  const { segments, problems, rows, scratch } = store;
  const { list, reach } = segments;
  const tables: ProblemTables = {
    ...problems.tables(now, filter.anomaly, reach.problem),
    kinds: problems.kinds,
  };
  const key = getKey(filter.text);
  const filterMask = getFilterMask(filter);
  const masks = getMasks(filter, key, tables, reach, store, rows);
  const only = toCountedMasks(masks);
  const grouping = filter.group && getGrouping(filter.group, reach, store.orders, rows, tables);
  const progress = grouping && new GroupProgress(grouping, tables.review);
  const anomalies = anomaliesCounted(filter, masks, problems, tables, now);
  const counts = noCounts(scratch.kinds, reach.kinds, reach.company, problems.kinds.length);
  scratch.reach(
    segments.size,
    list.reduce((max, { rows }) => Math.max(max, rows), 0),
  );
  const { fails, places } = scratch;
  const until = getSeconds(filter.to, Infinity);
  const since = getSeconds(filter.from, -Infinity);
  const bases: number[] = [];
  const ends: number[] = [];
  // All rows of a time range, newest first, are consecutive, so their positions need not be
  // written.
  const unwritten = masks === null && filter.order === 'newest' && !filter.reverse && !grouping;
  const [newest] = list;
  const oldest = list.at(-1);
  const matchesAll =
    newest &&
    oldest &&
    firstBefore(newest, until) === 0 &&
    firstBefore(oldest, since) === oldest.rows;
  if (matchesAll === true && only !== null)
    countBySums(sumsOfAll(list), masks ?? {}, counts, tables, only);
  let base = 0;
  let count = 0;
  let start = 0;
  let few = true; // few: in the previous segment
  for (const piece of list) {
    const from = firstBefore(piece, until);
    const to = firstBefore(piece, since);
    const first = count;
    if (from < to) {
      if (first === 0) start = base + from;
      const isWhole = to - from === piece.rows;
      // which rows have a problem is also known for a part of a segment
      const known = isWhole || only === 'problem' ? only : null;
      if (known === 'problem' && matchesAll !== true)
        countByProblems(problemsWithin(piece, from, to), masks?.problem, counts, tables);
      else if (known !== null && matchesAll !== true)
        countBySums(getPieceSums(piece), masks ?? {}, counts, tables, known);
      if (known !== null && masks)
        count = listedByColumn(piece, from, to, known, masks, base, places, count);
      else if (masks === null)
        count =
          unwritten && isWhole ? count + piece.rows : listedAll(from, to, base, places, count);
      else {
        markFailures(piece, from, to, masks, fails);
        count = listed(fails, from, to, few, base, places, count);
        few = (count - first) * FEW_LISTED < to - from;
        countAlone(piece, fails, from, to, filterMask, tables, counts);
      }
      if (progress || anomalies) {
        if (masks && known !== null) markFailures(piece, from, to, masks, fails);
        progress?.count(piece, from, to, masks && fails);
        anomalies?.count(piece, from, to, fails);
      }
      if (known !== 'none')
        countRows(
          piece,
          places,
          first,
          count,
          base,
          masks && isWhole && known === null ? fails : null,
          tables,
          counts,
          known,
        );
    }
    bases.push(base);
    ends.push(count);
    base += piece.rows;
  }
  const facets = getFacets(
    counts,
    count,
    reach.kinds,
    problems.kinds,
    words,
    anomalies?.more ?? { anomalies: 0, others: 0 },
  );
  if (unwritten) return new Picked(filter, facets, list, bases, { first: start, length: count });
  const inOrder = { pieces: list, bases, ends, places, count };
  if (grouping && progress) {
    const { groups, order } = together(
      grouping,
      inOrder,
      sortRows(filter, inOrder, store, now),
      progress,
    );
    return new Picked(filter, facets, list, bases, placesBy(order, places), groups);
  }
  if (filter.order === 'worst' && !filter.reverse)
    return new Picked(filter, facets, list, bases, worstFirst(inOrder));
  const order = sortRows(filter, inOrder, store, now);
  return new Picked(
    filter,
    facets,
    list,
    bases,
    order ? placesBy(order, places) : places.slice(0, count),
  );
}

function placesBy(order: Uint32Array, places: Uint32Array): Uint32Array {
  const inOrder = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) inOrder[at] = places[order[at] ?? 0] ?? 0;
  return inOrder;
}

/** Returns null if it makes no difference whether anomalies count as problems. */
function anomaliesCounted(
  filter: RunsFilter,
  masks: Masks | null,
  problems: Problems,
  tables: ProblemTables,
  now: Ms,
): AnomaliesCounted | null {
  if (filter.anomaly || !masks?.problem) return null;
  const counted = problemMasks(filter, {
    ...problems.tables(now, true, masks.problem.length - 1),
    kinds: tables.kinds,
  });
  return counted && new AnomaliesCounted(masks.problem, counted);
}

/**
 * Lists rows of a whole segment that fail nothing, if one column decides; if the problem does,
 * those of [from, to).
 */
function listedByColumn(
  piece: Segment,
  from: number,
  to: number,
  by: CountedMasks,
  masks: Masks,
  base: number,
  places: Uint32Array,
  already: number,
): number {
  const { cols, rows } = piece;
  const { kind, company, problem } = masks;
  if (by === 'problem' && problem)
    return listedByProblem(
      cols.problem,
      problemsWithin(piece, from, to).problemRows,
      from,
      to,
      problem,
      base,
      places,
      already,
    );
  const sums = getPieceSums(piece);
  const [column, tally, table] =
    by === 'kind'
      ? ([cols.kind, sums.kinds, kind] as const)
      : ([cols.company, sums.companies, company] as const);
  if (!table) return already;
  let meant = 0;
  for (let i = 0; i < tally.values.length; i++)
    if (table[tally.values[i] ?? 0] === 0) meant += tally.counts[i] ?? 0;
  return meant * FEW < rows && rows <= MAX_ROWS
    ? listedByIndex(tally, getIndex(column, tally), table, base, places, already)
    : listedBy(column, table, base, places, already);
}
/** Rows by value are out of order: sorting one costs as much as visiting this many. */
const FEW = 4;

/** If fewer than one row in this many is listed, usually all of four rows fail together. */
const FEW_LISTED = 32;

/**
 * Converts a time to whole seconds: starts are whole seconds, so a start is before the time if it
 * is before the next whole second.
 */
const getSeconds = (moment: Ms | null, none: number): number =>
  moment === null ? none : Math.ceil(moment / 1000);

/** Orders by rank, newest first within a rank: counts the ranks, then places each row. */
function worstFirst({ pieces, bases, ends, places, count }: OrderedRows): Uint32Array {
  const ordered = new Uint32Array(count);
  const next = new Uint32Array(RUN_STATES.length + 1);
  const eachPiece = (
    visit: (kind: Uint16Array, base: number, first: number, last: number) => void,
  ): void => {
    pieces.forEach(({ cols: { kind } }, i) => {
      visit(kind, bases[i] ?? 0, ends[i - 1] ?? 0, ends[i] ?? 0);
    });
  };
  eachPiece((kind, base, first, last) => {
    for (let i = first; i < last; i++) {
      const rank = RANK[kind[(places[i] ?? 0) - base] ?? 0] ?? 0;
      next[rank + 1] = (next[rank + 1] ?? 0) + 1;
    }
  });
  for (let rank = 1; rank < next.length; rank++)
    next[rank] = (next[rank] ?? 0) + (next[rank - 1] ?? 0);
  eachPiece((kind, base, first, last) => {
    for (let i = first; i < last; i++) {
      const place = places[i] ?? 0;
      const rank = RANK[kind[place - base] ?? 0] ?? 0;
      const at = next[rank] ?? 0;
      ordered[at] = place;
      next[rank] = at + 1;
    }
  });
  return ordered;
}
