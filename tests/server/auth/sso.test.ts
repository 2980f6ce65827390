import { beforeAll, expect, test } from 'vitest';
import type { PersonSettings } from '#contract/auth/profile.ts';
import type { ProviderSettings, SecretName } from '#contract/branding/settings.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ssoHandlers } from '#server/features/auth/sso.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { accounts, getApp, ask, login, makeFixture, provider, user } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { HERE, json, outside } from '../outbound/outside.ts';
import type { Query, Outside, Details } from '../outbound/outside.ts';

let fixture: Fixture;
let app: App;
beforeAll(async () => {
  fixture = await makeFixture(HERE);
  app = getApp(fixture.context, { ...accounts(fixture.context), ...ssoHandlers(fixture.context) });
});

const MINE = {
  vac: { username: 'kate@vac', enabled: true },
  vcd: { username: 'kate', enabled: true },
  zerto: { zorgId: 'zorg-1', enabled: true },
} as const;
interface Answer {
  readonly url: string;
  readonly sessionId: string | null;
}

/** A provider, a user with these accounts, and a way to click. */
async function clicker(
  sso: NonNullable<ProviderSettings['sso']> | null,
  secrets: Partial<Record<SecretName, string>>,
  mine: PersonSettings['sso'] = MINE,
) {
  const { tenant, host } = await provider(fixture);
  const id = await user(fixture, tenant, { roles: ['operator'] });
  await fixture.context.store.tenant(tenant, async (tx) => {
    await tx.sql
      .updateTable('provider')
      .set({ settings: JSON.stringify({ sso }) })
      .where('tenant_id', '=', tenant)
      .execute();
    await tx.sql
      .updateTable('person')
      .set({ settings: JSON.stringify({ sso: mine }) })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
    for (const [name, value] of Object.entries(secrets))
      await storeSecret(tx, fixture.context, name as SecretName, value);
  });
  const { token } = (await login(app, host)).body.data;
  return {
    tenant,
    host,
    click: (name: string, body: unknown = {}) =>
      ask<Answer>(app, `/api/v1/auth/validate-sso/${name}`, { method: 'POST', host, token, body }),
  };
}
const broken = (): Details => ({ status: 500 });
const none = { vac: null, vcd: null, zerto: null } as const;

/** A Zerto that has sessions by name and password, or only the appliance's tokens. */
const zerto = (
  how: 'old' | 'appliance',
  made: () => Details = () => json('zssp-session-1'),
): Promise<Outside> =>
  outside(({ path, headers, method, body }) => {
    if (how === 'old' && path === '/v1/session/add')
      return headers.authorization ===
        `Basic ${Buffer.from('portal:zerto-secret').toString('base64')}`
        ? { headers: { 'x-zerto-session': 'inner' } }
        : { status: 401 };
    if (how === 'appliance' && path === '/auth/realms/zerto/protocol/openid-connect/token')
      return body === 'grant_type=client_credentials&client_id=portal&client_secret=zerto-secret'
        ? json({ access_token: 'bearer' })
        : json({}, 401);
    const allowed =
      how === 'old'
        ? headers['x-zerto-session'] === 'inner'
        : headers.authorization === 'Bearer bearer';
    if (path === '/v1/zsspsessions' && method === 'POST') return allowed ? made() : { status: 401 };
    return path === '/v1/session' && method === 'DELETE' && allowed ? {} : { status: 404 };
  });

test('SSO-1: zerto creates a session for the organization of the user, whichever way it accepts names', async () => {
  for (const how of ['old', 'appliance'] as const) {
    const there = await zerto(how);
    const { click } = await clicker(
      {
        ...none,
        zerto: { url: `${there.url}/`, zssp: 'https://zssp.example', username: 'portal' },
      },
      { zerto: 'zerto-secret' },
    );
    const answer = await click('zerto');
    expect(answer.body.data).toEqual({
      url: 'https://zssp.example/ZvmService/GUI/Index.html#/?type=Portal&locale=en_US&sessionId=zssp-session-1',
      sessionId: 'zssp-session-1',
    });
    expect(
      JSON.parse(there.asked.find(({ path }) => path === '/v1/zsspsessions')?.body ?? '{}'),
    ).toEqual({ ZorgIdentifier: 'zorg-1', ZsspAddress: 'https://zssp.example' });
    expect(
      there.asked.some(({ method, path }) => method === 'DELETE' && path === '/v1/session'),
    ).toBe(how === 'old');
    expect(answer.text).not.toMatch(/inner|bearer|zerto-secret/);
  }
});

test('SSO-1: vac and vcd are asked for a token first, then the address of their sign-in is returned', async () => {
  const vac = await outside(({ path, headers, body }) =>
    headers.authorization !== 'Bearer vac-key'
      ? { status: 401 }
      : path.startsWith('/api/v3/users?')
        ? json({ data: [{ instanceUid: 'uid-1', userName: 'kate@vac' }] })
        : body === 'grant_type=as&userUid=uid-1'
          ? json({ access_token: 'x' })
          : { status: 400 },
  );
  const vcd = await outside(({ path, body }) =>
    path === '/oauth/tenant/my%20org/token' &&
    body === 'grant_type=refresh_token&refresh_token=vcd-token'
      ? json({ access_token: 'x' })
      : json({ error: 'invalid_grant' }, 400),
  );
  const { click, tenant } = await clicker(
    { ...none, vac: { url: vac.url }, vcd: { url: vcd.url, organization: 'my org' } },
    { vac: 'vac-key', vcd: 'vcd-token' },
  );
  expect((await click('vac')).body.data).toEqual({ url: `${vac.url}/login`, sessionId: null });
  expect(
    JSON.parse(new URL(vac.asked[0]?.path ?? '', vac.url).searchParams.get('filter') ?? '[]'),
  ).toEqual([
    { property: 'userName', operation: 'equals', collation: 'ignorecase', value: 'kate@vac' },
  ]);
  expect((await click('vcd')).body.data).toEqual({
    url: `${vcd.url}/tenant/my%20org`,
    sessionId: null,
  });
  const audit = await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('audit')
      .select(['what', 'detail'])
      .where('tenant_id', '=', tenant)
      .where('what', '=', 'sso.opened')
      .execute(),
  );
  expect(audit.map(({ detail }) => String(detail['provider'])).toSorted()).toEqual(['vac', 'vcd']);
});

const said = async (
  click: (name: string) => Promise<{ status: number; body: { message: string } }>,
  name: string,
): Promise<unknown> => {
  const { status, body } = await click(name);
  return [status, body.message];
};

test("SSO-2: a system that isn't set up, enabled, available or doesn't know the user is reported with a message, and gets no needless request", async () => {
  let respond: (request: Query) => Details = broken;
  const there = await outside((request) => respond(request));
  const sso = {
    vac: { url: there.url },
    vcd: { url: there.url, organization: 'org' },
    zerto: { url: there.url, zssp: 'https://zssp.example', username: 'portal' },
  } as const;
  const secrets = { vac: 'k', vcd: 'k', zerto: 'k' } as const;
  const bare = await clicker(null, {});
  const unkeyed = await clicker(sso, {});
  const off = await clicker(sso, secrets, {
    vac: { ...MINE.vac, enabled: false },
    vcd: { enabled: true },
    zerto: { username: 'kate', enabled: true },
  });
  const nobody = await clicker(sso, secrets, {});
  for (const name of ['vac', 'vcd', 'zerto']) {
    for (const { click } of [bare, unkeyed])
      expect(await said(click, name)).toEqual([409, MESSAGES.ssoNotSet]);
    for (const { click } of [off, nobody])
      expect(await said(click, name)).toEqual([403, MESSAGES.ssoNotYours]);
  }
  expect(there.asked).toEqual([]);
  const { click, host } = await clicker(sso, secrets);
  for (const name of ['vac', 'vcd', 'zerto'])
    expect(await said(click, name)).toEqual([503, MESSAGES.ssoAway]);
  respond = ({ path }) =>
    path.startsWith('/api/v3/users')
      ? json({ data: [] })
      : path === '/v1/session/add'
        ? { headers: { 'x-zerto-session': 's' } }
        : { status: 400 };
  for (const name of ['vac', 'vcd', 'zerto'])
    expect(await said(click, name)).toEqual([403, MESSAGES.ssoUnknown]);
  respond = ({ path }) =>
    path === '/v1/session/add'
      ? { headers: { 'x-zerto-session': 's' } }
      : json('an id with a space & more');
  expect(await said(click, 'zerto')).toEqual([503, MESSAGES.ssoAway]);
  respond = () => ({ status: 302, headers: { location: 'http://127.0.0.1/' } });
  for (const name of ['vac', 'vcd', 'zerto'])
    expect((await click(name)).status).toBeGreaterThanOrEqual(403);
  await there.stop();
  for (const name of ['vac', 'vcd', 'zerto'])
    expect(await said(click, name)).toEqual([503, MESSAGES.ssoAway]);
  expect([
    (await click('elsewhere')).status,
    (await click('vac', { url: 'https://evil.example' })).status,
  ]).toEqual([400, 400]);
  expect(
    (await ask(app, '/api/v1/auth/validate-sso/vac', { method: 'POST', host, body: {} })).status,
  ).toBe(401);
});
