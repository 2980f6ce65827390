import type { Ms, ProblemN } from '#contract/ids.ts';
import { NONE, sourceCode } from '#contract/runs/columns.ts';
import type { Order, RunsFilter } from '#contract/runs/query.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { SOURCE_NAMES, SOURCES } from '#contract/runs/vocabulary.ts';
import type { Days } from './days.ts';
import { byQuarters, dayCount } from './days.ts';
import { lastGoods } from './history.ts';
import { RANK } from './kinds.ts';
import { Ranks, sortedNames, UNKNOWN } from './order-names.ts';
import { getValues } from './order-rows.ts';
import type { OrderedRows } from './order-rows.ts';
import { settle, sorted } from './order-sort.ts';
import type { Problems } from './problems.ts';
import type { Segments } from './segments.ts';

/** Names that a list is ordered by, by the numbers in its columns. */
export class Orders {
  readonly company = new Ranks();
  readonly job = new Ranks();
  readonly computer = new Ranks();
  readonly cause = new Ranks();
  readonly server = new Ranks();

  clear(): void {
    for (const one of [this.company, this.job, this.computer, this.cause, this.server]) one.clear();
  }
}

/** Sort values that are not in the columns. */
interface SideColumns {
  readonly segments: Segments;
  readonly problems: Problems;
  readonly orders: Orders;
  readonly days: Days;
}

/**
 * Returns the row of the list at each position (COL-10): ties newest first, rows without a value
 * always last. Null if the newest comes first, which is the existing order. `newest` has no ties,
 * so its reverse is read backwards.
 */
export function sortRows(
  { order, reverse }: Pick<RunsFilter, 'order' | 'reverse'>,
  listed: OrderedRows,
  beside: SideColumns,
  now: Ms,
): Uint32Array | null {
  if (order === 'newest') return reverse ? fromBehind(listed.count) : null;
  if (order === 'bytes') return byBytes(listed, reverse);
  const keys = getKeys(order, listed, beside, now);
  return sorted(keys, settle(keys, reverse), null);
}

function fromBehind(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = count - 1 - i;
  return order;
}

/** Least first; UNKNOWN if a row has no value. */
function getKeys(
  order: Exclude<Order, 'newest' | 'bytes'>,
  listed: OrderedRows,
  { segments, problems, orders, days }: SideColumns,
  now: Ms,
): Uint32Array {
  const { reach } = segments;
  switch (order) {
    case 'worst':
      return getValues(listed, 'kind', WORST);
    case 'source':
      return getValues(listed, 'kind', sourcesBy(reach.kinds));
    case 'company':
      return getValues(listed, 'company', orders.company.to(reach.company));
    case 'job':
      return getValues(listed, 'job', orders.job.to(reach.job));
    case 'computer':
      return getValues(listed, 'job', orders.computer.to(reach.job));
    case 'lastGood':
      return getValues(listed, 'job', lastGoods(segments));
    case 'duration':
      return getValues(listed, 'elapsed'); // NONE is UNKNOWN
    case 'streak': {
      const quick = byQuarters(days);
      return byProblem(listed, reach.problem, problems, (problem) => dayCount(problem, quick, now));
    }
    case 'cause': {
      const causes = orders.cause.to(0);
      return byProblem(listed, reach.problem, problems, ({ cause }) => causes[cause] ?? UNKNOWN);
    }
    case 'ticket':
      return byTicket(listed, reach.problem, problems);
  }
}
const WORST = new Uint32Array(RANK);

function sourcesBy(kinds: readonly number[]): Uint32Array {
  const names = sortedNames(SOURCES.map((source) => SOURCE_NAMES[source]));
  const places = new Uint32Array(RANK.length).fill(UNKNOWN);
  for (const kind of kinds) {
    const source = SOURCES[sourceCode(kind)];
    if (source) places[kind] = names.indexOf(SOURCE_NAMES[source]);
  }
  return places;
}

/** Returns a value of the row's problem, computed once per problem. */
function byProblem(
  listed: OrderedRows,
  max: ProblemN,
  problems: Problems,
  getValue: (problem: ProblemRow) => number,
): Uint32Array {
  const values = getValues(listed, 'problem');
  const known = new Uint32Array(max + 1).fill(UNASKED);
  for (let i = 0; i < values.length; i++) {
    const n = values[i] ?? 0;
    let value = known[n] ?? UNKNOWN;
    if (value === UNASKED) {
      const problem = problems.at(n);
      known[n] = value = problem ? getValue(problem) : UNKNOWN;
    }
    values[i] = value;
  }
  return values;
}
const UNASKED = UNKNOWN - 1;

function byTicket(listed: OrderedRows, max: ProblemN, problems: Problems): Uint32Array {
  const numbers = new Map<string, number>();
  const keys = byProblem(listed, max, problems, ({ ticket }) => {
    if (ticket === null || ticket === '') return UNKNOWN;
    let n = numbers.get(ticket);
    if (n === undefined) numbers.set(ticket, (n = numbers.size));
    return n;
  });
  const place = new Map(sortedNames([...numbers.keys()]).map((name, i) => [name, i]));
  const places = Uint32Array.from(numbers.keys(), (name) => place.get(name) ?? UNKNOWN);
  for (let i = 0; i < keys.length; i++) {
    const n = keys[i] ?? UNKNOWN;
    if (n !== UNKNOWN) keys[i] = places[n] ?? UNKNOWN;
  }
  return keys;
}

/** Sizes have 48 bits: sorts by the low ones, then by the high ones. */
function byBytes(listed: OrderedRows, reverse: boolean): Uint32Array {
  const low = getValues(listed, 'bytesLow');
  const high = getValues(listed, 'bytesHigh');
  for (let i = 0; i < high.length; i++) {
    const none = high[i] === NO_HIGH && low[i] === NONE;
    if (none) high[i] = UNKNOWN;
    low[i] = none ? 0 : reverse ? NONE - (low[i] ?? 0) : (low[i] ?? 0);
  }
  const lows = sorted(low, NONE, null);
  return sorted(high, settle(high, reverse), lows);
}
const NO_HIGH = 0xffff;
