import { sql } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { forgetDays, sumDay, summedDays } from '#server/platform/events/totals.ts';
import type { SummedDay } from '#server/platform/events/totals.ts';
import type { JobHandler } from '../jobs/job-types.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadCompanyLimit } from './query.ts';

/** The pause after each day, in which calls of users are served. */
const REST: Ms = 20;
/** How soon days are found that got results, or other bounds, after they were over. */
const FALLBACK: Ms = 15 * 60_000;
/** More than any report reads: twelve months, and the equal time before. */
const MAX_DAYS = 740;

/**
 * TREND-1: calculates the totals of each operational day once it is over, newest first, one
 * transaction per day. Late results update the totals when they are appended. If the provider's
 * time zone or start of day changes, its totals are recalculated. Until a day has totals, queries
 * read its results.
 */
export const dayTotals =
  (context: AppContext): JobHandler<'day-totals'> =>
  async ({ tenant, now, signal }) => {
    for (const day of await unsummed(context, tenant, now)) {
      if (signal.aborted) return now;
      await sumUp(context, tenant, day);
      await new Promise<void>((resolve) => {
        context.clock.after(REST, resolve);
      });
    }
    const { timeZone, dayBeginsHour } = await context.store.tenant(tenant, loadCompanyLimit, {
      readOnly: true,
    });
    const nextDay = startOfDay(getDay(now, timeZone, dayBeginsHour) + 1, timeZone, dayBeginsHour);
    return Math.min(nextDay, now + FALLBACK);
  };

/** Calculates the totals of every past day that has none. */
export async function sumUpDays(context: AppContext, tenant: TenantId, now: Ms): Promise<void> {
  for (const day of await unsummed(context, tenant, now)) await sumUp(context, tenant, day);
}

/** With two servers on one database, the second finds the work done. */
const sumUp = (context: AppContext, tenant: TenantId, day: SummedDay): Promise<void> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      await tx.lock();
      if (
        (await summedDays(tx.sql, tenant, day.from - DAY_MS, day.to + DAY_MS)).some(
          ({ day: n }) => n === day.day,
        )
      )
        return;
      await sumDay(tx.sql, tenant, day);
    },
    { long: true },
  );

/** Returns days without totals, newest first. Deletes totals with other day bounds on the way. */
const unsummed = (context: AppContext, tenant: TenantId, now: Ms): Promise<readonly SummedDay[]> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      const { timeZone, dayBeginsHour } = await loadCompanyLimit(tx);
      const start = (day: number): Ms => startOfDay(day, timeZone, dayBeginsHour);
      const { rows } = await sql<{
        readonly at: Ms | null;
      }>`select min(started_at) as at from run where tenant_id = ${tenant}`.execute(tx.sql);
      const summed = await summedDays(tx.sql, tenant);
      const strange = summed
        .filter(({ day, from, to }) => from !== start(day) || to !== start(day + 1))
        .map(({ day }) => day);
      if (strange.length > 0) {
        await tx.lock();
        await forgetDays(tx.sql, tenant, strange);
      }
      const known = new Set(summed.map(({ day }) => day).filter((day) => !strange.includes(day)));
      const at = rows[0]?.at ?? null;
      const last = getDay(now, timeZone, dayBeginsHour) - 1;
      const first =
        at === null ? last + 1 : Math.max(getDay(at, timeZone, dayBeginsHour), last - MAX_DAYS + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => last - i)
        .filter((day) => !known.has(day))
        .map((day) => ({ day, from: start(day), to: start(day + 1) }));
    },
    { long: true },
  );
