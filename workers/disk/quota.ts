import { DiskFault } from '../types.ts';
import { isQuota } from './disk-errors.ts';
import { manifestIn, putManifest, type DiskContext } from './disk-context.ts';
import { cutBefore, dayOf } from './manifest.ts';

/**
 * Where the browser has no more room, the oldest runs go, never the outbox, and the work is tried
 * once more; `DiskFault` full where that does not help.
 */
export async function evictAndRetry<T>(
  ground: DiskContext,
  may: MayGo,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!isQuota(thrown)) throw thrown;
    if (may.patient && ground.patience-- > 0) throw full(thrown);
    ground.patience = 0;
    if (!(await dropOldest(ground, may))) throw full(thrown);
  }
  try {
    return await work();
  } catch (thrown) {
    if (!isQuota(thrown)) throw thrown;
    ground.patience = PATIENCE;
    throw full(thrown);
  }
}

/**
 * Only what is older may go (a day from the wire must not push out a newer one), and of that so
 * large a share.
 */
export interface MayGo {
  readonly olderThanSec: number;
  readonly share: number;
  readonly patient: boolean;
}
export const OLDEST: MayGo = { olderThanSec: Infinity, share: 1 / 3, patient: true };
/**
 * How many writes fail before more is dropped, where dropping did not help at once. The outbox does
 * not wait.
 */
const PATIENCE = 4;

/**
 * The oldest of the segments, and the days up to the newest second in them: those are not asked for
 * again.
 */
async function dropOldest(ground: DiskContext, { olderThanSec, share }: MayGo): Promise<boolean> {
  return ground.shelves.write('relaxed', ['meta', 'segments'], async (shelf) => {
    const manifest = await manifestIn(shelf);
    const oldest = (manifest?.segments ?? [])
      .filter((one) => one.toSec < olderThanSec)
      .sort((a, b) => a.toSec - b.toSec);
    const last = oldest[Math.ceil(oldest.length * share) - 1];
    if (manifest === null || !last) return false;
    const { next, gone } = cutBefore(manifest, last.toSec + 1);
    for (const id of gone) await shelf.remove('segments', id);
    await putManifest(shelf, {
      ...next,
      days: next.days.filter((one) => one.day > dayOf(last.toSec)),
    });
    return true;
  });
}

const full = (thrown: unknown): DiskFault =>
  new DiskFault('full', `The browser has no more room for this site: ${String(thrown)}`);
