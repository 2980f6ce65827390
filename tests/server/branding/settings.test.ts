import { beforeAll, expect, test } from 'vitest';
import type { Branding } from '#contract/branding/branding.ts';
import type { StoredSettings } from '#contract/branding/settings-calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { settingsHandlers } from '#server/features/branding/settings.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { accounts, getApp, ask, login, makeFixture, provider, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { HERE, json, outside } from '../outbound/outside.ts';
import { smtp } from '../outbound/smtp.ts';
import { anyDatabase } from '../db/databases.ts';
import { issuer } from '../auth/issuer.ts';

const MAIL = {
  host: '127.0.0.1',
  port: 465,
  security: 'tls',
  username: 'portal',
  from: 'portal@example.com',
  fromName: 'The portal',
} as const;
const OIDC = {
  issuer: 'https://issuer.example',
  clientId: 'portal',
  label: 'Company account',
} as const;
const NOBODY = '6e0b1c2a-0000-4000-8000-000000000000';

const path = (id: string, rest: string): string => `/api/v1/service-providers/${id}/${rest}`;

anyDatabase((_name, open) => {
  let fixture: Fixture;
  let app: App;
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
    app = getApp(fixture.context, {
      ...accounts(fixture.context),
      ...settingsHandlers(fixture.context),
    });
  });

  interface Portal {
    readonly tenant: string;
    readonly host: string;
    readonly token: string;
  }
  async function portal(
    master?: string,
    roles: readonly ['admin' | 'super-admin' | 'operator'] = ['super-admin'],
  ): Promise<Portal> {
    const { tenant, host } = await provider(fixture);
    if (master !== undefined)
      await fixture.context.store.system((sql) =>
        sql
          .updateTable('tenant_list')
          .set({ master_id: master })
          .where('tenant_id', '=', tenant)
          .execute(),
      );
    await user(fixture, tenant, { roles });
    return { tenant, host, token: (await login(app, host)).body.data.token };
  }
  const get = ({ host, token }: Portal, id: string): Promise<Answer<StoredSettings>> =>
    ask(app, path(id, 'settings'), { host, token });
  const put = (
    { host, token }: Portal,
    id: string,
    body: object,
    rest = 'settings',
  ): Promise<Answer<StoredSettings>> =>
    ask(app, path(id, rest), { method: 'PUT', host, token, body });
  const tries = (
    { host, token, tenant }: Portal,
    what: string,
  ): Promise<Answer<{ ok: boolean; message: string }>> =>
    ask(app, path(tenant, `test/${what}`), { method: 'POST', host, token, body: {} });

  test('SET-1, ADMIN-3: a user with only some companies neither reads nor changes how a whole provider signs in', async () => {
    const { tenant, host } = await provider(fixture);
    await user(fixture, tenant, { roles: ['super-admin'], companies: [1] });
    const one: Portal = { tenant, host, token: (await login(app, host)).body.data.token };
    expect([
      (await get(one, tenant)).status,
      (await put(one, tenant, { oidc: OIDC })).status,
      (await put(one, tenant, { value: 'a secret' }, 'secrets/oidc')).status,
      (await tries(one, 'mail')).status,
    ]).toEqual([404, 404, 404, 404]);
    const whole = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('provider')
        .select('settings')
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow(),
    );
    expect(whole.settings).toEqual({});
  });

  test('SET-1: an administrator changes only the sent fields, of the own provider and those below', async () => {
    const top = await portal();
    const below = await portal(top.tenant);
    const lowest = await portal(below.tenant);
    expect((await get(top, top.tenant)).body.data).toEqual({ settings: {}, secrets: [] });
    for (const { tenant } of [top, below, lowest]) {
      expect((await put(top, tenant, { mail: MAIL, loginAs: false })).body.data.settings).toEqual({
        mail: MAIL,
        loginAs: false,
      });
      expect(
        (await put(top, tenant, { secondFactor: 'strong', loginAs: true })).body.data.settings,
      ).toEqual({ mail: MAIL, loginAs: true, secondFactor: 'strong' });
      expect((await put(top, tenant, { mail: null })).body.data.settings).toEqual({
        mail: null,
        loginAs: true,
        secondFactor: 'strong',
      });
    }
    const audits = await Promise.all(
      [top, lowest].map(({ tenant }) =>
        fixture.context.store.tenant(tenant, ({ sql }) =>
          sql
            .selectFrom('audit')
            .select(['what', 'actor_id', 'detail'])
            .where('tenant_id', '=', tenant)
            .where('what', '=', 'settings.changed')
            .execute(),
        ),
      ),
    );
    expect(audits.map((rows) => rows.length)).toEqual([9, 3]);
    expect([
      audits[0]?.every(({ actor_id }) => actor_id !== null),
      audits[1]?.every(({ actor_id }) => actor_id === null),
    ]).toEqual([true, true]);
    expect(JSON.stringify(audits)).not.toContain('portal@example.com');
  });

  test("SET-1: a provider above, beside, or unknown doesn't exist; other roles, strangers and old sessions are refused", async () => {
    const top = await portal();
    const below = await portal(top.tenant);
    const beside = await portal();
    for (const [who, id] of [
      [below, top.tenant],
      [beside, below.tenant],
      [top, beside.tenant],
      [top, NOBODY],
      [top, 'own'],
      [top, 'x'],
    ] as const) {
      for (const answer of [
        await get(who, id),
        await put(who, id, { loginAs: false }),
        await put(who, id, { value: 'x' }, 'secrets/mail'),
        await ask(app, path(id, 'test/mail'), {
          method: 'POST',
          host: who.host,
          token: who.token,
          body: {},
        }),
      ]) {
        expect([answer.status, answer.body.error.kind], `for ${id}`).toEqual([404, 'not-found']);
      }
    }
    const operator = await portal(undefined, ['operator']);
    expect([
      (await get(operator, operator.tenant)).status,
      (await put(operator, operator.tenant, {})).status,
    ]).toEqual([403, 403]);
    expect((await ask(app, path(top.tenant, 'settings'), { host: top.host })).status).toBe(401);
    fixture.pass(LIMITS.freshMs + 1);
    for (const answer of [
      await put(top, top.tenant, { loginAs: false }),
      await put(top, top.tenant, { value: 'x' }, 'secrets/mail'),
    ])
      expect([answer.status, answer.body.error.kind]).toEqual([403, 'reauth_required']);
    expect((await get(top, top.tenant)).status).toBe(200);
  });

  test('G53: unknown fields and values out of range are refused, and change nothing', async () => {
    const one = await portal();
    for (const body of [
      { tenantId: NOBODY },
      { branding: {} },
      { mail: { ...MAIL, password: 'x' } },
      { mail: { ...MAIL, host: 'a b' } },
      { mail: { ...MAIL, port: 0 } },
      { mail: { ...MAIL, from: 'x\r\nBcc: a@b' } },
      { oidc: { ...OIDC, issuer: 'javascript:1' } },
      { oidc: { ...OIDC, issuer: 'https://a@b' } },
      { directory: { url: 'http://x', baseDn: '', domain: '', serviceDn: '', ca: null } },
      { secondFactor: 'none' },
      { sms: 'x' },
    ]) {
      expect((await put(one, one.tenant, body)).status, `of ${JSON.stringify(body)}`).toBe(400);
    }
    for (const [name, value] of [
      ['tenant-key', 'x'],
      ['mail', ''],
      ['mail', 5],
      ['__proto__', 'x'],
    ] as const)
      expect((await put(one, one.tenant, { value }, `secrets/${name}`)).status, `of ${name}`).toBe(
        400,
      );
    expect((await get(one, one.tenant)).body.data).toEqual({ settings: {}, secrets: [] });
  });

  test('SET-4: the storage limit of one key is refused at its field if it exceeds the limit of all keys together', async () => {
    const one = await portal();
    const quota = (keyBytes: number, providerBytes: number): Promise<Answer<StoredSettings>> =>
      put(one, one.tenant, { ingestQuota: { keyBytes, providerBytes } });
    const refused = await quota(5_000_000, 4_000_000);
    expect([refused.status, refused.body.error.kind, refused.body.error.issues]).toEqual([
      400,
      'bad-input',
      [
        {
          path: 'ingestQuota.keyBytes',
          message: "One key can't store more than all keys together.",
        },
      ],
    ]);
    expect((await get(one, one.tenant)).body.data.settings).toEqual({});
    expect((await quota(4_000_000, 4_000_000)).status).toBe(200);
    expect((await quota(1_000_000, 9_000_000)).status).toBe(200);
    expect((await put(one, one.tenant, { ingestQuota: null })).status).toBe(200);
  });

  test('SET-2: a secret is never returned, and is deleted with its address', async () => {
    const one = await portal();
    const { tenant } = one;
    await put(one, tenant, { mail: MAIL, oidc: OIDC });
    expect((await put(one, tenant, { value: 'planted-mail' }, 'secrets/mail')).body.data).toEqual({
      secrets: ['mail'],
    });
    expect((await put(one, tenant, { value: 'planted-oidc' }, 'secrets/oidc')).body.data).toEqual({
      secrets: ['mail', 'oidc'],
    });
    const secret = (): Promise<string | null> =>
      fixture.context.store.tenant(tenant, (tx) => readSecret(tx, fixture.context, 'mail'));
    expect([await secret(), (await get(one, tenant)).text.includes('planted')]).toEqual([
      'planted-mail',
      false,
    ]);
    expect(
      (await put(one, tenant, { mail: { ...MAIL, fromName: 'Another' } })).body.data.secrets,
    ).toEqual(['mail', 'oidc']);
    expect(
      (await put(one, tenant, { mail: { ...MAIL, host: 'evil.example' } })).body.data.secrets,
    ).toEqual(['oidc']);
    expect(await secret()).toBeNull();
    expect(
      (await put(one, tenant, { oidc: { ...OIDC, issuer: 'https://evil.example' } })).body.data
        .secrets,
    ).toEqual([]);
    await put(one, tenant, { value: 'again' }, 'secrets/mail');
    expect((await put(one, tenant, { value: null }, 'secrets/mail')).body.data).toEqual({
      secrets: [],
    });
  });

  test("SET-1: the sign-in page's options follow from the settings", async () => {
    const one = await portal();
    const branding = async (): Promise<Partial<Branding>> =>
      (await ask<Branding>(app, '/api/v1/service-providers/branding', { host: one.host })).body
        .data;
    expect(await branding()).toMatchObject({
      oidc: null,
      securityQuestions: false,
      authType: 'db',
    });
    await put(one, one.tenant, {
      oidc: OIDC,
      securityQuestions: true,
      directory: {
        url: 'ldaps://dc.example',
        baseDn: 'DC=example',
        domain: 'example',
        serviceDn: 'CN=s',
        ca: null,
      },
    });
    expect(await branding()).toMatchObject({
      oidc: 'Company account',
      securityQuestions: true,
      authType: 'ad',
    });
    expect(JSON.stringify(await branding())).not.toMatch(/issuer\.example|ldaps|CN=s/);
  });

  test('SET-3: each gateway can be tested by a user for themselves, and the result is a sentence', async () => {
    const one = await portal();
    const { tenant } = one;
    const says = async (what: string) => (await tries(one, what)).body.data;
    for (const what of ['mail', 'sms', 'directory', 'oidc'])
      expect(await says(what)).toMatchObject({
        ok: false,
        message: expect.stringMatching(/^Set up .+ first\.$/) as unknown,
      });
    const server = await smtp();
    const gateway = await outside(() => json({ code: 20_003 }, 401));
    const there = await issuer();
    await put(one, tenant, {
      mail: { ...MAIL, port: server.port, security: 'none' },
      sms: { url: gateway.url, account: 'AC1', from: '+15550100100' },
      oidc: { ...OIDC, issuer: there.url },
      directory: {
        url: 'ldaps://127.0.0.1:1',
        baseDn: 'DC=x',
        domain: 'x',
        serviceDn: 'CN=s',
        ca: null,
      },
    });
    for (const [name, value] of [
      ['mail', 'smtp-secret'],
      ['sms', 'token'],
      ['oidc', 'oidc-secret'],
      ['directory', 'x'],
    ] as const)
      await put(one, tenant, { value }, `secrets/${name}`);
    expect(await says('mail')).toEqual({
      ok: true,
      message: 'We sent an email to kate@example.com.',
    });
    expect(server.arrived).toMatchObject([{ to: ['kate@example.com'] }]);
    expect(await says('sms')).toEqual({
      ok: false,
      message: 'Add a mobile phone number to your profile first.',
    });
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ mobile_phone: '+15550100200' })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(await says('sms')).toEqual({
      ok: false,
      message: 'The gateway refused the message (401, 20003).',
    });
    fixture.pass(60_000);
    expect(await says('oidc')).toMatchObject({ ok: true });
    expect(await says('directory')).toEqual({
      ok: false,
      message: '127.0.0.1 refused the connection.',
    });
    await put(one, tenant, { oidc: { ...OIDC, issuer: 'http://10.0.0.1' } });
    expect(await says('oidc')).toMatchObject({
      ok: false,
      message: expect.stringContaining('private network') as unknown,
    });
    await put(one, tenant, { value: 'wrong' }, 'secrets/mail');
    expect(await says('mail')).toEqual({
      ok: false,
      message: '127.0.0.1 refused the username and password.',
    });
  });

  test('SET-3: ten tests a minute are run', async () => {
    const one = await portal();
    const kinds: number[] = [];
    for (let n = 0; n < 12; n += 1) kinds.push((await tries(one, 'oidc')).status);
    expect(kinds).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
    fixture.pass(60_000);
    expect((await tries(one, 'oidc')).status).toBe(200);
  });
});
