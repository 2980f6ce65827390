import { type DriveRow, type ItemRow, findChild, findItem } from './drive-store.ts';
import { badRequest, itemNotFound } from './graph-error.ts';
import type { Tenant } from './store.ts';

/** What a path below a drive names: an item, or a new name in a folder, and what to do with it. */
export interface DriveTarget {
  readonly item: ItemRow | null;
  /** The folder and name of an item that doesn't exist yet. */
  readonly missing: { readonly parent: ItemRow; readonly name: string } | null;
  readonly action: readonly string[];
}

/**
 * Reads `root`, `items/{id}`, both with `:/path/to/item:` behind them, and the action.
 * @throws GraphError 400, 404
 */
export function findTarget(tenant: Tenant, drive: DriveRow, path: string): DriveTarget {
  const match = /^(?:root|items\/([^/:]+))(?::\/([^:]*):?)?(?:\/(.*))?$/.exec(path);
  if (!match) throw badRequest(`Resource not found for the segment '${path.split('/')[0] ?? ''}'.`);
  const [, id, names, rest = ''] = match;
  const action = rest.split('/').filter(Boolean).map(decodeURIComponent);
  let item = findItem(tenant, drive.id, id === undefined ? 'root' : decodeURIComponent(id));
  const segments = (names ?? '').split('/').filter(Boolean).map(decodeURIComponent);
  for (const [at, name] of segments.entries()) {
    const child = findChild(tenant, item.id, name);
    if (!child && at === segments.length - 1)
      return { item: null, missing: { parent: item, name }, action };
    if (!child) throw itemNotFound();
    item = child;
  }
  return { item, missing: null, action };
}
