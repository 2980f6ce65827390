import type { Ms } from '#contract/ids.ts';
import type { DayN } from '#contract/time/day.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { summedDays } from '#server/platform/events/totals.ts';
import { second } from './query.ts';

/** A day that is summed up, and the stretch in which it lies. */
export interface DayOf {
  readonly day: DayN;
  readonly stretch: number;
}
/**
 * A time that no such day covers: where it begins and ends, the edges within it, and the stretch
 * with which it begins.
 */
interface Gap {
  readonly edges: readonly Ms[];
  readonly stretch: number;
}

/**
 * How the stretches between edges are covered by days that are summed up, and what is left. A day
 * that lies in two stretches is left.
 */
export async function coverOf(
  tx: TenantTx,
  edges: readonly Ms[],
): Promise<{ readonly days: readonly DayOf[]; readonly gaps: readonly Gap[] }> {
  const bounds = edges.map(second);
  const [from = 0] = bounds;
  const to = bounds.at(-1) ?? from;
  const days: DayOf[] = [];
  const gaps: Gap[] = [];
  let stretch = 0;
  let open = from;
  const close = (end: Ms): void => {
    if (end > open)
      gaps.push({
        edges: [open, ...bounds.filter((edge) => edge > open && edge < end), end],
        stretch: bounds.findLastIndex((edge) => edge <= open),
      });
  };
  for (const one of await summedDays(tx.sql, tx.tenant, from, to)) {
    while ((bounds[stretch + 1] ?? Infinity) <= one.from) stretch += 1;
    if (one.to > (bounds[stretch + 1] ?? to)) continue;
    days.push({ day: one.day, stretch });
    close(one.from);
    open = one.to;
  }
  close(to);
  return { days, gaps };
}
