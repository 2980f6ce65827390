import { beforeAll, expect, test } from 'vitest';
import type { Factors } from '#contract/auth/factor-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { unlock } from '#server/features/auth/lockout.ts';
import type { Fixture } from '../http/fixtures.ts';
import { makeFixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  browser,
  lastCode,
  otherThan,
  place,
  recorded,
  sent,
  totpAt,
  withTotp,
} from './factor-fixtures.ts';
import type { Place } from './factor-fixtures.ts';

let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const all = async (at: Place): Promise<string> =>
  JSON.stringify(
    await fixture.context.store.tenant(at.tenant, async ({ sql }) => [
      await sql.selectFrom('totp').selectAll().where('tenant_id', '=', at.tenant).execute(),
      await sql
        .selectFrom('recovery_code')
        .selectAll()
        .where('tenant_id', '=', at.tenant)
        .execute(),
      await sql.selectFrom('attempt').selectAll().where('tenant_id', '=', at.tenant).execute(),
      await sql.selectFrom('event').selectAll().where('tenant_id', '=', at.tenant).execute(),
      await sql.selectFrom('audit').selectAll().where('tenant_id', '=', at.tenant).execute(),
    ]),
  );

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('FACTOR-3: an authenticator is confirmed by its first code and required from then on; its secret is stored encrypted', async () => {
    const at = await place(fixture);
    const kate = browser(at);
    await kate.login();
    const begun = await kate.send<{ secret: string; uri: string }>(`profile/${at.id}/totp`, {});
    const { secret, uri } = begun.body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toMatch(new RegExp(`^otpauth://totp/.*:kate\\?.*secret=${secret}`));
    expect((await browser(at).login()).body.data.token, 'not confirmed: not asked for').toBeTypeOf(
      'string',
    );
    const wrong = await kate.send(
      `profile/${at.id}/totp`,
      { code: otherThan(totpAt(secret, now())) },
      'PUT',
    );
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      { kind: 'bad-input', issues: [{ path: 'code', message: MESSAGES.wrongCode }] },
    ]);
    const first = totpAt(secret, now());
    const confirmed = await kate.send<{ recoveryCodes: string[] }>(
      `profile/${at.id}/totp`,
      { code: first },
      'PUT',
    );
    expect(confirmed.body.data.recoveryCodes).toHaveLength(10);
    expect((await kate.send(`profile/${at.id}/totp`, { code: first }, 'PUT')).body.message).toBe(
      MESSAGES.setUpOver,
    );
    const next = browser(at);
    expect((await next.login()).body.data).toMatchObject({
      step: 'code',
      methods: ['totp', 'recovery'],
      phone: null,
      passkey: null,
    });
    expect((await next.factor('totp', first)).status, 'the code that confirmed it is used').toBe(
      401,
    );
    fixture.pass(30_000);
    expect((await next.factor('totp', totpAt(secret, now()))).status).toBe(200);
    expect(await all(at)).not.toContain(secret);
    for (const code of confirmed.body.data.recoveryCodes) expect(await all(at)).not.toContain(code);
    expect(await recorded(at)).toEqual(
      expect.arrayContaining(['factor.added', 'recovery-codes.made', 'sign-in.refused']),
    );
    expect((await sent(at)).map(({ kind, to }) => `${kind} ${to}`)).toEqual([
      'mail kate@example.com',
    ]);
  });

  test('FACTOR-3: a code is accepted one step early or late, once, and none from before it', async () => {
    const at = await place(fixture);
    const { secret } = await withTotp(at);
    const tryAt = async (offset: number): Promise<number> => {
      const own = browser(at);
      await own.login();
      return (await own.factor('totp', totpAt(secret, now() + offset))).status;
    };
    fixture.pass(30_000 - (now() % 30_000));
    expect([await tryAt(-60_000), await tryAt(60_000)]).toEqual([401, 401]);
    expect([await tryAt(-30_000), await tryAt(-30_000)]).toEqual([200, 401]);
    expect(
      [await tryAt(30_000), await tryAt(0), await tryAt(30_000)],
      'one step ahead uses up what is before',
    ).toEqual([200, 401, 401]);
    fixture.pass(60_000);
    expect(await tryAt(0)).toBe(200);
    // Sent twice at once: one of the two gets in.
    fixture.pass(60_000);
    const pair = [browser(at), browser(at)];
    for (const one of pair) await one.login();
    const code = totpAt(secret, now());
    expect(
      (await Promise.all(pair.map((one) => one.factor('totp', code))))
        .map(({ status }) => status)
        .toSorted((a, b) => a - b),
    ).toEqual([200, 401]);
  });

  test('FACTOR-7: each of ten recovery codes works once, in any notation, notifies its user, and ends with the last factor', async () => {
    const at = await place(fixture);
    const { codes } = await withTotp(at);
    const [one = '', two = '', three = ''] = codes;
    expect(one).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
    const use = async (code: string): Promise<number> => {
      const own = browser(at);
      await own.login();
      return (await own.factor('recovery', code)).status;
    };
    expect([
      await use(one),
      await use(one),
      await use(two.toUpperCase().replace('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')),
      await use('00000-00000'),
    ]).toEqual([200, 401, 200, 401]);
    expect(
      (await sent(at)).filter(({ text }) => text.includes('recovery code was used')),
    ).toHaveLength(2);
    const kate = browser(at);
    await kate.login();
    expect((await kate.factor('recovery', three)).status).toBe(200);
    expect((await kate.get<Factors>(`profile/${at.id}/factors`)).body.data).toMatchObject({
      recoveryCodesLeft: 7,
      totp: { since: expect.any(Number) as number },
      passkeys: [],
      phone: null,
      sms: false,
      policy: 'own',
    });
    const fresh = await kate.send<{ codes: string[] }>(`profile/${at.id}/recovery-codes`, {});
    expect([
      fresh.body.data.codes.length,
      await use(codes[4] ?? ''),
      await use(fresh.body.data.codes[0] ?? ''),
    ]).toEqual([10, 401, 200]);
    expect((await kate.send(`profile/${at.id}/totp`, undefined, 'DELETE')).status).toBe(200);
    expect((await kate.get<Factors>(`profile/${at.id}/factors`)).body.data).toMatchObject({
      recoveryCodesLeft: 0,
      totp: null,
    });
    expect((await kate.send(`profile/${at.id}/recovery-codes`, {})).body).toMatchObject({
      message: MESSAGES.noFactorYet,
      error: { kind: 'conflict' },
    });
    expect((await browser(at).login()).body.data.token).toBeTypeOf('string');
  });

  test("FACTOR-1, FACTOR-9: if the provider requires a strong factor, it is set up during sign-in, and the last one can't be removed", async () => {
    const at = await place(fixture, {
      settings: { secondFactor: 'strong' },
      phone: '+15550100112',
      own: { sms: true },
    });
    const kate = browser(at);
    const {
      body: { data },
    } = await kate.login();
    expect(data).toMatchObject({ step: 'enrol', methods: [], phone: null });
    const secret = data.enrol?.secret ?? '';
    expect(data.enrol?.uri).toContain(secret);
    expect((await kate.sms('123456')).body.error.kind).toBe('conflict');
    expect(
      (await kate.send('auth/login/db/sms/resend', { newMobilePhone: '+15550100999' })).body.error
        .kind,
    ).toBe('conflict');
    // Another sign-in has a secret of its own, and its code does nothing for this one.
    const other = browser(at);
    const theirs = (await other.login()).body.data.enrol?.secret ?? '';
    expect(theirs).not.toBe(secret);
    expect((await kate.send('auth/login/enrol', { code: totpAt(theirs, now()) })).status).toBe(401);
    expect(await all(at)).not.toContain(secret);
    const done = await kate.send('auth/login/enrol', { code: totpAt(secret, now()) });
    expect([done.status, done.body.data.recoveryCodes?.length, kate.attempt]).toEqual([
      200,
      10,
      null,
    ]);
    expect(
      (await other.send('auth/login/enrol', { code: totpAt(theirs, now()) })).body.error.kind,
      'there is one now',
    ).toBe('conflict');
    expect((await browser(at).login()).body.data).toMatchObject({
      step: 'code',
      methods: ['totp', 'recovery'],
    });
    expect((await kate.send(`profile/${at.id}/totp`, undefined, 'DELETE')).body).toMatchObject({
      message: MESSAGES.lastFactor,
      error: { kind: 'conflict' },
    });
  });

  test('FACTOR-1: an authenticator is set up after a code to the verified number, in the same attempt, and not before', async () => {
    const phone = '+15550100112';
    const at = await place(fixture, { settings: { secondFactor: 'strong' }, phone, proven: true });
    const kate = browser(at);
    expect((await kate.login()).body.data).toMatchObject({
      step: 'code',
      methods: ['sms'],
      mayChangePhone: false,
      enrol: null,
    });
    expect((await kate.send('auth/login/enrol', { code: '123456' })).body.error.kind).toBe(
      'conflict',
    );
    const code = await lastCode(at, phone);
    const {
      body: { data },
    } = await kate.sms(code);
    expect([data.step, data.methods, data.token]).toEqual(['enrol', [], undefined]);
    expect((await kate.sms(code)).body.error.kind, 'once').toBe('conflict');
    expect(
      (await kate.send('auth/login/enrol', { code: totpAt(data.enrol?.secret ?? '', now()) })).body
        .data.recoveryCodes,
    ).toHaveLength(10);
    const how = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.selectFrom('session').select('how').where('tenant_id', '=', at.tenant).execute(),
    );
    expect(how).toEqual([{ how: 'password+sms+totp' }]);
  });

  test('FACTOR-1, FACTOR-4: a user turns on a code by SMS at sign-in, alone or beside an authenticator, and turns it off', async () => {
    const at = await place(fixture, { own: { landingPage: '/monitoring' } });
    const kate = browser(at);
    await kate.login();
    expect((await kate.send(`profile/${at.id}/sms`, { on: true }, 'PUT')).body).toMatchObject({
      message: MESSAGES.noPhoneYet,
      error: { kind: 'conflict' },
    });
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ mobile_phone: '+15550100112' })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    expect((await kate.send(`profile/${at.id}/sms`, { on: true }, 'PUT')).status).toBe(200);
    expect((await kate.get<Factors>(`profile/${at.id}/factors`)).body.data).toMatchObject({
      sms: true,
      phone: '••• 12',
    });
    expect((await browser(at).login()).body.data).toMatchObject({ step: 'code', methods: ['sms'] });
    const { secret } = (await kate.send<{ secret: string }>(`profile/${at.id}/totp`, {})).body.data;
    await kate.send(`profile/${at.id}/totp`, { code: totpAt(secret, now()) }, 'PUT');
    const beside = browser(at);
    expect((await beside.login()).body.data).toMatchObject({
      methods: ['totp', 'sms', 'recovery'],
      phone: '••• 12',
      resends: 3,
    });
    expect(
      (await sent(at)).filter(({ kind }) => kind === 'sms'),
      'not sent before it is chosen',
    ).toHaveLength(1);
    fixture.pass(1);
    expect((await beside.send('auth/login/db/sms/resend', {})).body.data.resends).toBe(2);
    expect((await beside.sms(await lastCode(at, '+15550100112'))).status).toBe(200);
    expect((await kate.send(`profile/${at.id}/sms`, { on: false }, 'PUT')).status).toBe(200);
    expect((await browser(at).login()).body.data.methods).toEqual(['totp', 'recovery']);
    const { settings } = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('person')
        .select('settings')
        .where('tenant_id', '=', at.tenant)
        .where('id', '=', at.id)
        .executeTakeFirstOrThrow(),
    );
    expect(settings).toEqual({ landingPage: '/monitoring', sms: false });
    expect(
      (await sent(at)).filter(({ text }) => /Codes by text message were turned o(n|ff)/.test(text)),
    ).toHaveLength(2);
  });

  test('FACTOR-8: a remembered computer still needs the authenticator', async () => {
    const at = await place(fixture, {
      settings: { secondFactor: 'sms' },
      phone: '+15550100112',
      proven: true,
    });
    const { secret } = await (async () => {
      await fixture.context.store.tenant(at.tenant, ({ sql }) =>
        sql
          .updateTable('provider')
          .set({ settings: '{}' })
          .where('tenant_id', '=', at.tenant)
          .execute(),
      );
      return withTotp(at);
    })();
    const kate = browser(at);
    await kate.login({ rememberComputer: true });
    expect(
      (await kate.factor('totp', totpAt(secret, now()), { rememberComputer: true })).status,
    ).toBe(200);
    expect((await kate.login()).body.data).toMatchObject({
      step: 'code',
      methods: ['totp', 'recovery'],
    });
  });

  test('G37: wrong codes of an authenticator are slowed down over all attempts, while its user signs in on a known device', async () => {
    const at = await place(fixture);
    const { secret } = await withTotp(at);
    const kate = browser(at);
    await kate.login();
    expect((await kate.factor('totp', totpAt(secret, now()))).status).toBe(200);
    fixture.pass(60_000);
    let looked = 0;
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const thief = browser(at);
      await thief.login();
      for (let guess = 0; guess < 5; guess += 1)
        if (
          (await thief.factor('totp', otherThan(totpAt(secret, now()), 1 + guess))).status === 401
        )
          looked += 1;
    }
    expect(looked).toBe(5);
    await kate.login();
    expect((await kate.factor('totp', totpAt(secret, now()))).status, 'the known device').toBe(200);
    fixture.pass(60_000);
    // Closed for strangers by a hundred wrong codes: whoever runs the server opens it.
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('throttle')
        .set({ failures: 100 })
        .where('tenant_id', '=', at.tenant)
        .where('bucket', '=', `factor:${at.id}`)
        .execute(),
    );
    const stranger = browser(at);
    await stranger.login();
    fixture.pass(30_000);
    const tried = async (): Promise<number> =>
      (await stranger.factor('totp', totpAt(secret, now()))).status;
    expect(await tried()).toBe(429);
    expect(
      await unlock(fixture.context.store, at.host, 'kate', crypto.randomUUID(), now()),
    ).toMatchObject({ kind: 'unlocked', failures: 100 });
    expect(await tried()).toBe(200);
  });
});
