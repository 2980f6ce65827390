import type { ContentSize } from '#contract/engine/engine.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Vb365Client } from '../client.ts';
import { listChildren, toParent } from './children.ts';
import type { OpenExplorer } from './explorers.ts';
import type { KnownNode } from './nodes.ts';

/**
 * Counts what nodes hold, folder by folder, since the server has no totals. It stops beyond what can be
 * restored without a reason: more than that is many. Mails have no sizes.
 */
export async function measure(
  client: Vb365Client,
  explorer: OpenExplorer,
  nodes: readonly KnownNode[],
): Promise<ContentSize> {
  let items = 0;
  let bytes = 0;
  let isExact = true;
  // The list grows while it is walked. A folder that is in itself is counted once.
  const folders = new Map<string, KnownNode>();
  for (const node of nodes)
    if (CONTAINERS.has(node.kind)) folders.set(node.id, node);
    else {
      items += 1;
      bytes += node.bytes ?? 0;
      isExact &&= node.bytes !== null;
    }
  for (const folder of folders.values()) {
    for (const only of ['items', 'folders'] as const)
      for (let cursor: string | null = null; ;) {
        const listed = await listChildren(client, explorer, folder, { ...ALL, only, cursor });
        if (!listed.ok) break;
        const { page, shown } = listed.value;
        if (only === 'folders') for (const one of shown.map(toParent)) folders.set(one.id, one);
        else {
          items += page.rows.length;
          for (const { sizeBytes } of page.rows) {
            bytes += sizeBytes ?? 0;
            isExact &&= sizeBytes !== null;
          }
        }
        if (items > LIMITS.restorePlainItems || folders.size > MAX_FOLDERS)
          return { items, bytes, isExact: false };
        cursor = page.next;
        if (cursor === null) break;
      }
  }
  return { items, bytes, isExact };
}

/** Each costs two requests. */
const MAX_FOLDERS = 10_000;

const CONTAINERS: ReadonlySet<KnownNode['kind']> = new Set([
  'mailbox',
  'archive',
  'folder',
  'drive',
  'dir',
  'site',
  'library',
  'list',
  'team',
  'channel',
]);
const ALL = { text: null, limit: 1_000, sort: 'name', descending: false } as const;
