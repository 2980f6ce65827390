import type { StoredNotice } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import type { DiskContext } from './disk-context.ts';
import { outboxMessages as t } from '../outbox/messages.en.ts';
import { unlessCorrupt } from './outbox.ts';

/** The maximum number of notices: the oldest are dropped. */
export const MAX_NOTICES = 100;

/**
 * Stored beside the commands and under their key, because notices describe what became of them.
 * Overwrites an existing one.
 */
export async function keepNotice(
  context: DiskContext,
  { id, at, ...inner }: StoredNotice,
): Promise<void> {
  const sealed = await sealJson(context.outboxCipher, 'notices', id, inner);
  await context.stores.write(['notices'], async (store) => {
    await store.put('notices', { id, at, sealed });
    const newestFirst = (await store.all('notices')).sort((a, b) => b.at - a.at);
    for (const old of newestFirst.slice(MAX_NOTICES)) await store.remove('notices', old.id);
  });
}

/**
 * Returns notices, oldest first. One that can't be read is among them and says that it was damaged:
 * what it told is not told elsewhere.
 */
export async function notices(context: DiskContext): Promise<StoredNotice[]> {
  const records = await context.stores.read(['notices'], (store) => store.all('notices'));
  const read = await Promise.all(
    records.map(async ({ id, at, sealed }) => {
      const inner = await openJson<Omit<StoredNotice, 'id' | 'at'>>(
        context.outboxCipher,
        'notices',
        id,
        sealed,
      ).catch(unlessCorrupt);
      return { id, at, ...(inner ?? { text: t.noticeDamaged, run: null, refused: null }) };
    }),
  );
  return read.sort((a, b) => a.at - b.at);
}

export const dropNotice = (context: DiskContext, id: string): Promise<void> =>
  context.stores.write(['notices'], (store) => store.remove('notices', id));
