import type { EngineResult } from '#contract/engine/engine.ts';
import { ok } from '../../result.ts';
import type { GraphPorts } from '../graph/request.ts';
import { teamClient } from '../sources/team.ts';
import { parsePostKey } from '../sources/team-paths.ts';
import { findThread } from '../sources/team-post-writer.ts';
import { getPostItem, isDeleted, readThread } from '../sources/team-posts.ts';
import type { ItemChange, SourceCall, SourceObject } from '../types.ts';
import type { CurrentItem, KnownItem } from './current-items.ts';

/**
 * Reads posts with their replies as they are now, in their order. What a restore has created again is
 * found by its time and author.
 */
export async function readCurrentPosts(
  ports: GraphPorts,
  object: SourceObject,
  items: readonly KnownItem[],
  call: SourceCall,
): Promise<EngineResult<readonly CurrentItem[]>> {
  const client = teamClient(ports, object, call);
  const found: CurrentItem[] = [];
  for (const item of items) {
    const own = await readThread(client, object, parsePostKey(item.key));
    if (!own.ok && own.error.kind !== 'missing') return own;
    const isPresent = own.ok && [own.value.post, ...own.value.replies].some(isAlive);
    if (isPresent) {
      found.push(getPostItem(own.value, item.folder));
      continue;
    }
    const restored = await findThread(client, object, item);
    if (!restored.ok) return restored;
    found.push(restored.value && getPostItem(restored.value, item.folder));
  }
  return ok(found);
}

const isAlive = (message: Parameters<typeof isDeleted>[0]): boolean => !isDeleted(message);

/** Reads a post with its replies as a backup would store it now. */
export async function readCurrentPost(
  ports: GraphPorts,
  object: SourceObject,
  { key }: Pick<ItemChange, 'key'>,
  call: SourceCall,
): Promise<EngineResult<Uint8Array>> {
  const thread = await readThread(teamClient(ports, object, call), object, parsePostKey(key));
  return thread.ok ? ok(Buffer.from(JSON.stringify(thread.value))) : thread;
}
