import type { Ms } from '#contract/ids.ts';
import { openJson, sealJson } from './cipher.ts';
import type { DiskContext } from './disk-context.ts';
import { unlessCorrupt } from './outbox.ts';

/** The maximum number of drafts. The oldest are deleted first. */
export const MAX_DRAFTS = 20;

/** Stores what a user has typed into a form, with strict durability. */
export async function saveDraft(
  context: DiskContext,
  name: string,
  at: Ms,
  value: unknown,
): Promise<void> {
  const id = await context.cipher.blind(name);
  const sealed = await sealJson(context.cipher, 'drafts', id, { value });
  await context.stores.write(['drafts'], async (store) => {
    await store.put('drafts', { id, at, sealed });
    const newestFirst = (await store.all('drafts')).sort((a, b) => b.at - a.at);
    for (const old of newestFirst.slice(MAX_DRAFTS)) await store.remove('drafts', old.id);
  });
}

/** Returns null if there is no readable draft of that name. */
export async function readDraft(context: DiskContext, name: string): Promise<unknown> {
  const id = await context.cipher.blind(name);
  const record = await context.stores.read(['drafts'], (store) => store.get('drafts', id));
  if (!record) return null;
  const read = await openJson<{ readonly value: unknown }>(
    context.cipher,
    'drafts',
    id,
    record.sealed,
  ).catch(unlessCorrupt);
  return read === null ? null : read.value;
}

export async function deleteDraft(context: DiskContext, name: string): Promise<void> {
  const id = await context.cipher.blind(name);
  await context.stores.write(['drafts'], (store) => store.remove('drafts', id));
}
