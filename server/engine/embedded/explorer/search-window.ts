import { sql, type RawBuilder } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** An object that is searched, as it is in statements: `s`. */
export interface SearchedNumbers {
  readonly n: number;
  readonly newest: number;
  readonly reads: boolean;
  /** The number that its next item gets: all of its items have smaller ones. */
  readonly nextItem: number;
}

export interface SearchLimits {
  /** The most matches that are looked up by their words. */
  readonly maxMatches: number;
  /** The number of items from which is estimated how many match. */
  readonly sample: number;
  /** From this number of objects on, their items may be read in the order of time. */
  readonly manyObjects: number;
}
export const SEARCH_LIMITS: SearchLimits = {
  maxMatches: 20_000,
  sample: 1_000,
  manyObjects: 1_000,
};
/** The longest time over which the items of an organization are expected to be spread. */
const EXPECTED_SPAN_MS = 3 * 366 * 86_400_000;
/** The last moment of JavaScript's dates. */
const MAX_AT: Ms = 8_640_000_000_000_000;
const MAX_SPAN_MS = 100 * 366 * 86_400_000;
/** How many times as long as the one before a window is. */
const GROWTH = 4;
/** The fewest items that are read at a time. */
const MIN_READ = 1_000;
/** Looking for an object's items of some time costs as much as reading this number of items. */
const OBJECT_COST = 20;

/**
 * The newest items, among which a common word is looked for. `isByTime`: those of all organizations of
 * the provider are read in the order of time, instead of those of each object.
 */
export interface SearchWindow {
  readonly since: Ms;
  readonly isByTime: boolean;
}

export interface WindowQuery {
  readonly objects: readonly SearchedNumbers[];
  /** Whether the version `v` of the object `s` matches. */
  readonly isMatch: RawBuilder<boolean>;
  /** The search goes on here; null: it begins, with items of the future, such as appointments. */
  readonly before: Ms | null;
  readonly now: Ms;
  readonly wanted: number;
  readonly limits: SearchLimits;
}

/** The searched objects as rows of a statement. */
export const unnestObjects = (objects: readonly SearchedNumbers[]): RawBuilder<unknown> =>
  sql`unnest(${objects.map(({ n }) => n)}::bigint[], ${objects.map(({ newest }) => newest)}::integer[], ${objects.map(({ reads }) => reads)}::boolean[]) as s(n, newest, reads)`;

/**
 * Returns a window in which at least as many items match as are wanted, so that only those need to be
 * read; null: all matches should be looked up, as they are few. A common word would otherwise cost
 * reading all items that have it.
 */
export async function findWindow(
  { sql: db, tenant }: TenantTx,
  {
    objects,
    isMatch,
    before,
    now,
    wanted,
    limits: { maxMatches, sample, manyObjects },
  }: WindowQuery,
): Promise<SearchWindow | null> {
  const items = objects.reduce((sum, { nextItem }) => sum + nextItem - 1, 0);
  if (items <= maxMatches) return null;
  const count = async (among: RawBuilder<unknown>): Promise<Counted> => {
    const { rows } = await sql<Counted>`
      select count(*) as "lookedAt", count(*) filter (where v.matches) as matched from (${among}) as v`.execute(
      db,
    );
    return rows[0] ?? { lookedAt: 0, matched: 0 };
  };
  const chosen = spread(objects, items / sample);
  const seen = unnestObjects(objects);
  const sampled = await count(sql`
    select v.matches from unnest(${chosen.map(({ object }) => object)}::bigint[], ${chosen.map(({ item }) => item)}::bigint[]) as c(object_n, item)
    join ${seen} on s.n = c.object_n cross join lateral (
      select ${isMatch} as matches from item as v where v.tenant_id = ${tenant} and v.object_n = s.n and v.n = c.item
    ) as v`);
  // Looking up a match costs about as much as looking at an item.
  const matches = (items * sampled.matched) / Math.max(1, sampled.lookedAt);
  if (matches <= maxMatches) return null;
  /** The number of items in which as many match as are wanted. */
  const needed = Math.ceil((wanted * sampled.lookedAt) / sampled.matched);
  if (objects.length >= manyObjects) {
    const { rows } = await sql<{ items: number }>`
      select sum(o.next_item - 1)::float8 as items from backup_object as o where o.tenant_id = ${tenant}`.execute(
      db,
    );
    /** The items of the provider for each one of these objects. */
    const share = (rows[0]?.items ?? items) / items;
    if (needed * (share - 1) < objects.length * OBJECT_COST)
      return findByTime(
        { sql: db, tenant },
        { seen, isMatch, before: before ?? MAX_AT, wanted },
        Math.ceil(share * Math.max(2 * needed, MIN_READ)),
        share * matches,
      );
  }
  const end = Math.min(before ?? now, now);
  let [left, matched, since] = [Math.ceil(matches), 0, end + 1];
  for (
    let span = Math.ceil((EXPECTED_SPAN_MS * needed) / items);
    span < MAX_SPAN_MS && left > 0;
    span *= GROWTH
  ) {
    const found = await count(sql`
      select v.matches from ${seen} cross join lateral (
        select ${isMatch} as matches from item as v
        where v.tenant_id = ${tenant} and v.object_n = s.n and v.at >= ${end - span} and v.at < ${since}
        order by v.at desc, v.n desc limit ${left}
      ) as v limit ${left}`);
    since = end - span;
    left -= found.lookedAt;
    matched += found.matched;
    if (matched >= wanted) return { since, isByTime: false };
  }
  return null;
}

/** Reads items in the order of time, in parts that grow from `first`, until `max` have been read. */
async function findByTime(
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  {
    seen,
    isMatch,
    before,
    wanted,
  }: Pick<WindowQuery, 'isMatch' | 'wanted'> & {
    readonly seen: RawBuilder<unknown>;
    readonly before: Ms;
  },
  first: number,
  max: number,
): Promise<SearchWindow | null> {
  let [matched, until] = [0, before];
  for (let [part, done] = [first, 0]; done < max; done += part, part *= GROWTH) {
    const { rows } = await sql<{
      matched: number;
      since: Ms | null;
      until: Ms | null;
      items: number;
    }>`
      with part as materialized (
        select v.* from item as v where v.tenant_id = ${tenant} and v.at <= ${until} order by v.at desc limit ${part}
      ), matching as (
        select v.at from part as v join ${seen} on s.n = v.object_n where ${isMatch} order by v.at desc limit ${wanted - matched}
      )
      select (select count(*) from matching) as matched, (select min(m.at) from matching as m) as since,
        (select min(p.at) from part as p) as until, (select count(*) from part) as items`.execute(
      db,
    );
    const [found] = rows;
    if (found === undefined || found.until === null) return null;
    matched += found.matched;
    if (matched >= wanted && found.since !== null) return { since: found.since, isByTime: true };
    // Items of that moment are read again, unless there is nothing else.
    if (found.items < part || found.until === until) return null;
    until = found.until;
  }
  return null;
}

interface Counted {
  readonly lookedAt: number;
  readonly matched: number;
}

/**
 * Chooses one item of each part of all objects' items, `step` long. Where in its part changes, as equal
 * distances could meet the same place in each object.
 */
function spread(
  objects: readonly SearchedNumbers[],
  step: number,
): readonly { readonly object: number; readonly item: number }[] {
  const chosen: { readonly object: number; readonly item: number }[] = [];
  let [part, before] = [0, 0];
  const getPlace = (): number => (part + ((part * GOLDEN_RATIO) % 1)) * step - before;
  for (const { n, nextItem } of objects) {
    const count = nextItem - 1;
    for (let place = getPlace(); place < count; part += 1, place = getPlace())
      chosen.push({ object: n, item: 1 + Math.floor(place) });
    before += count;
  }
  return chosen;
}
/** Its multiples are spread evenly between whole numbers. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
