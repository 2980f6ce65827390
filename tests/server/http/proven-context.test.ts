import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { Place } from '../ingest/fixtures.ts';
import { aPlace } from '../ingest/fixtures.ts';
import { anyStore } from '../db/databases.ts';
import { accounts, getApp, ask, login, user } from './fixtures.ts';

const REACHED = failed({ kind: 'conflict', message: 'reached' });

/** One call behind each kind of gate: public, signed in, an ability, an ingest key. */
const ONE_EACH = {
  validateUsername: 'GET auth/validate/kim',
  lastSync: 'GET sync/last-sync',
  getExecution: 'GET monitoring/backoffice/jobExecutions/7',
  ingestRestic: 'POST ingest/restic',
} as const;

test('HTTP-25: a handler gets a session, an ingest key or neither, as its gate proved', async () => {
  const place: Place = await aPlace(await anyStore());
  const userId = await user(place.ground, place.tenant, { username: 'kim', roles: ['operator'] });
  const seen: Record<string, { session: unknown; key: unknown }> = {};
  const noting = (name: string) => async (_: unknown, ctx: object) => {
    const { session, holder } = ctx as {
      session?: { userId: string };
      holder?: { key: { id: string } };
    };
    seen[name] = { session: session?.userId, key: holder?.key.id };
    return REACHED;
  };
  const app = getApp(place.ground.context, {
    ...accounts(place.ground.context),
    ...Object.fromEntries(Object.keys(ONE_EACH).map((name) => [name, noting(name)])),
  });
  const { token } = (await login(app, place.host, 'kim')).body.data;
  for (const call of Object.values(ONE_EACH)) {
    const [method = '', path = ''] = call.split(' ');
    const { status } = await ask(app, `/api/v1/${path}`, {
      method,
      host: place.host,
      token: path.startsWith('ingest/') ? place.secret : token,
    });
    expect([call, status]).toEqual([call, 409]);
  }
  expect(seen).toEqual({
    validateUsername: { session: undefined, key: undefined },
    lastSync: { session: userId, key: undefined },
    getExecution: { session: userId, key: undefined },
    ingestRestic: { session: undefined, key: place.keyId },
  });
});

test('HTTP-25: a handler that reads more than its gate proves does not compile', () => {
  const handlers: Partial<Handlers> = {
    // @ts-expect-error -- a public call has no session
    getBranding: async (_, { session }) => (session ? REACHED : REACHED),
    // @ts-expect-error -- nor an ingest key
    validateUsername: async (_, { holder }) => (holder ? REACHED : REACHED),
    // @ts-expect-error -- a source has no session
    ingestExecutions: async (_, { session }) => (session ? REACHED : REACHED),
    // @ts-expect-error -- a user has no ingest key
    listRules: async (_, { holder }) => (holder ? REACHED : REACHED),
    ingestRestic: async (_, { holder }) =>
      holder.key.revokedAt === null ? REACHED : failed({ kind: 'signed-out', message: '' }),
    // No check for null: a signed-in call has a session.
    logout: async (_, { session }) => (session.mustReset ? REACHED : ok({})),
  };
  expect(Object.keys(handlers)).toHaveLength(6);
});
