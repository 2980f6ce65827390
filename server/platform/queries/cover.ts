import type { Ms } from '#contract/ids.ts';
import type { DayN } from '#contract/time/day.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { summedDays } from '#server/platform/events/totals.ts';
import { second } from './query.ts';

/** A day with totals, and the stretch that contains it. */
export interface DayOf {
  readonly day: DayN;
  readonly stretch: number;
}
/**
 * A time range that no such day covers: its start and end, the edges within it, and its first
 * stretch.
 */
interface Gap {
  readonly edges: readonly Ms[];
  readonly stretch: number;
}

/**
 * Returns which days with totals cover the stretches between edges, and the gaps. A day in two
 * stretches is a gap.
 */
export async function getCoverage(
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
