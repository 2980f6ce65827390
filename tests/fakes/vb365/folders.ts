import { win32 } from 'node:path';
import type { Ms } from '#contract/ids.ts';
import { repositoryRow } from './rows.ts';
import type { Vb365Content, Vb365Repository, Vb365Version } from './state.ts';

// What the folders of proxies have. A repository is only an entry of the server: its backups stay in
// the folder when it is removed, and belong to the next one there.

/** The backups in a folder of a proxy, by the times of their restore points. */
export interface Vb365Folder {
  readonly proxyId: string;
  readonly path: string;
  points: readonly Ms[];
}

/** As Windows finds it, whatever its spelling. */
const resolve = (path: string): string => win32.resolve(path).toLowerCase();

/** Whether a folder is a repository's, or below it. */
const isWithin = (folder: Vb365Folder, { proxyId, path }: Vb365Repository): boolean =>
  folder.proxyId === proxyId &&
  !win32.relative(resolve(path), resolve(folder.path)).startsWith('..') &&
  !win32.isAbsolute(win32.relative(resolve(path), resolve(folder.path)));

/** Each repository deletes the restore points that are older than its days. */
export function cleanUpFolders(version: Vb365Version, content: Vb365Content, now: Ms): void {
  for (const repository of content.repositories) {
    const { retentionPeriodType: type, dailyRetentionPeriod: days } = repositoryRow(
      version,
      repository,
    );
    if (type !== 'Daily') continue;
    for (const folder of content.folders.filter((one) => isWithin(one, repository)))
      folder.points = folder.points.filter((at) => at > now - Number(days) * DAY);
  }
}
const DAY: Ms = 86_400_000;

/** How a server writes a path that it was sent, if it writes it in its own way. */
export const writePath = (path: string): string =>
  `${path.slice(0, 1).toUpperCase()}${win32.resolve(path).slice(1)}\\`;
