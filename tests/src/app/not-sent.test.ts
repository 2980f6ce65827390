import { afterEach, expect, test, vi } from 'vitest';
import { client, setClient } from '#src/app/worker/worker-client.ts';
import type { WorkerClient } from '#workers/api.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const broken = (): Promise<never> =>
  Promise.reject(new DOMException('It could not be cloned.', 'DataCloneError'));

test("WORDS-2: a request that can't be handed to the worker fails with the catalog's sentence, and nothing throws", async () => {
  setClient({ ask: broken, read: broken, file: broken, send: broken } as unknown as WorkerClient);
  const answers = [
    await client().ask('listTickets', {}),
    await client().read('lastSync', {}),
    await client().file('exportCompanies', {}),
    await client().send('removeView', { id: 'x' }),
  ];
  expect(answers.map((answer) => (answer.ok ? 'no failure' : answer.failure.message))).toEqual(
    Array<string>(4).fill('Error setting up the request. Try again later.'),
  );
});

const NO_ANSWER = {
  ok: false,
  failure: { kind: 'no-answer', message: 'No response received from server. Try again later.' },
} as const;

test.each([
  [true, 'No response received from server. Try again later.'],
  [false, "You're offline. Reconnect and try again."],
])(
  'WORDS-2: without an answer, while the browser is online: %s, each kind of call says: %s',
  async (onLine, sentence) => {
    vi.stubGlobal('navigator', { onLine });
    const noAnswer = (): Promise<typeof NO_ANSWER> => Promise.resolve(NO_ANSWER);
    const old = {
      ok: true,
      value: { value: 1, at: 1, live: false, failure: NO_ANSWER.failure },
    } as const;
    let known = false;
    setClient({
      ask: noAnswer,
      file: noAnswer,
      read: () => Promise.resolve(known ? old : NO_ANSWER),
    } as unknown as WorkerClient);
    const answers = [
      await client().ask('listTickets', {}),
      await client().file('exportCompanies', {}),
      await client().read('lastSync', {}),
    ];
    known = true;
    const read = await client().read('lastSync', {});
    expect([
      ...answers.map((answer) => (answer.ok ? '' : answer.failure.message)),
      read.ok && !read.value.live && read.value.failure.message,
    ]).toEqual(Array<string>(4).fill(sentence));
  },
);
