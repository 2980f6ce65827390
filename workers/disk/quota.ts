import { DiskError, isQuota } from './disk-errors.ts';
import { manifestIn, putManifest, type DiskContext } from './disk-context.ts';
import { cutBefore, getUtcDay } from './manifest.ts';

/**
 * If the browser has no more space, drops the oldest runs, never the outbox, and retries the work
 * once. Rejects with `DiskError` full if that doesn't help.
 */
export async function evictAndRetry<T>(
  context: DiskContext,
  may: MayGo,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!isQuota(thrown)) throw thrown;
    if (may.patient && context.patience-- > 0) throw full(thrown);
    context.patience = 0;
    if (!(await dropOldest(context, may))) throw full(thrown);
  }
  try {
    return await work();
  } catch (thrown) {
    if (!isQuota(thrown)) throw thrown;
    context.patience = PATIENCE;
    throw full(thrown);
  }
}

/**
 * Only older data may be dropped (a day from the server must not push out a newer one), and only
 * this share of it.
 */
export interface MayGo {
  readonly olderThanSec: number;
  readonly share: number;
  readonly patient: boolean;
}
export const OLDEST: MayGo = { olderThanSec: Infinity, share: 1 / 3, patient: true };
/**
 * How many writes fail before more is dropped, if dropping didn't help at once. The outbox doesn't
 * wait.
 */
const PATIENCE = 4;

/**
 * Drops the oldest segments, and the days up to their newest second: those are not fetched again.
 */
async function dropOldest(context: DiskContext, { olderThanSec, share }: MayGo): Promise<boolean> {
  return context.stores.write(['meta', 'segments'], async (store) => {
    const manifest = await manifestIn(store);
    const oldest = (manifest?.segments ?? [])
      .filter((one) => one.toSec < olderThanSec)
      .sort((a, b) => a.toSec - b.toSec);
    const last = oldest[Math.ceil(oldest.length * share) - 1];
    if (manifest === null || !last) return false;
    const { next, gone } = cutBefore(manifest, last.toSec + 1);
    for (const id of gone) await store.remove('segments', id);
    await putManifest(store, {
      ...next,
      days: next.days.filter((one) => one.day > getUtcDay(last.toSec)),
    });
    return true;
  });
}

const full = (thrown: unknown): DiskError =>
  new DiskError('full', `The browser has no more room for this site: ${String(thrown)}`);
