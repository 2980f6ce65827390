import type { Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { done, failed } from '../../result.ts';
import type { BeforeRemoval, Written } from '../types.ts';
import { DriveItem } from './drive.ts';

// For undo: removes what a restore created in a drive.

/** `path`: `/drives/<id>` */
interface DrivePath {
  readonly client: GraphClient;
  readonly path: string;
}

const getItemPath = ({ path }: DrivePath, key: string): string =>
  `${path}/items/${encodeURIComponent(key)}`;

/** Returns what is there of an item; an error `missing` if nothing is. */
async function readItem(drive: DrivePath, key: string): Reply<DriveItem> {
  const now = await drive.client.get(getItemPath(drive, key), DriveItem);
  if (!now.ok) return { ok: false, error: now.error };
  return now.value.deleted ? failed('missing', t.missing) : now;
}

/** Removes a file, unless it has changed since it was written. */
export async function removeFile(
  drive: DrivePath,
  { key, changeKey }: Written,
  before: BeforeRemoval | undefined,
): Reply<void> {
  const now = await readItem(drive, key);
  if (!now.ok) return now;
  const { eTag } = now.value;
  if (eTag != null && eTag !== changeKey) return failed('conflict', t.conflict);
  await before?.();
  return removeItem(drive, key, changeKey);
}

/** Removes a folder, if it is empty. */
export async function removeDriveFolder(drive: DrivePath, key: string): Reply<void> {
  const now = await readItem(drive, key);
  if (!now.ok) return now.error.kind === 'missing' ? done : now;
  const { folder, eTag } = now.value;
  if (folder?.childCount !== 0) return failed('conflict', t.folderInUse);
  return removeItem(drive, key, eTag ?? '*');
}

async function removeItem(drive: DrivePath, key: string, changeKey: string): Reply<void> {
  const deleted = await drive.client.delete(getItemPath(drive, key), {
    headers: { 'if-match': changeKey },
  });
  return deleted.ok ? done : { ok: false, error: deleted.error };
}
