import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { WorkerClient } from '../api.ts';
import type { ClientSession } from '../auth/session.ts';
import type { WorkerClock } from '../context.ts';
import { DiskError } from '../disk/disk-errors.ts';
import { SIGNED_OUT, STORAGE_FAILED } from '../failures.ts';
import type { Disk } from '../types.ts';

/** The drafts of the signed-in user on this device. */
export function makeDrafts(
  session: Pick<ClientSession, 'loop'>,
  clock: WorkerClock,
): Pick<WorkerClient, 'readDraft' | 'saveDraft' | 'deleteDraft'> {
  const onDisk = async <T>(work: (disk: Disk) => Promise<T>): Promise<Result<T>> => {
    const disk = session.loop?.replica.disk;
    if (!disk) return failed(SIGNED_OUT);
    try {
      return ok(await work(disk));
    } catch (thrown) {
      if (thrown instanceof DiskError) return failed(STORAGE_FAILED);
      throw thrown;
    }
  };
  return {
    readDraft: (name) => onDisk((disk) => disk.readDraft(name)),
    saveDraft: (name, value) =>
      onDisk(async (disk) => {
        await disk.saveDraft(name, clock.now(), value);
        return null;
      }),
    deleteDraft: (name) =>
      onDisk(async (disk) => {
        await disk.deleteDraft(name);
        return null;
      }),
  };
}
