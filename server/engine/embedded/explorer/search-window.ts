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
}
export const SEARCH_LIMITS: SearchLimits = { maxMatches: 20_000, sample: 1_000 };
/** The longest time over which the items of an organization are expected to be spread. */
const EXPECTED_SPAN_MS = 3 * 366 * 86_400_000;
const MAX_SPAN_MS = 100 * 366 * 86_400_000;
/** How many times as long as the one before a window is. */
const GROWTH = 4;

export interface WindowQuery {
  readonly objects: readonly SearchedNumbers[];
  /** Whether the version `v` of the object `s` matches. */
  readonly isMatch: RawBuilder<boolean>;
  /** The window ends here, or where the search does. */
  readonly before: Ms;
  readonly wanted: number;
  readonly limits: SearchLimits;
}

/** The searched objects as rows of a statement. */
export const unnestObjects = (objects: readonly SearchedNumbers[]): RawBuilder<unknown> =>
  sql`unnest(${objects.map(({ n }) => n)}::bigint[], ${objects.map(({ newest }) => newest)}::integer[], ${objects.map(({ reads }) => reads)}::boolean[]) as s(n, newest, reads)`;

/**
 * Returns a moment since when at least as many items match as are wanted, so that only those since
 * then need to be read; null: all matches should be looked up, as they are few. A common word would
 * otherwise cost reading all items that have it.
 */
export async function findWindow(
  { sql: db, tenant }: TenantTx,
  { objects, isMatch, before, wanted, limits: { maxMatches, sample } }: WindowQuery,
): Promise<Ms | null> {
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
  let [left, matched, since] = [Math.ceil(matches), 0, before + 1];
  for (
    let span = Math.ceil((EXPECTED_SPAN_MS * wanted) / items);
    span < MAX_SPAN_MS && left > 0;
    span *= GROWTH
  ) {
    const found = await count(sql`
      select v.matches from ${seen} cross join lateral (
        select ${isMatch} as matches from item as v
        where v.tenant_id = ${tenant} and v.object_n = s.n and v.at >= ${before - span} and v.at < ${since}
        order by v.at desc, v.n desc limit ${left}
      ) as v limit ${left}`);
    since = before - span;
    left -= found.lookedAt;
    matched += found.matched;
    if (matched >= wanted) return since;
  }
  return null;
}

interface Counted {
  readonly lookedAt: number;
  readonly matched: number;
}

/** Chooses items at equal distances over all objects. */
function spread(
  objects: readonly SearchedNumbers[],
  step: number,
): readonly { readonly object: number; readonly item: number }[] {
  const chosen: { readonly object: number; readonly item: number }[] = [];
  let at = step / 2;
  for (const { n, nextItem } of objects) {
    const count = nextItem - 1;
    for (; at < count; at += step) chosen.push({ object: n, item: 1 + Math.floor(at) });
    at -= count;
  }
  return chosen;
}
