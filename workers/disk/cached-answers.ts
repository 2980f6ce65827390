import type { Answered } from '../types.ts';
import { openJson, sealJson } from './cipher.ts';
import { manifestIn, type DiskContext } from './disk-context.ts';
import type { ObjectStore, StoreReader } from './object-stores.ts';
import type { AnswerInfo, DiskRecords } from './records.ts';
import { unlessCorrupt } from './outbox.ts';

/**
 * The maximum number of cached answers, and of their sealed bytes together. The least recently
 * queried are dropped first.
 */
export const ANSWERS_MOST = 50;
export const ANSWERS_MOST_BYTES = 8 * 1024 * 1024;

/**
 * Caches the server's answer to a query and replaces the previous one. Only for the load that this
 * disk works on: data that was reloaded meanwhile may have another scope. An answer that is too
 * large is dropped.
 */
export async function keepAnswer(
  ground: DiskContext,
  question: string,
  answer: Answered,
): Promise<void> {
  const { load } = ground;
  if (load === null) return;
  const id = await ground.cipher.blind(question);
  const sealed = await sealJson(ground.cipher, 'answers', id, answer);
  const bytes = sealed.data.byteLength;
  await ground.shelves.write(['meta', 'answers'], async (shelf) => {
    if ((await manifestIn(shelf))?.load !== load) return;
    const before = await answersIn(shelf);
    const newestFirst = [
      ...(bytes > ANSWERS_MOST_BYTES ? [] : [{ id, bytes }]),
      ...before.filter((one) => one.id !== id),
    ];
    const kept: AnswerInfo[] = [];
    let sum = 0;
    for (const one of newestFirst.slice(0, ANSWERS_MOST))
      if ((sum += one.bytes) <= ANSWERS_MOST_BYTES) kept.push(one);
    const stays = new Set(kept.map((one) => one.id));
    for (const one of before) if (!stays.has(one.id)) await shelf.remove('answers', one.id);
    if (stays.has(id)) await shelf.put('answers', { id, sealed });
    await shelf.put('meta', { name: 'answers', kept });
  });
}

/** Returns null if no readable answer is cached. */
export async function answerTo(ground: DiskContext, question: string): Promise<Answered | null> {
  const id = await ground.cipher.blind(question);
  const record = await ground.shelves.read(['answers'], (shelf) => shelf.get('answers', id));
  return record
    ? openJson<Answered>(ground.cipher, 'answers', id, record.sealed).catch(unlessCorrupt)
    : null;
}

/** Runs in the transaction that deletes the data. */
export const clearAnswers = async (shelf: ObjectStore<DiskRecords>): Promise<void> =>
  void (await Promise.all([shelf.clear('answers'), shelf.remove('meta', 'answers')]));

/** Newest first. The index is stored separately, so that making room reads no answer. */
async function answersIn(shelf: StoreReader<DiskRecords>): Promise<readonly AnswerInfo[]> {
  const record = await shelf.get('meta', 'answers');
  return record?.name === 'answers' ? record.kept : [];
}
