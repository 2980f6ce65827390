import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { allHandlers } from '#server/handlers.ts';
import {
  Browser,
  lastCode,
  place,
  recorded,
  sent,
  totpAt,
  withTotp,
} from '../auth/factor-fixtures.ts';
import type { Place, Set } from '../auth/factor-fixtures.ts';
import { getApp, makeFixture, PASSWORD, user } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';

let fixture: Fixture;
const PHONE = '+15550100112';
const OTHER = '+15550100113';
const THIRD = '+15550100114';
const FORBIDDEN = [403, MESSAGES.forbidden];

interface Scene extends Place {
  readonly root: Browser;
  readonly kate: Browser;
}
/** A user `kate`, and an administrator who is signed in. */
async function scene(set: Set = {}): Promise<Scene> {
  const at = {
    ...(await place(fixture, {
      ...set,
      user: { roles: ['operator'], companies: [1], ...set.user },
    })),
    app: getApp(fixture.context, allHandlers(fixture.context)),
  };
  await user(fixture, at.tenant, { username: 'root', email: 'root@example.com', roles: ['admin'] });
  const root = new Browser(at.app, at.host);
  await root.send('auth/login/db', { username: 'root', password: PASSWORD });
  return { ...at, root, kate: new Browser(at.app, at.host) };
}
const reset = (who: Browser, id: string) => who.send(`users/${id}/factors`, undefined, 'DELETE');

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("USER-12: an administrator resets a user's second factors: their sessions end, they are notified, and the password signs in again", async () => {
    const at = await scene();
    const { root, kate, id } = at;
    const { secret, codes } = await withTotp(at);
    await kate.login();
    expect((await kate.factor('totp', totpAt(secret, fixture.context.clock.now()))).status).toBe(
      200,
    );
    const half = new Browser(at.app, at.host);
    await half.login();
    await root.send('auth/reauth', { password: PASSWORD });
    fixture.pass(1);
    expect((await reset(root, id)).status).toBe(200);
    expect((await kate.get('sync/last-sync')).status).toBe(401);
    expect(
      (await half.factor('recovery', codes[0] ?? '')).body.error.kind,
      'what was half way in is over',
    ).toBe('expired');
    expect((await sent(at)).at(-1)).toMatchObject({
      kind: 'mail',
      to: 'kate@example.com',
      text: expect.stringContaining('An administrator removed'),
    });
    expect((await recorded(at)).at(-1)).toBe('factors.reset');
    expect((await kate.login()).body.data.token).toBeDefined();
    const {
      body: { data: factors },
    } = await kate.get<object>(`profile/${id}/factors`);
    expect(factors).toMatchObject({ totp: null, passkeys: [], recoveryCodesLeft: 0, sms: false });
  });

  test('USER-12: if the provider requires one, the next sign-in sets up another; a computer that skipped the code needs it again', async () => {
    const at = await scene({ phone: PHONE, proven: true, own: { sms: true } });
    const { root, kate, id } = at;
    await kate.login({ rememberComputer: true });
    await kate.sms(await lastCode(at, PHONE));
    expect((await kate.login()).body.data.token, 'spared the code').toBeDefined();
    expect((await reset(root, id)).status).toBe(200);
    for (const [policy, expected] of [
      ['sms', { step: 'code', methods: ['sms'], mayChangePhone: true }],
      ['strong', { step: 'enrol' }],
    ] as const) {
      await fixture.context.store.tenant(at.tenant, ({ sql }) =>
        sql
          .updateTable('provider')
          .set({ settings: JSON.stringify({ secondFactor: policy }) })
          .where('tenant_id', '=', at.tenant)
          .execute(),
      );
      expect((await kate.login()).body.data).toMatchObject(expected);
    }
  });

  test('USER-12, USER-3, USER-4, G44: nobody resets their own factors, those of a higher role or of unmanaged users, nor without a recent factor or while impersonating', async () => {
    const at = await scene();
    const { root, id, tenant } = at;
    const boss = await user(fixture, tenant, {
      username: 'boss',
      email: 'boss@example.com',
      roles: ['super-admin', 'admin'],
    });
    const rootId = (
      await root.get<{ rows: { _id: string; username: string }[] }>('monitoring/reporting/users')
    ).body.data.rows.find(({ username }) => username === 'root');
    const { _id: own } = rootId ?? { _id: '' };
    const said = async (who: Browser, whose: string): Promise<unknown[]> => {
      const { status, body } = await reset(who, whose);
      return [status, body.message];
    };
    expect(await said(root, own)).toEqual([403, MESSAGES.notYourself]);
    expect(await said(root, boss)).toEqual(FORBIDDEN);
    await user(fixture, tenant, {
      username: 'part',
      email: 'part@example.com',
      roles: ['admin'],
      companies: [2],
    });
    const part = new Browser(at.app, at.host);
    await part.send('auth/login/db', { username: 'part', password: PASSWORD });
    expect(await said(part, id)).toEqual([404, MESSAGES.notFound]);
    const elsewhere = await scene();
    expect(await said(elsewhere.root, id)).toEqual([404, MESSAGES.notFound]);
    const kate = new Browser(at.app, at.host);
    await kate.login();
    expect(await said(kate, own)).toEqual(FORBIDDEN);
    fixture.pass(LIMITS.freshMs + 1);
    expect((await reset(root, id)).body.error.kind).toBe('reauth_required');
    const top = new Browser(at.app, at.host);
    await top.send('auth/login/db', { username: 'boss', password: PASSWORD });
    expect((await top.send('auth/login-as', { userId: id, reason: 'ticket 4711' })).status).toBe(
      200,
    );
    expect(await said(top, own)).toEqual([403, MESSAGES.notWhileImpersonating]);
  });

  test('USER-12, FACTOR-5: a number that an administrator sets is unverified: it can be replaced during sign-in, and a code verifies it', async () => {
    const at = await scene({ settings: { secondFactor: 'sms' }, phone: PHONE, proven: true });
    const { kate, id, tenant } = at;
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ mobile_phone: THIRD })
        .where('tenant_id', '=', tenant)
        .where('username', '=', 'root')
        .execute(),
    );
    const root = new Browser(at.app, at.host);
    await root.send('auth/login/db', { username: 'root', password: PASSWORD });
    await root.sms(await lastCode(at, THIRD));
    expect((await kate.login()).body.data.mayChangePhone).toBe(false);
    expect((await root.send(`users/${id}`, { mobilePhone: OTHER }, 'PUT')).status).toBe(200);
    expect((await kate.login()).body.data).toMatchObject({ phone: '••• 13', mayChangePhone: true });
    expect((await kate.sms(await lastCode(at, OTHER))).status).toBe(200);
    expect((await kate.login()).body.data.mayChangePhone).toBe(false);
    expect(
      (await root.send(`users/${id}`, { mobilePhone: OTHER, name: 'Kate K.' }, 'PUT')).status,
    ).toBe(200);
    expect((await kate.login()).body.data.mayChangePhone, 'the same number stays proven').toBe(
      false,
    );
  });
});
