import { expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { makeFairMutex } from '#server/platform/db/fair-mutex.ts';

test("STORE-6, G34: one caller at a time takes a tenant's head row, in order; other tenants don't wait", async () => {
  const turns = makeFairMutex(systemClock, 60_000);
  const said: string[] = [];
  const first = await turns.next('a');
  const others = ['second', 'third'].map(async (name) => {
    const release = await turns.next('a');
    said.push(name);
    release();
  });
  (await turns.next('b'))();
  expect(said).toEqual([]);
  first();
  first();
  await Promise.all(others);
  expect(said).toEqual(['second', 'third']);
  (await turns.next('a'))();
});

test('STORE-6: nobody waits forever for a caller that waits for something else', async () => {
  const turns = makeFairMutex(systemClock, 5);
  const stuck = await turns.next('a');
  const release = await turns.next('a');
  release();
  stuck();
  (await turns.next('a'))();
  expect(turns).toBeDefined();
});
