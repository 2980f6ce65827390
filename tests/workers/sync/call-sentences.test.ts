import { expect, test } from 'vitest';
import type { CallName } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import { makeWire } from '#workers/sync/wire.ts';
import {
  BY_PATTERN,
  CATALOGUE,
  NO_RESPONSE,
  NOT_SET_UP,
  OTHER_SENTENCES,
  SERVER_MESSAGE_FIRST,
  USERNAME_EXISTS,
} from '../../contract/catalogue.ts';

const clock = { now: () => 0, after: () => () => {} };
const getWire = (fetch: typeof globalThis.fetch) =>
  makeWire({
    fetch,
    origin: 'https://portal.test',
    clock,
    tokens: { get: () => Promise.resolve(ok('token')) },
  });
const answering = (status: number, body: unknown) =>
  getWire(() =>
    Promise.resolve(
      new Response(body === null ? null : JSON.stringify(body), {
        status,
        headers: { 'content-type': 'application/json' },
      }),
    ),
  );
const never: typeof fetch = () => {
  throw new Error('sent');
};
const ID = '01JZ0000000000000000000000';

/** The sentence with which a call fails, as a list and as a file. */
async function loadSentences(
  name: CallName,
  wire: ReturnType<typeof getWire>,
  input: unknown = { id: ID },
): Promise<readonly string[]> {
  const answers = [await wire.raw(name, input), await wire.file(name, input)];
  return [...new Set(answers.map((answer) => (answer.ok ? 'no failure' : answer.failure.message)))];
}

const CASES = [...CATALOGUE, ...BY_PATTERN].flatMap(([sentence, ...calls]) =>
  calls.map((name) => [name, sentence] as const),
);

test.each(CASES)(
  'WORDS-2: %s fails with its own sentence when the server answers 500 without a message: %s',
  async (name, sentence) => {
    expect(await loadSentences(name, answering(500, null))).toEqual([sentence]);
    expect(await loadSentences(name, answering(500, { success: false, message: '' }))).toEqual([
      sentence,
    ]);
    expect(
      await loadSentences(
        name,
        answering(500, {
          success: false,
          message: "Something went wrong on the server. We've logged the error.",
          error: { kind: 'server-error' },
        }),
      ),
    ).toEqual([sentence]);
  },
);

test.each(CASES)(
  'WORDS-2: %s says when the server did not answer, or the request could not be built',
  async (name) => {
    expect(
      await loadSentences(
        name,
        getWire(() => Promise.reject(new TypeError('Failed to fetch'))),
      ),
    ).toEqual([NO_RESPONSE]);
    // Text that no path holds, an object that no query holds, and a number that JSON does not hold.
    expect(
      await loadSentences(name, getWire(never), {
        id: '\uD800',
        jobInstanceUid: '\uD800',
        username: '\uD800',
        accountId: '\uD800',
        veeamId: '\uD800',
        query: Object.create(null),
        at: 1n,
      }),
    ).toEqual([NOT_SET_UP]);
  },
);

test.each(CASES)(
  'WORDS-3: %s shows the message of an expected refusal, whatever its sentence',
  async (name) => {
    expect(
      await loadSentences(
        name,
        answering(403, {
          success: false,
          message: 'Ask your administrator.',
          error: { kind: 'forbidden' },
        }),
      ),
    ).toEqual(['Ask your administrator.']);
  },
);

test.each(SERVER_MESSAGE_FIRST)(
  'WORDS-3: %s shows the message of the server also for a fault',
  async (name) => {
    expect(
      await loadSentences(
        name,
        answering(500, {
          success: false,
          message: 'The directory rejected the entry.',
          error: { kind: 'server-error' },
        }),
      ),
    ).toEqual(['The directory rejected the entry.']);
    expect(
      await loadSentences(
        name,
        answering(500, { success: false, message: 'The directory rejected the entry.' }),
      ),
    ).toEqual(['The directory rejected the entry.']);
  },
);

test('WORDS-3: a database sign-in shows the whole answer where it is text', async () => {
  expect(await loadSentences('loginDb', answering(500, 'The account is closed.'))).toEqual([
    'The account is closed.',
  ]);
  expect(
    await loadSentences(
      'loginDb',
      answering(400, { success: false, data: 'The account is closed.' }),
    ),
  ).toEqual(['The account is closed.']);
  expect(
    await loadSentences(
      'loginDb',
      answering(401, { success: false, message: 'The account is closed.' }),
    ),
  ).toEqual(['The account is closed.']);
  expect(await loadSentences('loginDb', answering(401, null))).toEqual(['Error while logging in']);
  expect(
    await loadSentences(
      'loginDb',
      getWire(() => Promise.resolve(new Response('<h1>Welcome</h1>', { status: 500 }))),
    ),
  ).toEqual(['Error while logging in']);
});

test('WORDS-3: the message of a server error is not shown if the catalog has its own sentence', async () => {
  expect(
    await loadSentences(
      'deleteTicket',
      answering(500, { success: false, message: 'x', error: { kind: 'server-error' } }),
    ),
  ).toEqual(['Error while deleting the ticket. Try again later.']);
});

test('WORDS-2: a profile change answered with 409 says that the username exists', async () => {
  expect(await loadSentences('editProfile', answering(409, null))).toEqual([USERNAME_EXISTS]);
  expect(
    await loadSentences(
      'editProfile',
      answering(409, { success: false, message: 'Taken', error: { kind: 'conflict' } }),
    ),
  ).toEqual([USERNAME_EXISTS]);
});

test('WORDS-2: a refused session says that it has expired', async () => {
  const expired = { success: false, message: 'Token expired', error: { kind: 'expired' } };
  const wire = makeWire({
    fetch: () => Promise.resolve(Response.json(expired, { status: 401 })),
    origin: 'https://portal.test',
    clock,
    tokens: {
      get: (refused) =>
        Promise.resolve(
          refused === null
            ? ok('token')
            : {
                ok: false,
                failure: {
                  kind: 'expired',
                  message: 'Your session has expired. Please log in again to continue.',
                },
              },
        ),
    },
  });
  expect(await loadSentences('listTickets', wire)).toEqual([
    'Your session has expired. Please log in again to continue.',
  ]);
});

test.each(OTHER_SENTENCES)(
  'WORDS-2: a sentence of the catalog that no call fails with by itself is shown to the letter: %s',
  (sentence, shown) => {
    expect(shown).toBe(sentence);
  },
);
