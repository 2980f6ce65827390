import { PLAIN } from '#tests/me.ts';
import { beforeAll, expect, test } from 'vitest';
import { ok } from '#contract/result.ts';
import { MESSAGES } from '#contract/messages.ts';
import { LIMITS } from '#contract/limits.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
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

let fixture: Fixture;
let app: App;
const lastSync = '/api/v1/sync/last-sync';

async function signedIn(): Promise<{
  host: string;
  tenant: string;
  token: string;
  cookie: string | null;
  id: string;
}> {
  const { host, tenant } = await provider(fixture);
  const id = await user(fixture, tenant);
  const answer = await login(app, host);
  expect(answer.status).toBe(200);
  return { host, tenant, id, token: answer.body.data.token, cookie: cookieIn(answer) };
}
const seen = async (host: string, token: string): Promise<string> => {
  const { status, body } = await ask(app, lastSync, { host, token });
  return status === 200 ? 'in' : `${status} ${body.error.kind}`;
};

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context, {
      ...accounts(fixture.context),
      lastSync: async () => ok({ status: 'NEVER', at: null, failed: [], sources: [] }),
    });
  });

  test("AUTH-1: signing in returns an access token in the answer and a refresh token in a cookie that scripts and other sites can't read", async () => {
    const { host, tenant } = await provider(fixture);
    const id = await user(fixture, tenant);
    const answer = await login(app, host, ' KATE ');
    const now = fixture.context.clock.now();
    expect(answer.body.data).toMatchObject({
      userId: id,
      tokenExpiresAt: now + LIMITS.accessMs,
      offlineUntil: now + LIMITS.offlineDays * 86_400_000,
      user: {
        id,
        username: 'kate',
        name: 'Kate',
        email: 'kate@example.com',
        roles: ['admin'],
        companies: null,
        serviceProviderId: tenant,
        ...PLAIN,
        sso: {},
      },
    });
    expect(
      answer.headers.getSetCookie().filter((one) => !one.startsWith('__Host-daybook-device=')),
    ).toEqual([
      expect.stringMatching(
        /^__Host-daybook-refresh=[\w-]{64}; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect(Buffer.from(answer.body.data.token, 'base64url').byteLength).toBe(48);
    expect(answer.text).not.toContain(cookieIn(answer)?.split('=')[1]);
  });

  test('AUTH-2: only hashes of tokens and passwords are stored', async () => {
    const { tenant, token, cookie } = await signedIn();
    const dump = await fixture.context.store.tenant(tenant, async ({ sql }) =>
      JSON.stringify([
        await sql.selectFrom('session').selectAll().where('tenant_id', '=', tenant).execute(),
        await sql.selectFrom('person').selectAll().where('tenant_id', '=', tenant).execute(),
        await sql.selectFrom('event').selectAll().where('tenant_id', '=', tenant).execute(),
      ]),
    );
    expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    for (const secret of [token, cookie?.split('=')[1] ?? '', 'correct horse']) {
      expect(secret.length).toBeGreaterThan(10);
      expect(dump).not.toContain(secret);
      expect(fixture.lines.join('\n')).not.toContain(secret);
    }
  });

  test('G40: an access token is valid for 10 minutes, and a refresh continues the session', async () => {
    const { host, token, cookie } = await signedIn();
    fixture.pass(LIMITS.accessMs - 1);
    expect(await seen(host, token)).toBe('in');
    fixture.pass(1);
    expect(await seen(host, token)).toBe('401 expired');
    const fresh = await refresh(app, host, cookie);
    expect(fresh.status).toBe(200);
    expect(cookieIn(fresh)).not.toBe(cookie);
    expect(await seen(host, fresh.body.data.token)).toBe('in');
    expect(await seen(host, token)).toBe('401 expired');
  });

  test('G40: 30 idle minutes or 12 hours end a session; the answer says expired', async () => {
    const idle = await signedIn();
    fixture.pass(LIMITS.idleMs - 1);
    const last = await refresh(app, idle.host, idle.cookie);
    expect(last.status).toBe(200);
    fixture.pass(LIMITS.idleMs);
    const late = await refresh(app, idle.host, cookieIn(last));
    expect([late.status, late.body.error.kind, late.body.message]).toEqual([
      401,
      'expired',
      MESSAGES.sessionExpired,
    ]);
    expect(late.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-daybook-refresh=; Max-Age=0;/),
    ]);
    expect(await seen(idle.host, last.body.data.token)).toBe('401 expired');

    const busy = await signedIn();
    const began = fixture.context.clock.now();
    let step = { status: 200, cookie: busy.cookie, kind: 'none', until: 0 };
    while (step.status === 200) {
      fixture.pass(20 * 60_000);
      const { status, body, ...rest } = await refresh(app, busy.host, step.cookie);
      step = {
        status,
        cookie: cookieIn({ status, body, ...rest }),
        kind: body.error?.kind,
        until: body.data?.tokenExpiresAt ?? step.until,
      };
    }
    expect(step).toMatchObject({
      status: 401,
      kind: 'expired',
      until: began + LIMITS.absoluteMs - 10 * 60_000,
    });
    expect(fixture.context.clock.now() - began).toBe(LIMITS.absoluteMs);
  });

  test('G40: reusing a refresh token ends the session for everybody, whichever step of the chain it was', async () => {
    for (const steps of [1, 3]) {
      const { host, cookie } = await signedIn();
      let present = cookie;
      let access = '';
      for (let step = 0; step < steps; step += 1) {
        const next = await refresh(app, host, present);
        [present, access] = [cookieIn(next), next.body.data.token];
        fixture.pass(LIMITS.refreshGraceMs + 1);
      }
      expect(await seen(host, access)).toBe('in');
      const stolen = await refresh(app, host, cookie);
      expect([stolen.status, stolen.body.error.kind]).toEqual([401, 'signed-out']);
      expect(await seen(host, access)).toBe('401 signed-out');
      expect((await refresh(app, host, present)).body.error.kind).toBe('signed-out');
    }
  });

  test('G40: within 10 s of a refresh the same token gets the same successor: a race or a lost answer costs nothing', async () => {
    const { host, cookie } = await signedIn();
    fixture.pass(60_000);
    const [one, two] = await Promise.all([refresh(app, host, cookie), refresh(app, host, cookie)]);
    fixture.pass(LIMITS.refreshGraceMs);
    const three = await refresh(app, host, cookie);
    expect([one.status, two.status, three.status]).toEqual([200, 200, 200]);
    expect(
      new Set([one, two, three].map((answer) => `${answer.body.data.token} ${cookieIn(answer)}`))
        .size,
    ).toBe(1);
    expect(await seen(host, three.body.data.token)).toBe('in');
    expect((await refresh(app, host, cookieIn(three))).status).toBe(200);
  });

  test('G40: the 10 s begin when the server is done, so a slow answer that was lost costs nothing', async () => {
    const { host, tenant, cookie } = await signedIn();
    const { store } = fixture.context;
    const locked = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    const busy = store.tenant(tenant, async (tx) => {
      await tx.sql
        .selectFrom('session')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .forUpdate()
        .execute();
      locked.resolve(undefined);
      await released.promise;
    });
    await locked.promise;
    const slow = refresh(app, host, cookie);
    // Until the request waits for the row.
    await new Promise((done) => {
      setTimeout(done, 200);
    });
    fixture.pass(LIMITS.refreshGraceMs);
    released.resolve(undefined);
    const [one] = await Promise.all([slow, busy]);
    fixture.pass(LIMITS.refreshGraceMs);
    const two = await refresh(app, host, cookie);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(cookieIn(two)).toBe(cookieIn(one));
  });

  test('G40: while nobody used the new tokens, the one before gets them again: answers lost for longer than 10 s cost nothing', async () => {
    const { host, cookie } = await signedIn();
    fixture.pass(LIMITS.accessMs);
    const lost = await refresh(app, host, cookie);
    expect(lost.status).toBe(200);
    // Each answer is lost: to time-outs, and to pages that are left before they have it.
    for (const wait of [LIMITS.refreshGraceMs + 1, LIMITS.refreshGraceMs + 1, 20 * 60_000]) {
      fixture.pass(wait);
      const again = await refresh(app, host, cookie);
      expect([again.status, cookieIn(again)]).toEqual([200, cookieIn(lost)]);
      expect(again.body.data.token).toBe(lost.body.data.token);
      expect(again.body.data.tokenExpiresAt).toBe(fixture.context.clock.now() + LIMITS.accessMs);
    }
    expect(await seen(host, lost.body.data.token)).toBe('in');
    const next = await refresh(app, host, cookieIn(lost));
    expect(next.status).toBe(200);
    expect(await seen(host, next.body.data.token)).toBe('in');
  });

  test('G40: a thief and an owner can not both go on with one refresh token, whoever uses it first', async () => {
    const use = async (host: string, cookie: string | null) => {
      const answer = await refresh(app, host, cookie);
      const isIn = answer.status === 200 && (await seen(host, answer.body.data.token)) === 'in';
      return { isIn, cookie: cookieIn(answer), token: answer.body.data?.token ?? '' };
    };
    const { host, cookie } = await signedIn();
    const first = await use(host, cookie);
    expect(first.isIn).toBe(true);
    fixture.pass(LIMITS.refreshGraceMs + 1);
    const second = await use(host, cookie);
    expect(second.isIn).toBe(false);
    expect(await seen(host, first.token)).toBe('401 signed-out');
    expect((await use(host, first.cookie)).isIn).toBe(false);

    // Both get the same successor, and neither uses it. The first use of it is noticed.
    const other = await signedIn();
    const thief = await refresh(app, other.host, other.cookie);
    fixture.pass(LIMITS.refreshGraceMs + 1);
    const owner = await refresh(app, other.host, other.cookie);
    expect(cookieIn(owner)).toBe(cookieIn(thief));
    const going = await use(other.host, cookieIn(thief));
    expect(going.isIn).toBe(true);
    fixture.pass(LIMITS.refreshGraceMs + 1);
    expect((await refresh(app, other.host, cookieIn(owner))).body.error.kind).toBe('signed-out');
    expect(await seen(other.host, going.token)).toBe('401 signed-out');
  });

  test('G40: the token before the one before ends the session, even if nobody used the new tokens', async () => {
    const { host, cookie } = await signedIn();
    const one = await refresh(app, host, cookie);
    const two = await refresh(app, host, cookieIn(one));
    expect((await refresh(app, host, cookie)).body.error.kind).toBe('signed-out');
    expect(await seen(host, two.body.data.token)).toBe('401 signed-out');
  });

  test('G40: the first use of an access token is noticed even if it has expired by then', async () => {
    const { host, cookie } = await signedIn();
    const one = await refresh(app, host, cookie);
    fixture.pass(LIMITS.accessMs);
    expect(await seen(host, one.body.data.token)).toBe('401 expired');
    expect((await refresh(app, host, cookie)).body.error.kind).toBe('signed-out');
  });

  test('G40, AUTH-6: signing in again ends the session whose last answer was lost', async () => {
    const { host, cookie } = await signedIn();
    const lost = await refresh(app, host, cookie);
    const again = await login(app, host, 'kate', undefined, { cookie });
    expect(again.status).toBe(200);
    expect(await seen(host, lost.body.data.token)).toBe('401 signed-out');
  });

  test('AUTH-6: a renewal that is refused because of a newer sign-in leaves its cookie', async () => {
    const { host, cookie } = await signedIn();
    const again = await login(app, host, 'kate', undefined, { cookie });
    const late = await refresh(app, host, cookie);
    expect([late.status, late.body.error.kind]).toEqual([401, 'signed-out']);
    expect(late.headers.getSetCookie()).toEqual([]);
    expect((await refresh(app, host, cookieIn(again))).status).toBe(200);
  });

  test('AUTH-3: logging out ends the session immediately and deletes the cookie', async () => {
    const { host, token, cookie } = await signedIn();
    const out = await ask(app, '/api/v1/auth/logout', { method: 'POST', host, body: {}, token });
    expect([out.status, out.body]).toEqual([200, { success: true, data: {} }]);
    expect(out.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-daybook-refresh=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect(await seen(host, token)).toBe('401 signed-out');
    expect((await refresh(app, host, cookie)).body.error.kind).toBe('signed-out');
  });

  test('G33: a change of roles applies to the next call, and a deleted user is signed out immediately', async () => {
    const { host, tenant, token, cookie, id } = await signedIn();
    const roles = (): Promise<string[]> =>
      refresh(app, host, cookie).then((answer) => answer.body.data.user.roles);
    const by = {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: fixture.context.clock.now(),
    } as const;
    const listed = () => ask(app, '/api/v1/monitoring/sources', { host, token });
    const withKeys = getApp(fixture.context, {
      ...accounts(fixture.context),
      listKeys: async () => ok([]),
    });
    const keys = () => ask(withKeys, '/api/v1/monitoring/sources', { host, token });
    expect((await keys()).status).toBe(200);
    await fixture.context.store.tenant(tenant, (tx) =>
      tx.append(
        [
          {
            event: { type: 'user.scoped@1', data: { id, roles: ['read-only'], companies: null } },
            company: null,
            entity: `user:${id}`,
          },
        ],
        by,
      ),
    );
    expect((await keys()).body.error.kind).toBe('forbidden');
    expect((await listed()).body.error.kind).toBe('no-such-call');
    expect(await roles()).toEqual(['read-only']);
    await fixture.context.store.tenant(tenant, (tx) =>
      tx.append(
        [{ event: { type: 'user.deleted@1', data: { id } }, company: null, entity: `user:${id}` }],
        by,
      ),
    );
    expect((await keys()).body.error.kind).toBe('signed-out');
    expect((await login(app, host)).body.error.kind).toBe('wrong-credentials');
  });

  test('AUTH-4: tokens of one provider are unknown at the host of another', async () => {
    const one = await signedIn();
    const other = await signedIn();
    expect(await seen(other.host, one.token)).toBe('401 signed-out');
    expect((await refresh(app, other.host, one.cookie)).body.error.kind).toBe('signed-out');
    expect(await seen(one.host, one.token)).toBe('in');
  });

  test('AUTH-5: the cookie alone opens nothing for another site', async () => {
    const { host, cookie } = await signedIn();
    const own = { 'daybook-client': '1' };
    const wrong: Record<string, string>[] = [
      {},
      { 'daybook-client': '2' },
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, 'sec-fetch-site': 'same-site' },
      { ...own, 'sec-fetch-site': 'none' },
      { ...own, origin: 'https://evil.example' },
      { ...own, origin: 'null' },
      { ...own, origin: `https://${host}.evil.example` },
      { ...own, origin: `https://${host}:444` },
    ];
    const passed: unknown[] = [];
    for (const headers of wrong)
      if ((await refresh(app, host, cookie, headers)).body.error?.kind !== 'forbidden')
        passed.push(headers);
    expect(passed).toEqual([]);
    expect(
      (
        await refresh(app, host, cookie, {
          ...own,
          'sec-fetch-site': 'same-origin',
          'origin': `https://${host}`,
        })
      ).status,
    ).toBe(200);
    expect(
      (await login(app, host, 'kate', 'x', { headers: { origin: 'https://evil.example' } })).body
        .error.kind,
    ).toBe('forbidden');
  });

  test('AUTH-6: signing in again on a device ends the session that its cookie opened', async () => {
    const { host, token, cookie } = await signedIn();
    const again = await login(app, host, 'kate', undefined, { cookie });
    expect(await seen(host, again.body.data.token)).toBe('in');
    expect(await seen(host, token)).toBe('401 signed-out');
  });

  test('AUTH-9: an expired session is reported as expired for a week, and then deleted', async () => {
    const { host, tenant, cookie } = await signedIn();
    const count = () =>
      fixture.context.store.tenant(
        tenant,
        async ({ sql }) =>
          (await sql.selectFrom('session').select('id').where('tenant_id', '=', tenant).execute())
            .length,
      );
    fixture.pass(LIMITS.absoluteMs + 7 * 86_400_000);
    await login(app, host);
    expect([await count(), (await refresh(app, host, cookie)).body.error.kind]).toEqual([
      2,
      'expired',
    ]);
    fixture.pass(1);
    await login(app, host);
    expect([await count(), (await refresh(app, host, cookie)).body.error.kind]).toEqual([
      2,
      'signed-out',
    ]);
  });

  test("G33: a call that was being read while its session ended doesn't keep it alive", async () => {
    const { host, token } = await signedIn();
    const races = await Promise.all([
      seen(host, token),
      seen(host, token),
      ask(app, '/api/v1/auth/logout', { method: 'POST', host, body: {}, token }),
      seen(host, token),
    ]);
    expect(races).toHaveLength(4);
    expect(await seen(host, token)).toBe('401 signed-out');
  });

  test('AUTH-7: an invalid token is refused like a missing one', async () => {
    const { host, token } = await signedIn();
    for (const bad of [
      '',
      'x',
      token.slice(1),
      `${token}x`,
      'A'.repeat(64),
      `${token.slice(0, 62)}__`,
    ]) {
      expect(await seen(host, bad)).toMatch(/^401 (signed-out|expired)$/);
    }
  });
});
