import { expect, test } from 'vitest';
import { StoreError } from '#server/platform/db/retry.ts';
import { makeBatcher } from '#server/platform/db/batcher.ts';

/** Work whose answers are given by hand: what was begun, and how it ends. */
function hands() {
  const begun: { readonly what: string; free(): void; end(error?: Error): void }[] = [];
  const line = makeBatcher<string, string>(
    (tenant, works, free) =>
      new Promise((resolve, reject) => {
        begun.push({
          what: `${tenant}:${works.join('+')}`,
          free,
          end: (error) => {
            if (error) reject(error);
            else resolve(works.map((work) => `${work} done`));
          },
        });
      }),
    (work) => work.length,
    3,
  );
  const names = (): string[] => begun.map(({ what }) => what);
  return { begun, line, names };
}

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));

test("STORE-7: work that arrives meanwhile is batched, in order and within limits, each with its own answer; other tenants don't wait", async () => {
  const { begun, line, names } = hands();
  const answers = ['a', 'b', 'cc', 'dddd', 'e'].map((work) => line('one', work));
  const other = line('two', 'x');
  expect(names(), 'the first waits for nobody').toEqual(['one:a', 'two:x']);
  for (const next of ['one:b+cc', 'one:dddd', 'one:e']) {
    begun.findLast(({ what }) => what.startsWith('one'))?.end();
    await settled();
    expect(names().at(-1)).toBe(next);
  }
  for (const one of begun) one.end();
  expect(await Promise.all([...answers, other])).toEqual([
    'a done',
    'b done',
    'cc done',
    'dddd done',
    'e done',
    'x done',
  ]);
  void line('one', 'f');
  expect(names().at(-1), 'the line is empty').toBe('one:f');
});

test('STORE-7, STORE-15: the next batch begins when the one before frees the line, whose answers wait for its own end', async () => {
  const { begun, line, names } = hands();
  const answered: string[] = [];
  const answers = Promise.allSettled(
    ['aaa', 'bbb', 'ccc'].map(async (work) => {
      try {
        answered.push(await line('one', work));
      } catch {
        answered.push(`${work} failed`);
      }
    }),
  );
  begun[0]?.free();
  await settled();
  expect([names(), answered]).toEqual([['one:aaa', 'one:bbb'], []]);
  begun[1]?.end();
  await settled();
  expect([names(), answered]).toEqual([['one:aaa', 'one:bbb', 'one:ccc'], ['bbb done']]);
  begun[0]?.end(new StoreError('unknown', null));
  await settled();
  void line('one', 'd');
  expect(names().at(-1), 'the third still has the line').toBe('one:ccc');
  begun[2]?.end();
  await answers;
  expect(answered).toEqual(['bbb done', 'aaa failed', 'ccc done']);
  expect(names().at(-1)).toBe('one:d');
});

test('STORE-7: if a batch fails, each part runs alone, and only those that must fail do', async () => {
  const { begun, line, names } = hands();
  const answers = Promise.allSettled(['a', 'b', 'c', 'd'].map((work) => line('one', work)));
  begun[0]?.end();
  await settled();
  begun[1]?.end(new Error('one of them'));
  for (const error of [undefined, new Error('this one'), undefined]) {
    await settled();
    begun.at(-1)?.end(error);
  }
  expect(
    (await answers).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
  ).toEqual(['a done', 'b done', 'Error: this one', 'd done']);
  expect(names()).toEqual(['one:a', 'one:b+c+d', 'one:b', 'one:c', 'one:d']);
});

test('STORE-7: if the database was unavailable or the outcome is unknown, nothing runs again', async () => {
  const { begun, line, names } = hands();
  const answers = Promise.allSettled(['a', 'b', 'c'].map((work) => line('one', work)));
  begun[0]?.end();
  await settled();
  begun[1]?.end(new StoreError('unknown', null));
  expect((await answers).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(names()).toEqual(['one:a', 'one:b+c']);
});
