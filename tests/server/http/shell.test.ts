import { beforeAll, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { CALLS, getCall } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { ROLES } from '#contract/abilities.ts';
import type { Role } from '#contract/abilities.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { CSP } from '#server/platform/http/security-headers.ts';
import type { RequestContext, Handlers } from '#server/platform/http/handler.ts';
import { getAddresses } from '#server/platform/http/mount.ts';
import { type Callers, getCallers, listUnused } from './call-roles.ts';
import type { App, Fixture } from './fixtures.ts';
import {
  accounts,
  allowCards,
  getApp,
  ask,
  login,
  makeFixture,
  provider,
  user,
} from './fixtures.ts';

let fixture: Fixture;
let app: App;
let host: string;
let token: string;
const reached: { name: CallName; input: unknown; ask: RequestContext }[] = [];

/**
 * Every call of the table with a handler that notes that it was reached: a new call is covered
 * without a new line.
 */
const noting = (): Partial<Handlers> =>
  Object.fromEntries(
    (Object.keys(CALLS) as CallName[]).map((name) => [
      name,
      async (input: unknown, request: RequestContext) => {
        reached.push({ name, input, ask: request });
        return getCall(name).output === 'bytes' || getCall(name).output === 'stream'
          ? new Response('x')
          : failed({ kind: 'conflict', message: 'reached' });
      },
    ]),
  );

beforeAll(async () => {
  fixture = await makeFixture();
  const handlers = noting();
  app = getApp(fixture.context, { ...handlers, ...accounts(fixture.context) });
  const { tenant, host: at } = await provider(fixture);
  host = at;
  await user(fixture, tenant, { roles: ['admin', 'operator', 'super-admin'] });
  token = (await login(app, host)).body.data.token;
});

const getAddress = (name: CallName): string =>
  `/api/v1/${getCall(name).path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')}`;
const names = Object.keys(CALLS) as CallName[];
const getBody = (name: CallName): unknown =>
  ['GET', 'DELETE'].includes(getCall(name).method) ? undefined : {};
const bulk = '/api/v1/monitoring/backoffice/jobExecutions/bulk';
const post = (path: string, body: unknown, more: object = {}) =>
  ask(app, path, { method: 'POST', host, token, body, ...more });
const change = { kind: 'reopen' };

test('HTTP-1: answers have an envelope, failures with their kind and status', async () => {
  const good = await ask(app, '/api/v1/service-providers/branding', { host });
  expect([good.status, Object.keys(good.body), good.body.success]).toEqual([
    200,
    ['success', 'data'],
    true,
  ]);
  expect(good.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const refused = await post(bulk, { ids: [1], change });
  expect([refused.status, refused.body]).toEqual([
    409,
    { success: false, message: 'reached', error: { kind: 'conflict' } },
  ]);
});

test('HTTP-2: an unknown address below the API is no-such-call with every method, signed in or not', async () => {
  for (const path of [
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v1/no/such',
    '/api/v2/service-providers/branding',
    '/api/v1/SYNC/events',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, body } = await ask(app, path, { method, host, token });
      expect([path, method, status, body?.error.kind]).toEqual([path, method, 404, 'no-such-call']);
    }
  }
  expect((await ask(app, bulk, { method: 'DELETE', host })).body.error.kind).toBe('no-such-call');
});

test('HTTP-22: every call also works with a slash at the end of its address, and nothing else does', async () => {
  for (const name of names.filter((one) => !['public', 'ingest-key'].includes(getCall(one).gate))) {
    const { method } = getCall(name);
    const [plain, slash] = [
      await ask(app, getAddress(name), { method, host, body: getBody(name) }),
      await ask(app, `${getAddress(name)}/`, { method, host, body: getBody(name) }),
    ];
    expect([name, slash.status, slash.body.error.kind]).toEqual([
      name,
      plain.status,
      plain.body.error.kind,
    ]);
  }
  reached.length = 0;
  await ask(app, '/api/v1/monitoring/reporting/get-all-sla-alarm/', { host, token });
  await post(`${bulk}/`, { ids: [1], change });
  await ask(app, '/api/v1/monitoring/backoffice/jobExecutions/7/', { host, token });
  expect(reached.map(({ name }) => name)).toEqual([
    'listSlaAlarms',
    'changeExecutions',
    'getExecution',
  ]);
  for (const path of [
    '/api/v1/monitoring/reporting/get-all-sla-alarm//',
    '/api/v1/monitoring/backoffice/jobExecutions/',
    '/api/v1/profile//',
  ]) {
    expect([path, (await ask(app, path, { host, token })).body.error.kind]).toEqual([
      path,
      'no-such-call',
    ]);
  }
});

test('HTTP-3: two calls at one address fail at the start, and a fixed word wins over a parameter', () => {
  expect(() => getAddresses(['getExecution', 'getExecution'])).toThrow(
    /Two calls at one address: getExecution and getExecution/,
  );
  const paths = getAddresses(names).map(({ path }) => path);
  expect(paths.indexOf('/api/v1/monitoring/backoffice/jobExecutions/bulk')).toBeLessThan(
    paths.indexOf('/api/v1/monitoring/backoffice/jobExecutions/:id'),
  );
});

test('HTTP-4: without a session, a call that needs one answers 401 before it reads the input', async () => {
  for (const name of names.filter((one) => !['public', 'ingest-key'].includes(getCall(one).gate))) {
    const { method } = getCall(name);
    const sent = method === 'GET' || method === 'DELETE' ? undefined : '{ this is not JSON';
    const { status, body } = await ask(app, getAddress(name), {
      method,
      host,
      body: sent,
      headers: { 'content-length': sent === undefined ? '0' : '99999999' },
    });
    expect([name, status, body.error.kind]).toEqual([name, 401, 'signed-out']);
  }
});

test('G29: every call admits exactly the roles that the specification names for it', async () => {
  const calls = names.map((name) => getCall(name));
  expect(
    calls.flatMap(({ method, path }) =>
      getCallers(method, path) === null ? [`${method} ${path}`] : [],
    ),
    'Add who may make the call to CALLERS in call-roles.ts.',
  ).toEqual([]);
  expect(listUnused(calls)).toEqual([]);
  const { tenant, host: at } = await provider(fixture);
  await allowCards(fixture, tenant);
  const tokens = new Map<Role | 'nobody', string | undefined>([['nobody', undefined]]);
  for (const role of ROLES) {
    await user(fixture, tenant, { username: role, roles: [role] });
    tokens.set(role, (await login(app, at, role)).body.data.token);
  }
  const wrong: string[] = [];
  // Signing out ends the session, and a refresh is by its cookie alone.
  for (const name of names.filter((one) => one !== 'logout' && one !== 'refresh')) {
    const { method, path } = getCall(name);
    const callers = getCallers(method, path);
    for (const [role, held] of tokens) {
      const { status, body } = await ask(app, getAddress(name), {
        method,
        host: at,
        body: getBody(name),
        ...(held === undefined ? {} : { token: held }),
      });
      const kind = [401, 403].includes(status) ? body.error.kind : null;
      // The step of a sign-in that nobody has begun has expired: that is the call's own answer.
      const refusal = callers === 'anyone' && kind === 'expired' ? null : kind;
      if (refusal !== getRefusal(callers, role) || [404, 405].includes(status) || status >= 500)
        wrong.push(`${role} ${name}: ${status} ${refusal}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Null: the call admits them. */
function getRefusal(
  callers: Callers | null,
  role: Role | 'nobody',
): 'signed-out' | 'forbidden' | null {
  if (callers === 'anyone') return null;
  if (callers === 'key' || role === 'nobody') return 'signed-out';
  return callers === 'everyone' || callers?.includes(role) === true ? null : 'forbidden';
}

test('G53: unknown fields are refused by name, and input is never echoed', async () => {
  const secret = 'S3cretValue';
  const answer = await ask(app, '/api/v1/auth/login/db', {
    method: 'POST',
    host,
    body: { username: 1, password: { secret }, role: secret, [`<b>${secret}`]: 1 },
  });
  expect([answer.status, answer.body.message]).toEqual([400, MESSAGES.badInput]);
  expect(answer.body.error.issues).toEqual(
    expect.arrayContaining([
      { path: 'username', message: 'Expected string.' },
      { path: 'password', message: 'Expected string.' },
      { path: 'role', message: 'Unknown field.' },
    ]),
  );
  expect(answer.text).not.toContain(secret);
  const deep = await post(bulk, {
    ids: [1],
    change: { kind: 'snooze', until: secret, reason: '' },
  });
  expect(deep.body.error.issues?.map(({ path }) => path)).toEqual([
    'change.until',
    'change.reason',
  ]);
  const missing = await post(bulk, { change });
  expect(missing.body.error.issues).toEqual([{ path: 'ids', message: 'Missing.' }]);
  expect(
    (await ask(app, '/api/v1/sync/last-sync?extra=1', { host, token })).body.error.issues,
  ).toEqual([{ path: 'extra', message: 'Unknown field.' }]);
});

test('G53: keys that reach a prototype are refused at any depth and in any notation', async () => {
  const bodies = [
    '{"ids":[1],"change":{"kind":"reopen"},"__proto__":{"admin":true}}',
    '{"ids":[1],"change":{"kind":"reopen","__proto__":{"x":1}}}',
    '{"ids":[1],"change":{"kind":"reopen"},"\\u005f_proto__":{}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"ids":[{"prototype":1}]}',
    '{"ids":[[[[{"__proto__":1}]]]]}',
  ];
  for (const body of bodies) {
    const answer = await post(bulk, body);
    expect([body, answer.status, answer.body.error.kind]).toEqual([body, 400, 'bad-input']);
  }
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  expect((await ask(app, '/api/v1/sync/events?__proto__=1', { host, token })).status).toBe(400);
});

test('G53: a parameter given twice is refused, in the query and next to the address', async () => {
  expect(
    (await ask(app, '/api/v1/sync/events?after=1&after=2&epoch=x', { host, token })).body.error
      .issues,
  ).toEqual([{ path: 'after', message: 'Given more than once.' }]);
  const id = '/api/v1/monitoring/backoffice/jobExecutions/7';
  expect(
    (await ask(app, id, { method: 'PUT', host, token, body: { id: 8, change } })).body.error.issues,
  ).toEqual([{ path: 'id', message: 'Must equal the value in the address, or be left out.' }]);
  expect((await post(`${bulk}?ids=1`, { ids: [1], change })).status).toBe(400);
});

test('HTTP-5: a body that is not a JSON object in UTF-8 is refused, whatever it is', async () => {
  for (const body of [
    '',
    '[]',
    '"x"',
    'null',
    '12',
    '{',
    '\u0000',
    '['.repeat(200_000),
    `{"a":${'['.repeat(50)}${']'.repeat(50)}}`,
  ]) {
    expect((await post(bulk, body)).status).toBe(400);
  }
  const latin = await app.request(bulk, {
    method: 'POST',
    headers: { host, 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from('{"a":"\xff"}', 'latin1'),
  });
  expect(latin.status).toBe(400);
  expect(
    (
      await post(bulk, 'ids=1', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    ).status,
  ).toBe(400);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (body) => {
      const { status } = await post(bulk, body);
      expect([400, 409]).toContain(status);
    }),
    { numRuns: 50 * Number(process.env['PROOF'] ?? 1) },
  );
});

test('HTTP-6: a body above a mebibyte is refused while it arrives, not after', async () => {
  expect((await post(bulk, `{"a":"${'x'.repeat(1_048_576)}"}`)).body.error.kind).toBe('too-large');
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(65_536).fill(120));
    },
  });
  const answer = await app.request(bulk, {
    method: 'POST',
    headers: { host, 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    body: endless,
    duplex: 'half',
  } as RequestInit);
  expect(answer.status).toBe(413);
  expect(pulled).toBeLessThan(40);
});

/** The command's key as the handler saw it, or the places that were wrong with it. */
async function loadKey(body: unknown, headers: Record<string, string>): Promise<unknown> {
  reached.length = 0;
  const { status, body: answer } = await post(bulk, body, { headers });
  return status === 409 ? reached[0]?.ask.command : answer.error.issues?.map(({ path }) => path);
}

test('OUT-3: the key of a command is its ID, its device and its number, and a hash of the call with its input', async () => {
  const id = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';
  const device = '9b2d4f60-1c2e-4b7a-8f00-aa11bb22cc33';
  const all = { 'idempotency-key': id, 'daybook-device': device, 'daybook-order': '7' };
  const one = await loadKey({ ids: [1], change }, all);
  expect(one).toEqual({
    id: id.toLowerCase(),
    device,
    order: 7,
    bodyHash: expect.stringMatching(/^[\da-f]{64}$/),
  });
  expect(await loadKey(`{ "change": {"kind": "reopen"}, "ids": [1] }`, all)).toEqual(one);
  expect(await loadKey({ ids: [2], change }, all)).not.toEqual(one);
  expect(await loadKey({ ids: [1], change }, {})).toBeNull();
  expect(await loadKey({ ids: [1], change }, { 'idempotency-key': 'x' })).toEqual([
    'idempotency-key',
    'daybook-device',
    'daybook-order',
  ]);
  expect(await loadKey({ ids: [1], change }, { ...all, 'daybook-order': '0' })).toEqual([
    'daybook-order',
  ]);
});

test('HTTP-7: an answer that breaks its contract is a server error without details; a bug reveals nothing', async () => {
  const faulty = getApp(fixture.context, {
    ...accounts(fixture.context),
    listKeys: async () => ok([{ secret: 'S3cret' }]) as never,
    lastSync: async () => {
      throw new Error('S3cret in a bug');
    },
    logout: async () => ok({ extra: 'S3cret' }),
  });
  for (const path of ['/api/v1/monitoring/sources', '/api/v1/sync/last-sync']) {
    const { status, text, headers } = await ask(faulty, path, { host, token });
    expect([status, JSON.parse(text)]).toEqual([
      500,
      { success: false, message: MESSAGES.serverError, error: { kind: 'server-error' } },
    ]);
    expect(headers.get('content-security-policy')).toBe(CSP);
  }
  expect(fixture.lines.some((line) => line.includes('an answer breaks its contract'))).toBe(true);
  expect(
    fixture.lines.some((line) => line.includes('a request failed') && line.includes('stack')),
  ).toBe(true);
  expect(
    (await ask(faulty, '/api/v1/auth/logout', { method: 'POST', host, token, body: {} })).text,
  ).toBe('{"success":true,"data":{}}');
  token = (await login(app, host)).body.data.token;
});

test('G46, G45: every kind of answer has security headers', async () => {
  expect(CSP).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types daybook",
  );
  const kinds = [
    await ask(app, '/api/v1/service-providers/branding', { host }),
    await ask(app, '/api/v1/none', { host }),
    await ask(app, '/none', { host }),
    await ask(app, bulk, { method: 'POST', host, body: {} }),
    await post(bulk, '{'),
    await ask(app, '/api/v1/openapi.json', { host }),
    await ask(app, '/api/v1/sync/runs/2026-01-01', { host, token }),
    await ask(app, '/api/v1/service-providers/branding', { method: 'HEAD', host }),
  ];
  expect(kinds.map(({ status }) => status)).toEqual([200, 404, 404, 401, 400, 200, 200, 200]);
  for (const { headers } of kinds) {
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    expect(headers.get('strict-transport-security')).toBeNull();
  }
  expect(kinds.filter(({ headers }) => headers.get('cache-control') !== 'no-store')).toEqual([
    kinds[2],
  ]);
});

test('AUTH-8: the requested host selects the portal, and an unknown host gets none', async () => {
  const { host: other, tenant } = await provider(fixture);
  const own = await ask<{
    id: string;
    apiUrl: string;
    title: string;
    sidebarTitle: string;
    sidebar: null;
  }>(app, '/api/v1/service-providers/branding', { host: `${other.toUpperCase()}:4300` });
  expect(own.body.data).toMatchObject({
    id: tenant,
    apiUrl: '/api/v1',
    title: 'Portal',
    sidebarTitle: 'Portal',
    sidebar: null,
  });
  const stranger = await ask(app, '/api/v1/service-providers/branding', { host: 'nobody.example' });
  expect([stranger.status, stranger.body.error.kind]).toEqual([404, 'not-found']);
  expect(
    (await ask(app, '/api/v1/sync/last-sync', { host: 'nobody.example', token })).body.error.kind,
  ).toBe('signed-out');
});
