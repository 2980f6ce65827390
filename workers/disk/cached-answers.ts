import type { StoredAnswer } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import { manifestIn, type DiskContext } from './disk-context.ts';
import type { ObjectStore, StoreReader } from './object-stores.ts';
import type { AnswerInfo, DiskRecords } from './records.ts';
import { unlessCorrupt } from './outbox.ts';

/**
 * The maximum number of cached answers, and of their sealed bytes together. The least recently
 * queried are dropped first.
 */
export const MAX_ANSWERS = 50;
export const MAX_ANSWERS_BYTES = 8 * 1024 * 1024;

/**
 * Caches the server's answer to a query and replaces the previous one. Only for the load that this
 * disk works on: data that was reloaded meanwhile may have another scope. An answer that is too
 * large is dropped.
 */
export async function keepAnswer(
  context: DiskContext,
  question: string,
  answer: StoredAnswer,
): Promise<void> {
  const { load } = context;
  if (load === null) return;
  const id = await context.cipher.blind(question);
  const sealed = await sealJson(context.cipher, 'answers', id, answer);
  const bytes = sealed.data.byteLength;
  await context.stores.write(['meta', 'answers'], async (store) => {
    if ((await manifestIn(store))?.load !== load) return;
    const before = await answersIn(store);
    const newestFirst = [
      ...(bytes > MAX_ANSWERS_BYTES ? [] : [{ id, bytes }]),
      ...before.filter((one) => one.id !== id),
    ];
    const stored: AnswerInfo[] = [];
    let sum = 0;
    for (const one of newestFirst.slice(0, MAX_ANSWERS))
      if ((sum += one.bytes) <= MAX_ANSWERS_BYTES) stored.push(one);
    const stays = new Set(stored.map((one) => one.id));
    for (const one of before) if (!stays.has(one.id)) await store.remove('answers', one.id);
    if (stays.has(id)) await store.put('answers', { id, sealed });
    await store.put('meta', { name: 'answers', kept: stored });
  });
}

/** Returns null if no readable answer is cached. */
export async function answerTo(
  context: DiskContext,
  question: string,
): Promise<StoredAnswer | null> {
  const id = await context.cipher.blind(question);
  const record = await context.stores.read(['answers'], (store) => store.get('answers', id));
  return record
    ? openJson<StoredAnswer>(context.cipher, 'answers', id, record.sealed).catch(unlessCorrupt)
    : null;
}

/** Runs in the transaction that deletes the data. */
export const clearAnswers = async (store: ObjectStore<DiskRecords>): Promise<void> =>
  void (await Promise.all([store.clear('answers'), store.remove('meta', 'answers')]));

/** Newest first. The index is stored separately, so that making room reads no answer. */
async function answersIn(store: StoreReader<DiskRecords>): Promise<readonly AnswerInfo[]> {
  const record = await store.get('meta', 'answers');
  return record?.name === 'answers' ? record.kept : [];
}
