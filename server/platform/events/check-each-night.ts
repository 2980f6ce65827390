import type { Ms } from '#contract/ids.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import type { AppContext } from '../app-context.ts';
import type { JobHandler } from '../jobs/job-types.ts';
import { loadCompanyLimit } from '../queries/query.ts';
import { checkLog, type LogCheck } from './check-log.ts';
import { readInParts } from './read-log.ts';
import { getUnreadable } from './verify.ts';

/** How long after midnight in the provider's time zone its log is checked. */
const AFTER_MIDNIGHT: Ms = 2 * 3_600_000;
/** The pause after each part but the first ones, in which others are served. */
const REST: Ms = 20;
const FIRST_PARTS = 3;
/** How many damaged places an entry of the server's log names. */
const NAMED = 20;

/**
 * LOG-11: checks the whole log of each provider against its hashes once a night, in parts, so that
 * calls wait for none of them. Stores what it found for the overview; the server's log has the places.
 */
export const checkEachNight =
  ({ store, clock, log }: Pick<AppContext, 'store' | 'clock' | 'log'>): JobHandler<'log-check'> =>
  async ({ tenant, now, signal }) => {
    const readPart = readInParts(store, tenant);
    let parts = 0;
    const checked: LogCheck | null = await checkLog(
      async (work) => {
        signal.throwIfAborted();
        const part = await readPart(work);
        parts += 1;
        if (parts > FIRST_PARTS)
          await new Promise<void>((resolve) => void clock.after(REST, resolve));
        return part;
      },
      { isGrowing: true },
    ).catch((error: unknown) => {
      if (signal.aborted) return null;
      return getUnreadable(error);
    });
    if (checked === null) return now;
    const { head, damages, unreadable } = checked;
    const damagedParts = damages.length + unreadable.length;
    const found = { tenant, events: head, damagedParts };
    if (damagedParts === 0) log.info('the log was checked', found);
    else
      log.error('the log is damaged: run npm run verify', {
        ...found,
        damages: damages.slice(0, NAMED),
        unreadable,
      });
    const { timeZone } = await store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('head')
        .set({ checked_at: now, damaged_parts: damagedParts })
        .where('tenant_id', '=', tenant)
        .execute();
      return loadCompanyLimit(tx);
    });
    const day = getDay(now - AFTER_MIDNIGHT, timeZone, 0);
    return startOfDay(day + 1, timeZone, 0) + AFTER_MIDNIGHT;
  };
