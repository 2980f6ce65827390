import type { Notice } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import type { DiskContext } from './disk-context.ts';
import { unlessCorrupt } from './outbox.ts';

/** Nobody reads more than these: the oldest are dropped. */
export const NOTICES_MOST = 100;

/**
 * Stored beside the commands and under their key, because notices describe what became of them.
 * Overwrites an existing one.
 */
export async function keepNotice(ground: DiskContext, { id, at, ...inner }: Notice): Promise<void> {
  const sealed = await sealJson(ground.outboxCipher, 'notices', id, inner);
  await ground.shelves.write(['notices'], async (shelf) => {
    await shelf.put('notices', { id, at, sealed });
    const newestFirst = (await shelf.all('notices')).sort((a, b) => b.at - a.at);
    for (const old of newestFirst.slice(NOTICES_MOST)) await shelf.remove('notices', old.id);
  });
}

/** Returns notices, oldest first. Skips unreadable ones. */
export async function notices(ground: DiskContext): Promise<Notice[]> {
  const records = await ground.shelves.read(['notices'], (shelf) => shelf.all('notices'));
  const read = await Promise.all(
    records.map(async ({ id, at, sealed }) => {
      const inner = await openJson<Omit<Notice, 'id' | 'at'>>(
        ground.outboxCipher,
        'notices',
        id,
        sealed,
      ).catch(unlessCorrupt);
      return inner && { id, at, ...inner };
    }),
  );
  return read.filter((one) => one !== null).sort((a, b) => a.at - b.at);
}

export const dropNotice = (ground: DiskContext, id: string): Promise<void> =>
  ground.shelves.write(['notices'], (shelf) => shelf.remove('notices', id));
