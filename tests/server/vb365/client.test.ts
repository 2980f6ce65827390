import { createHash } from 'node:crypto';
import { array, assert, asyncProperty, boolean, integer, record } from 'fast-check';
import * as v from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';
import { makeVb365Client } from '#server/engine/vb365/client.ts';
import type { Endpoint } from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { startSecureVb365, startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import {
  addJob,
  addOrganization,
  addSession,
  type Vb365Version,
} from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE, json } from '../outbound/listen.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const NOON = Date.UTC(2026, 2, 2, 12);
const MINUTE = 60_000;
const IdRow = v.object({ id: v.string() });

let now = NOON;
let server: Vb365Server | undefined;
afterEach(async () => {
  await server?.outside.stop();
  server = undefined;
});

const endpoint = (address: string, more: Partial<Endpoint> = {}): Endpoint => ({
  address,
  certificate: null,
  credentials: { kind: 'password', ...USER },
  ...more,
});

async function connect(version: Vb365Version, secret: string = USER.secret) {
  now = NOON;
  server = await startVb365(version, () => now);
  const { context } = await makeFixture(HERE);
  const clock = { ...context.clock, now: () => now };
  return {
    server,
    client: makeVb365Client(
      { ...context, clock },
      endpoint(server.outside.url, { credentials: { kind: 'password', name: USER.name, secret } }),
    ),
  };
}

async function readAll(
  pages: AsyncGenerator<readonly { readonly id: string }[]>,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const rows of pages) ids.push(...rows.map(({ id }) => id));
  return ids;
}
const getError = (work: Promise<unknown>): Promise<SourceError> =>
  work.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: unknown) => {
      if (error instanceof SourceError) return error;
      throw error;
    },
  );

describe.each(['v8', 'v7'] as const)('%s', (version) => {
  test('VB365-1: the client finds the version of the server, and asks no other afterwards', async () => {
    const { server: vb365, client } = await connect(version);
    expect(await client.findVersion()).toBe(version);
    const before = vb365.outside.asked.length;
    await client.read('License', v.object({ totalNumber: v.literal(500) }));
    expect(vb365.outside.asked.slice(before).map(({ path }) => path)).toEqual([
      `/${version}/License`,
    ]);
    expect(vb365.tokens.signIns).toBe(1);
  });

  test('VB365-1: a token is renewed before it ends, and the client signs in again if the renewal is refused', async () => {
    const { server: vb365, client } = await connect(version);
    const { tokens, content } = vb365;
    addOrganization(content, 'Example');
    const read = () => readAll(client.readPages('Organizations', IdRow));
    await read();
    expect([tokens.signIns, tokens.renewals]).toEqual([1, 0]);
    now += 59 * MINUTE;
    await read();
    expect([tokens.signIns, tokens.renewals]).toEqual([1, 0]);
    now += MINUTE;
    // Requests at the same time share one renewal.
    await Promise.all([read(), read(), read()]);
    expect([tokens.signIns, tokens.renewals]).toEqual([1, 1]);
    // The service restarted: it knows neither token any more.
    tokens.forgetAll();
    expect(await read()).toHaveLength(1);
    expect([tokens.signIns, tokens.renewals]).toEqual([2, 1]);
    tokens.forgetAll();
    now += 61 * MINUTE;
    expect(await read()).toHaveLength(1);
    expect([tokens.signIns, tokens.renewals]).toEqual([3, 1]);
  });

  test('VB365-1: whenever requests are made, each is signed in, and no token is used after its end', async () => {
    await assert(
      asyncProperty(
        array(
          record({
            afterMs: integer({ min: 0, max: 150 * MINUTE }),
            isRestarted: boolean(),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        integer({ min: 1, max: 90 }),
        async (requests, lifeMinutes) => {
          const { server: vb365, client } = await connect(version);
          vb365.tokens.lifeMs = lifeMinutes * MINUTE;
          for (const { afterMs, isRestarted } of requests) {
            now += afterMs;
            if (isRestarted) vb365.tokens.forgetAll();
            expect(await client.read('License', v.object({ status: v.string() }))).toEqual({
              status: 'Valid',
            });
          }
          await vb365.outside.stop();
        },
      ),
      { numRuns: 10 * PROOF },
    );
  });

  test('VB365-2: a list is read to its end, each row once, whatever the size of its pages and however they are cut', async () => {
    await assert(
      asyncProperty(
        integer({ min: 0, max: 40 }),
        integer({ min: 1, max: 12 }),
        integer({ min: 1, max: 15 }),
        boolean(),
        async (count, pageRows, cap, isGrowing) => {
          const { server: vb365, client } = await connect(version);
          const { content } = vb365;
          const job = addJob(content, addOrganization(content, 'Example'), 'Nightly');
          for (let n = 0; n < count; n += 1) addSession(content, job, NOON - n * MINUTE);
          const expected = content.sessions.map(({ id }) => id);
          // The server gives less than it was asked for, and says so.
          vb365.failure = async (request, path) => {
            if (path !== 'jobsessions' || isCapped(request.path, cap)) return null;
            return vb365.answer({
              ...request,
              path: request.path.replace(/limit=\d+/, `limit=${cap}`),
            });
          };
          let pages = 0;
          const ids: string[] = [];
          for await (const rows of client.readPages('JobSessions', IdRow, pageRows)) {
            ids.push(...rows.map(({ id }) => id));
            pages += 1;
            // A session that begins meanwhile moves all others.
            if (isGrowing && pages === 1) addSession(content, job, NOON + MINUTE);
          }
          expect(new Set(ids).size).toBe(ids.length);
          expect(expected.filter((id) => !ids.includes(id))).toEqual([]);
          await vb365.outside.stop();
        },
      ),
      { numRuns: 15 * PROOF },
    );
  });

  test('VB365-2: each request is one that the version publishes: a list without pages is read as a whole', async () => {
    const { server: vb365, client } = await connect(version);
    const { content } = vb365;
    for (const name of ['One', 'Two', 'Three'])
      addJob(content, addOrganization(content, name), 'Nightly');
    for (const list of ['Organizations', 'Jobs', 'BackupRepositories', 'Proxies'])
      expect([list, (await readAll(client.readPages(list, IdRow, 2))).length]).toEqual([
        list,
        list === 'Organizations' || list === 'Jobs' ? 3 : 1,
      ]);
  });

  test('VB365-3: a command is sent with its body, and its answer is read whatever its status', async () => {
    const { server: vb365, client } = await connect(version);
    const { content } = vb365;
    const job = addJob(content, addOrganization(content, 'Example'), 'Nightly');
    const start = () =>
      client.command(
        { method: 'POST', path: `Jobs/${job.id}/start`, body: { full: false } },
        IdRow,
      );
    const started = await start();
    expect(started).toEqual(version === 'v8' ? { id: content.sessions[0]?.id } : null);
    const refused = await getError(start());
    expect([refused.kind, refused.code]).toEqual([
      'failed',
      version === 'v8' ? 'OperationConflict' : null,
    ]);
    expect(refused.message).toContain('The job is already running.');
    expect(
      await client.command({ method: 'POST', path: `Jobs/${job.id}/disable` }, null),
    ).toBeNull();
    expect(job.isEnabled).toBe(false);
  });

  test('VB365-4: wrong credentials, a busy, a silent and a gone server are each told apart, without a secret', async () => {
    const wrong = await connect(version, 'not the secret');
    const errors = [await getError(wrong.client.read('License', v.unknown()))];
    await wrong.server.outside.stop();
    const { server: vb365, client } = await connect(version);
    await client.findVersion();
    vb365.failure = () => ({
      ...json({ message: 'Too many.' }, 429),
      headers: { 'retry-after': '7' },
    });
    errors.push(await getError(client.read('License', v.unknown())));
    vb365.failure = () => json({ message: 'No rights.' }, 403);
    errors.push(await getError(client.read('License', v.unknown())));
    vb365.failure = () => ({ body: '<html>' });
    errors.push(await getError(client.read('License', v.unknown())));
    vb365.failure = () => json({ totalNumber: 'many' });
    errors.push(await getError(client.read('License', v.object({ totalNumber: v.number() }))));
    vb365.failure = () => null;
    errors.push(await getError(client.read('Jobs/none', v.unknown())));
    await vb365.outside.stop();
    errors.push(await getError(client.read('License', v.unknown())));
    expect(errors.map(({ kind, waitMs }) => [kind, waitMs])).toEqual([
      ['refused', null],
      ['busy', 7_000],
      ['forbidden', null],
      ['failed', null],
      ['failed', null],
      ['missing', null],
      ['unreachable', null],
    ]);
    for (const { message } of errors) {
      expect(message).toMatch(/^[A-Z\d].*\.$/);
      expect(message).not.toContain('secret');
      expect(message).not.toContain(USER.secret);
    }
  });
});

test('VB365-1: a server that is upgraded from version 7 to 8 is found again', async () => {
  const { server: old, client } = await connect('v7');
  const { content } = old;
  addOrganization(content, 'Example');
  expect(await client.findVersion()).toBe('v7');
  const { port } = old.outside;
  await old.outside.stop();
  server = await startVb365('v8', () => now, content, port);
  expect(await readAll(client.readPages('Organizations', IdRow))).toHaveLength(1);
  expect(await client.findVersion()).toBe('v8');
});

test('VB365-1: an address that is no such server is named as that', async () => {
  const { server: vb365, client } = await connect('v8');
  vb365.failure = () => ({ status: 404 });
  const error = await getError(client.findVersion());
  expect(error.message).toMatch(/has neither version 8 nor version 7 of the REST API/);
});

test('VB365-5: the pinned certificate is trusted and no other: a changed one is refused before anything is sent, and both are named', async () => {
  const secure = await startSecureVb365('v8', Date.now);
  try {
    const { context } = await makeFixture(HERE);
    const read = (certificate: string | null) =>
      makeVb365Client(context, endpoint(secure.url, { certificate })).read(
        'License',
        v.object({ status: v.string() }),
      );
    const untrusted = await getError(read(null));
    expect(untrusted.message).toBe(
      'The certificate of 127.0.0.1 is not trusted, or belongs to another host.',
    );
    expect(secure.queries).toEqual([]);
    expect(await read(secure.certificate)).toEqual({ status: 'Valid' });
    const before = secure.queries.length;
    const next = await secure.renewCertificate();
    const changed = await getError(read(secure.certificate));
    expect(changed.kind).toBe('unreachable');
    expect(changed.message).toBe(
      `The certificate of 127.0.0.1 has changed. Its SHA-256 fingerprint is ${fingerprint(next)}, and the pinned one is ${fingerprint(secure.certificate)}.`,
    );
    expect(secure.queries).toHaveLength(before);
    expect(await read(next)).toEqual({ status: 'Valid' });
  } finally {
    await secure.stop();
  }
});

/** SHA-256 of the certificate's bytes, in pairs. */
function fingerprint(pem: string): string {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  const hex = createHash('sha256').update(der).digest('hex').toUpperCase();
  return (hex.match(/../g) ?? []).join(':');
}

const isCapped = (path: string, cap: number): boolean =>
  Number(/limit=(\d+)/.exec(path)?.[1] ?? 0) <= cap;
