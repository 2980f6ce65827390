import { expect, test } from 'vitest';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import { makeMemoryRepository, openAt, randomBytes, getValue } from './fixtures.ts';

const MAILS = 300;
const MAIL_BYTES = 5_000;
/** Nonce and MAC; random bytes don't compress. */
const STORED_BYTES = MAIL_BYTES + 32;

/** 300 mails in one pack, read from a target that notes how much is read at a time. */
async function makeMails() {
  const { target } = await makeMemoryRepository();
  const writer = await openAt(target);
  const mails = Array.from({ length: MAILS }, (_, n) => randomBytes(n, MAIL_BYTES));
  const ids: string[] = [];
  for (const mail of mails) ids.push(getValue(await writer.saveBlob('data', mail)).id);
  getValue(await writer.flush());
  await writer.close();
  const reads: number[] = [];
  const watched: RepositoryTarget = {
    ...target,
    async read(type, name, from, to) {
      const bytes = await target.read(type, name, from, to);
      if (type === 'data' && bytes.ok) reads.push(bytes.value.length);
      return bytes;
    },
  };
  const reader = await openAt(watched, { lock: 'none' });
  async function isRight(n: number): Promise<boolean> {
    const mail = getValue(await reader.readBlob('data', ids[n] ?? ''));
    return Buffer.compare(mail, mails[n] ?? Buffer.of()) === 0;
  }
  return { isRight, reads };
}

test('ENG-15: mails that are read in their order come in a few large pieces', async () => {
  const { isRight, reads } = await makeMails();
  for (let n = 0; n < MAILS; n += 1) expect(await isRight(n)).toBe(true);
  expect(reads.length).toBeLessThanOrEqual(5);
  expect(Math.max(...reads)).toBeLessThanOrEqual(1 << 20);
  expect(reads.reduce((sum, bytes) => sum + bytes)).toBeLessThan(2 * MAILS * STORED_BYTES);
});

test('ENG-15: mails that are read in another order are read alone', async () => {
  const { isRight, reads } = await makeMails();
  for (let n = 0; n < MAILS; n += 1) expect(await isRight((n * 7) % MAILS)).toBe(true);
  expect(reads).toEqual(Array.from({ length: MAILS }, () => STORED_BYTES));
});
