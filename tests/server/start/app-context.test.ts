import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { allHandlers } from '#server/handlers.ts';
import { makeAppContext } from '#server/make-app-context.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { readToken } from '#server/platform/auth/tokens.ts';
import { embedded } from '../db/databases.ts';
import { getApp, ask, login, makeFixture, provider, user } from '../http/fixtures.ts';

const ENVIRONMENT = ['chance', 'clock', 'config', 'log', 'store'];
const SERVICES = [
  'autotaskZones',
  'blobThreads',
  'cloud',
  'embeddedEngine',
  'vb365Engine',
  'ingestBodies',
  'issuers',
  'keyring',
  'knownSessions',
  'mailPreviews',
  'payments',
  'quickBooksRenewals',
  'resultQueue',
  'runningCommands',
  'serverId',
  'sessionKey',
  'sharedLimits',
] as const satisfies readonly (keyof AppContext)[];

const folder = mkdtempSync(join(tmpdir(), 'daybook-context-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('HOUSE-8: a server has these services, and two servers in one process share none of them', async () => {
  const { context } = await makeFixture({}, await embedded());
  const other = makeAppContext(context);
  expect(Object.keys(context).toSorted()).toEqual([...ENVIRONMENT, ...SERVICES].toSorted());
  expect(SERVICES.filter((name) => context[name] === other[name])).toEqual([]);
});

test('HOUSE-8: sessions that one server has cached are unknown to another on the same database', async () => {
  const fixture = await makeFixture({}, await embedded());
  const { tenant, host } = await provider(fixture);
  await user(fixture, tenant, { username: 'kim' });
  const app = getApp(fixture.context, allHandlers(fixture.context));
  const { token } = (await login(app, host, 'kim')).body.data;
  expect((await ask(app, '/api/v1/sync/last-sync', { host, token })).status).toBe(200);
  const id = readToken(token)?.session ?? '';
  const other = makeAppContext(fixture.context);
  expect(fixture.context.knownSessions.get(tenant, id)).toBeDefined();
  expect(other.knownSessions.get(tenant, id)).toBeUndefined();
});

test('HOUSE-8: each server reads its own secret key, also if both are in one process', async () => {
  const { context } = await makeFixture({}, await embedded());
  const [first, second, again] = ['first', 'second', 'first'].map((name) =>
    makeAppContext({
      ...context,
      config: { ...context.config, secretKey: null, dataDir: join(folder, name) },
    }).keyring.keys(),
  );
  expect(first).toEqual(again);
  expect(first?.[0].id).not.toBe(second?.[0].id);
});

/** Modules with state of their own, and why servers in one process may share it. */
const STATEFUL: Readonly<Record<string, string>> = {
  'server/demo/times.ts': 'a value depends on its key alone',
  'server/engine/embedded/formats/time-zone.ts': 'a value depends on its key alone',
  'server/engine/embedded/imports/archives/pst.ts': 'is always empty',
  'server/engine/embedded/restic/blob-thread.ts': 'is a thread',
  'server/features/ingest/load-decision-state.ts': 'is always empty',
  'server/main.ts': 'is the process',
  'server/platform/crypto/passwords.ts': 'limits the cores and memory of the process',
  'server/platform/db/prepared.ts': 'a value depends on its key alone',
  'server/platform/http/body-budget.ts': 'a key is a request, which one server has',
  'server/platform/jobs/cron.ts': 'a value depends on its key alone',
  'server/platform/queries/marks.ts': 'a value depends on its key alone',
  'server/proxy.ts': 'is the process',
};

test('HOUSE-8: only the listed modules of the server have state of their own', () => {
  const holding = readdirSync('server', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('server', name))
    .filter((path) =>
      /^(?:export )?(?:let |const \w+(?:: [^=]+)? = new (?:WeakMap|Map|LRUCache)(?:<[^()]*>)?\((?:\)|\{ ?max))/m.test(
        readFileSync(path, 'utf8'),
      ),
    );
  expect(holding.toSorted()).toEqual(Object.keys(STATEFUL));
});
