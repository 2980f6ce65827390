import { sql, type RawBuilder } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

export interface SearchLimits {
  /** So many items are looked at one by one before all that match are looked up by their words. */
  readonly maxLookedAt: number;
  /** So many say how common a match is. */
  readonly sample: number;
}
export const SEARCH_LIMITS: SearchLimits = { maxLookedAt: 20_000, sample: 5_000 };
/** Over which the items of an organization are expected to be spread, at most. */
const EXPECTED_SPAN_MS = 3 * 366 * 86_400_000;
const MAX_SPAN_MS = 100 * 366 * 86_400_000;
/** A window is so many times as long as the one before. */
const GROWTH = 4;

export interface WindowQuery {
  /** The searched objects `s`, with their number `n`. */
  readonly seen: RawBuilder<unknown>;
  /** How many items they have. */
  readonly items: number;
  /** Whether the version `v` of the object `s` matches. */
  readonly isMatch: RawBuilder<boolean>;
  /** The window ends here, or where the search does. */
  readonly before: Ms;
  readonly wanted: number;
  readonly limits: SearchLimits;
}

/**
 * Returns a moment since when at least as many items match as are wanted, so that only those since
 * then need to be read; null: all matches should be looked up, as they are rare or the items are
 * few. A common word would otherwise cost reading all items that have it.
 */
export async function findWindow(
  { sql: db, tenant }: TenantTx,
  { seen, items, isMatch, before, wanted, limits: { maxLookedAt, sample } }: WindowQuery,
): Promise<Ms | null> {
  if (items <= maxLookedAt) return null;
  const look = async (from: Ms, to: Ms, max: number) => {
    const { rows } = await sql<{ lookedAt: number; matched: number }>`
      select count(*) as "lookedAt", count(*) filter (where v.matches) as matched
      from (
        select v.matches from ${seen} cross join lateral (
          select ${isMatch} as matches from item as v
          where v.tenant_id = ${tenant} and v.object_n = s.n and v.at >= ${from} and v.at < ${to}
          order by v.at desc, v.n desc limit ${max}
        ) as v limit ${max}
      ) as v`.execute(db);
    return rows[0] ?? { lookedAt: 0, matched: 0 };
  };
  let [lookedAt, matched, since] = [0, 0, before + 1];
  for (
    let span = Math.ceil((EXPECTED_SPAN_MS * wanted) / items);
    span < MAX_SPAN_MS;
    span *= GROWTH
  ) {
    const found = await look(before - span, since, maxLookedAt - lookedAt);
    since = before - span;
    lookedAt += found.lookedAt;
    matched += found.matched;
    if (matched >= wanted) return since;
    if (lookedAt >= sample && (lookedAt / matched) * wanted > maxLookedAt) return null;
  }
  return null;
}
