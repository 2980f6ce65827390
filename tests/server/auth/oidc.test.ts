import { beforeAll, expect, test } from 'vitest';
import { oidcRefusal } from '#contract/auth/oidc-errors.ts';
import type { OidcRefusal } from '#contract/auth/oidc-errors.ts';
import { oidcHandlers } from '#server/features/auth/oidc.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import {
  accounts,
  getApp,
  ask,
  cookieIn,
  login,
  makeFixture,
  provider,
  refresh,
  user,
} from '../http/fixtures.ts';
import type { App, Answer, Fixture } from '../http/fixtures.ts';
import { HERE, outside } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { issuer, jwt, keys } from './issuer.ts';
import type { Asking, Issuer } from './issuer.ts';

const back = (why: OidcRefusal): string => `/login#refused=${why}`;
const IN = '/login#signed-in';
const ofOidc = ({ headers }: Answer): string | null =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith('__Host-daybook-oidc='))
    ?.split(';')[0] ?? null;

const to = ({ headers }: Answer): string | null => headers.get('location');
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test("OIDC-1: the sign-in page shows the portal's own messages and no others", () => {
  expect(oidcRefusal('#refused=unknown')).toBe(
    "You don't have an account here. Ask your administrator.",
  );
  for (const fragment of [
    '',
    '#signed-in',
    '#refused=',
    '#refused=Call%20us',
    '#refused=toString',
    '#refused=__proto__',
    '#unknown',
  ])
    expect(oidcRefusal(fragment)).toBeNull();
});

anyDatabase((_name, open) => {
  let fixture: Fixture;
  let app: App;
  let there: Issuer;
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
    app = getApp(fixture.context, {
      ...accounts(fixture.context),
      ...oidcHandlers(fixture.context),
    });
    there = await issuer();
  });

  async function set(tenant: string, more: object = {}): Promise<void> {
    await fixture.context.store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('provider')
        .set({
          settings: JSON.stringify({
            oidc: { issuer: there.url, clientId: 'portal', label: 'Company account', ...more },
          }),
        })
        .where('tenant_id', '=', tenant)
        .execute();
      await storeSecret(tx, fixture.context, 'oidc', 'oidc-secret');
    });
  }
  async function portal(): Promise<{ tenant: string; host: string; kate: string }> {
    const { tenant, host } = await provider(fixture);
    await set(tenant);
    return { tenant, host, kate: await user(fixture, tenant) };
  }
  const start = (host: string) => ask(app, '/api/v1/auth/oidc/start', { host });
  const returns = (host: string, cookie: string | null, query: URLSearchParams) =>
    ask(app, `/api/v1/auth/oidc/callback?${query.toString()}`, { host, cookie });
  /** There and back. `token`: what the issuer gives instead of the right one. */
  async function round(
    host: string,
    token: Issuer['token'] = (_, right) => jwt(right, there.keys),
    change: (query: URLSearchParams) => void = () => undefined,
  ): Promise<Answer> {
    const began = await start(host);
    const query = there.agree(to(began) ?? '');
    there.token = token;
    change(query);
    return returns(host, ofOidc(began), query);
  }
  const named =
    (more: object): Issuer['token'] =>
    (_, right) =>
      jwt({ ...right, ...more }, there.keys);
  const identities = (tenant: string) =>
    fixture.context.store.tenant(tenant, ({ sql }) =>
      sql.selectFrom('identity').selectAll().where('tenant_id', '=', tenant).execute(),
    );

  test('OIDC-1: a redirect there and back opens a session: by verified email the first time, by issuer and subject from then on', async () => {
    const { tenant, host, kate } = await portal();
    const began = await start(host);
    expect(began.status).toBe(302);
    const sent = new URL(to(began) ?? '');
    expect(sent.origin + sent.pathname).toBe(`${there.url}/authorize`);
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'portal',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: `https://${host}/api/v1/auth/oidc/callback`,
    });
    expect(began.headers.getSetCookie()[0]).toMatch(
      /^__Host-daybook-oidc=[\w-]{64}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const query = there.agree(to(began) ?? '');
    const answer = await returns(host, ofOidc(began), query);
    expect([answer.status, to(answer)]).toEqual([302, IN]);
    await set(tenant, { scope: 'profile' });
    expect(new URL(to(await start(host)) ?? '').searchParams.get('scope')).toBe('openid profile');
    const entered = await refresh(app, host, cookieIn(answer));
    expect([entered.status, entered.body.data.user.id]).toEqual([200, kate]);
    expect(await identities(tenant)).toMatchObject([
      { issuer: there.url, subject: 'subject-kate', user_id: kate },
    ]);
    const again = await round(host, (_, right) =>
      jwt({ ...right, email: 'other@example.com', email_verified: false }, there.keys),
    );
    expect((await refresh(app, host, cookieIn(again))).body.data.user.id).toBe(kate);
    const audit = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('audit')
        .select(['what', 'user_id'])
        .where('tenant_id', '=', tenant)
        .orderBy('at')
        .execute(),
    );
    expect(audit.map(({ what }) => what).toSorted()).toEqual([
      'identity.linked',
      'sign-in.done',
      'sign-in.done',
    ]);
    const rows = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql.selectFrom('attempt').selectAll().where('tenant_id', '=', tenant).execute(),
    );
    const stored = JSON.stringify(rows);
    for (const secret of [
      query.get('state'),
      sent.searchParams.get('nonce'),
      ofOidc(began)?.split('=')[1],
    ])
      expect(stored).not.toContain(secret ?? 'nothing');
  });

  test('OIDC-2: nobody is linked by an address that is unverified, unknown, shared or already linked', async () => {
    const { tenant, host, kate } = await portal();
    expect(to(await round(host, named({ email_verified: false })))).toBe(back('unverified'));
    expect(to(await round(host, named({ email_verified: 'true' })))).toBe(back('unverified'));
    expect(to(await round(host, named({ email: undefined })))).toBe(back('unverified'));
    expect(to(await round(host, named({ email: 'nobody@example.com' })))).toBe(back('unknown'));
    await user(fixture, tenant, { username: 'twin1', email: 'twin@example.com' });
    await user(fixture, tenant, { username: 'twin2', email: 'TWIN@example.com' });
    expect(to(await round(host, named({ email: 'twin@example.com' })))).toBe(back('unknown'));
    expect(await identities(tenant)).toEqual([]);
    expect(to(await round(host))).toBe(IN);
    expect(to(await round(host, named({ sub: 'subject-mallory' })))).toBe(back('unknown'));
    expect((await identities(tenant)).map(({ subject }) => subject)).toEqual(['subject-kate']);
    await fixture.context.store.tenant(tenant, (tx) =>
      tx.append(
        [
          {
            event: { type: 'user.deleted@1', data: { id: kate } },
            company: null,
            entity: `user:${kate}`,
          },
        ],
        {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: fixture.context.clock.now(),
        },
      ),
    );
    expect(to(await round(host))).toBe(back('unknown'));
  });

  test('G43: replayed, foreign, unsigned, misaddressed and expired answers are refused', async () => {
    const { host } = await portal();
    const other = keys('other');
    const now = Math.floor(Date.now() / 1_000);
    const { keys: own } = there;
    const wrong: Readonly<Record<string, Issuer['token']>> = {
      'another audience': (_, right) => jwt({ ...right, aud: 'another' }, own),
      'several audiences, another party': (_, right) =>
        jwt({ ...right, aud: ['portal', 'another'], azp: 'another' }, own),
      'another issuer': (_, right) => jwt({ ...right, iss: 'https://issuer.example' }, own),
      'the issuer with a slash more': (_, right) => jwt({ ...right, iss: `${there.url}/` }, own),
      'another nonce': (_, right) => jwt({ ...right, nonce: 'another' }, own),
      'no nonce': (_, right) => jwt({ ...right, nonce: undefined }, own),
      'expired': (_, right) => jwt({ ...right, iat: now - 7_200, exp: now - 3_600 }, own),
      'no end': (_, right) => jwt({ ...right, exp: undefined }, own),
      'from the future': (_, right) => jwt({ ...right, nbf: now + 3_600 }, own),
      'no subject': (_, right) => jwt({ ...right, sub: undefined }, own),
      'an empty subject': (_, right) => jwt({ ...right, sub: '' }, own),
      'an endless subject': (_, right) => jwt({ ...right, sub: 'x'.repeat(256) }, own),
      "another's key under the same name": (_, right) => jwt(right, { ...other, kid: own.kid }),
      "another's key": (_, right) => jwt(right, other),
      'unsigned': (_, right) => `${part({ alg: 'none' })}.${part(right)}.`,
      "signed with the client's secret": (_, right) => jwt(right, own, { alg: 'HS256' }),
      'the key in the header': (_, right) =>
        jwt(right, other, { jwk: other.publicKey.export({ format: 'jwk' }), kid: undefined }),
      'a changed claim': (_, right) => {
        const [head, , signature] = jwt(right, own).split('.');
        return `${head}.${part({ ...right, sub: 'subject-admin' })}.${signature}`;
      },
      'nothing that can be read': () => 'x.y.z',
    };
    for (const [name, token] of Object.entries(wrong)) {
      fixture.pass(10_000);
      const answer = await round(host, token);
      expect([to(answer), cookieIn(answer)], `as ${name}`).toEqual([back('answer'), null]);
    }
    expect(to(await round(host)), 'the right one').toBe(IN);
  });

  test('G43: an answer works once, in the browser that started, with its state, within its time, from its issuer', async () => {
    const { host } = await portal();
    there.token = (_: Asking, right) => jwt(right, there.keys);
    const began = await start(host);
    const cookie = ofOidc(began);
    const query = there.agree(to(began) ?? '');
    const second = await start(host);
    expect(to(await returns(host, null, query)), 'no cookie').toBe(back('over'));
    expect(to(await returns(host, ofOidc(second), query)), 'another browser').toBe(back('over'));
    expect(to(await returns(host, cookie, new URLSearchParams({ code: 'x' }))), 'no state').toBe(
      back('over'),
    );
    expect(to(await returns(host, cookie, query))).toBe(IN);
    expect(to(await returns(host, cookie, query)), 'replayed').toBe(back('over'));
    const foreign = await portal();
    expect(
      to(await returns(foreign.host, ofOidc(second), there.agree(to(second) ?? ''))),
      'at another provider',
    ).toBe(back('over'));
    expect(
      to(
        await round(host, undefined, (sent) => {
          sent.set('iss', 'https://issuer.example');
        }),
      ),
      'another issuer beside the code',
    ).toBe(back('answer'));
    expect(
      to(
        await round(host, undefined, (sent) => {
          sent.delete('iss');
        }),
      ),
      'no issuer beside the code',
    ).toBe(back('answer'));
    expect(
      to(
        await round(host, undefined, (sent) => {
          sent.set('code', 'code-stolen');
        }),
      ),
      'another code',
    ).toBe(back('answer'));
    expect(
      to(
        await round(host, undefined, (sent) => {
          sent.delete('code');
          sent.set('error', 'access_denied');
        }),
      ),
      'refused there',
    ).toBe(back('denied'));
    const late = await start(host);
    fixture.pass(600_000);
    expect(
      to(await returns(host, ofOidc(late), there.agree(to(late) ?? ''))),
      'ten minutes later',
    ).toBe(back('over'));
  });

  test('G43: a code stolen with its state is useless without the verifier', async () => {
    const { host } = await portal();
    const began = await start(host);
    const query = there.agree(to(began) ?? '');
    const mine = await start(host);
    const state = new URL(to(mine) ?? '').searchParams.get('state') ?? '';
    query.set('state', state);
    expect(to(await returns(host, ofOidc(mine), query))).toBe(back('answer'));
  });

  test('OIDC-3: an address may start thirty attempts a minute, so that nobody makes the server send requests without limit', async () => {
    const { host } = await portal();
    fixture.pass(60_000);
    const request = there.asked.length;
    const ways: (string | null)[] = [];
    for (let n = 0; n < 35; n += 1) ways.push(to(await start(host)));
    expect([
      ways.slice(0, 30).every((way) => way?.startsWith(`${there.url}/authorize?`)),
      ways.slice(30),
    ]).toEqual([true, Array.from({ length: 5 }, () => back('often'))]);
    expect(there.asked.length - request).toBeLessThanOrEqual(1);
    fixture.pass(60_000);
    expect(to(await start(host))).toContain('/authorize?');
  });

  test('OIDC-3: what is not set up, not allowed or not available is reported as such; the password still works', async () => {
    const { tenant, host } = await provider(fixture);
    await user(fixture, tenant);
    expect(to(await start(host))).toBe(back('off'));
    const liar = await outside(() => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        issuer: 'https://issuer.example',
        authorization_endpoint: 'https://issuer.example/a',
        token_endpoint: 'https://issuer.example/t',
        jwks_uri: 'https://issuer.example/j',
      }),
    }));
    for (const address of [
      'https://127.0.0.1:1',
      'https://no-such-host.invalid',
      'http://10.0.0.1:8080',
      liar.url,
    ]) {
      await set(tenant, { issuer: address });
      const answer = await start(host);
      expect([to(answer), answer.headers.getSetCookie()], `of ${address}`).toEqual([
        back('issuer'),
        [],
      ]);
    }
    expect((await login(app, host)).status).toBe(200);
    expect(fixture.lines.join('\n')).not.toMatch(/oidc-secret|subject-kate|code-\d/);
  });
});
