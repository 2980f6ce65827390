import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { makeCode } from '#server/features/auth/codes.ts';
import { systemChance } from '#server/platform/random.ts';
import type { Fixture } from '../http/fixtures.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { browser, codesTo, lastCode, otherThan, place, recorded, sent } from './factor-fixtures.ts';
import type { Set } from './factor-fixtures.ts';

let fixture: Fixture;
const PHONE = '+15550100112';
const OTHER = '+15550100234';
/** Numbers are limited over all of a provider's users: each test has a provider of its own. */
const bySms = (set: Partial<Set> = {}) =>
  place(fixture, { settings: { secondFactor: 'sms' }, phone: PHONE, ...set });

test('G38: a code has six digits, each equally likely, and a biased draw is repeated', () => {
  const counts = Array.from({ length: 10 }, () => 0);
  for (let n = 0; n < 20_000; n += 1) {
    const code = makeCode(systemChance);
    expect(code).toMatch(/^\d{6}$/);
    counts[Number(code[0])] = (counts[Number(code[0])] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(250);
  const draws = [0xff_ff_ff_ff, 0xff_fe_fe_c0, 42];
  expect(
    makeCode({
      ...systemChance,
      bytes: () => {
        const made = Buffer.alloc(4);
        made.writeUInt32BE(draws.shift() ?? 0);
        return new Uint8Array(made);
      },
    }),
  ).toBe('000042');
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('G38, FACTOR-2: a right password opens a step and no session, the sent code opens the session, and the cookie is deleted', async () => {
    const at = await bySms();
    const kate = browser(at);
    const first = await kate.login();
    expect([first.status, first.body.data]).toEqual([
      200,
      {
        step: 'code',
        methods: ['sms'],
        phone: '••• 12',
        mayChangePhone: true,
        resends: 2,
        until: fixture.context.clock.now() + 600_000,
        passkey: null,
        enrol: null,
      },
    ]);
    expect(first.headers.getSetCookie()).toHaveLength(1);
    expect(first.headers.getSetCookie()[0]).toMatch(
      /^__Host-daybook-attempt=[\w-]{64}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const code = await lastCode(at, PHONE);
    const [message] = await sent(at);
    expect(message?.text).toMatch(new RegExp(`^${code} .*\\n\\n@${at.host} #${code}$`, 's'));
    const stored = JSON.stringify(
      await fixture.context.store.tenant(at.tenant, ({ sql }) =>
        sql.selectFrom('attempt').selectAll().where('tenant_id', '=', at.tenant).execute(),
      ),
    );
    expect(`${stored}${fixture.lines.join('\n')}${first.text}`).not.toContain(code);
    expect(stored).not.toContain(kate.attempt ?? '?');
    const second = await kate.sms(code, {
      username: 'kate',
      password: 'anything: the attempt decides',
    });
    expect([second.status, second.body.data.user.username, kate.attempt]).toEqual([
      200,
      'kate',
      null,
    ]);
    expect((await kate.sms(code)).status, 'a code is good once').toBe(401);
    expect(await recorded(at)).toEqual(['sign-in.code-sent', 'sign-in.done']);
    const how = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.selectFrom('session').select('how').where('tenant_id', '=', at.tenant).execute(),
    );
    expect(how).toEqual([{ how: 'password+sms' }]);
  });

  test('G38: the code of one attempt is refused in another, and without the cookie in all', async () => {
    const at = await bySms({ proven: true });
    const one = browser(at);
    const two = browser(at);
    const none = browser(at);
    await one.login();
    const code = await lastCode(at, PHONE);
    fixture.pass(1);
    await two.login();
    const latest = await lastCode(at, PHONE);
    if (latest !== code)
      expect([(await two.sms(code)).status, (await one.sms(latest)).status]).toEqual([401, 401]);
    expect((await none.sms(code)).body).toMatchObject({
      message: MESSAGES.attemptOver,
      error: { kind: 'expired' },
    });
    none.cookies.set(
      '__Host-daybook-attempt',
      `${(one.attempt ?? '').slice(0, 40)}${'A'.repeat(24)}`,
    );
    expect((await none.sms(code)).body.error.kind).toBe('expired');
    expect([(await one.sms(code)).status, (await two.sms(latest)).status]).toEqual([200, 200]);
  });

  test('G38: five tries and no more, even simultaneous ones, and the sixth is refused though it is right', async () => {
    const at = await bySms();
    const kate = browser(at);
    await kate.login();
    const code = await lastCode(at, PHONE);
    const kinds = (
      await Promise.all([1, 2, 3, 4, 5].map((by) => kate.sms(otherThan(code, by))))
    ).map(({ body }) => body.error.kind);
    expect(kinds.toSorted()).toEqual([
      'expired',
      'wrong-credentials',
      'wrong-credentials',
      'wrong-credentials',
      'wrong-credentials',
    ]);
    fixture.pass(60_000);
    expect((await kate.sms(code)).body.error.kind).toBe('expired');
    expect(kate.attempt).toBeNull();
  });

  test('G37, G38: wrong codes count for the account over its attempts, so that new attempts give no more guesses', async () => {
    const at = await bySms();
    let looked = 0;
    for (let round = 0; round < 4; round += 1) {
      const kate = browser(at);
      fixture.pass(1_200_000); // past what a number may be sent
      expect((await kate.login()).status).toBe(200);
      const code = await lastCode(at, PHONE);
      for (let guess = 1; guess <= 5; guess += 1)
        if ((await kate.sms(otherThan(code, guess))).status === 401) looked += 1;
    }
    // Five at first, then one each time: the waits grow past what the attempts leave.
    expect(looked).toBeLessThanOrEqual(8);
    const kate = browser(at);
    fixture.pass(3_600_000);
    await kate.login();
    expect((await kate.sms(await lastCode(at, PHONE))).status).toBe(200);
    const left = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('throttle')
        .select('bucket')
        .where('tenant_id', '=', at.tenant)
        .where('bucket', 'like', '%factor%')
        .execute(),
    );
    expect(left, 'a right code ends the row').toEqual([]);
  });

  test('G38: a code expires after five minutes, an attempt after ten; an unchecked code is no try', async () => {
    const at = await bySms();
    const kate = browser(at);
    await kate.login();
    const code = await lastCode(at, PHONE);
    fixture.pass(300_000);
    for (let round = 0; round < 7; round += 1)
      expect((await kate.sms(code)).body).toMatchObject({
        message: MESSAGES.codeOver,
        error: { kind: 'wrong-credentials' },
      });
    expect((await kate.send('auth/login/db/sms/resend', {})).body.data).toMatchObject({
      step: 'code',
      resends: 1,
    });
    fixture.pass(299_999);
    expect((await kate.sms(await lastCode(at, PHONE))).status).toBe(200);
    const late = browser(at);
    await late.login();
    fixture.pass(600_000);
    expect((await late.send('auth/login/db/sms/resend', {})).body.error.kind).toBe('expired');
  });

  test('G38: three codes per attempt, three an hour per number whoever asks, ten an hour per user', async () => {
    const at = await bySms();
    const kate = browser(at);
    await kate.login();
    expect((await kate.send('auth/login/db/sms/resend', {})).body.data.resends).toBe(1);
    expect((await kate.send('auth/login/db/sms/resend', {})).body.data.resends).toBe(0);
    const none = await kate.send('auth/login/db/sms/resend', {});
    expect([none.status, none.body.message, none.body.error.kind]).toEqual([
      429,
      MESSAGES.noMoreCodes,
      'too-many',
    ]);
    fixture.pass(3_599_999);
    expect((await browser(at).login()).status, 'nor for another sign-in').toBe(429);
    fixture.pass(1);
    const again = await Promise.all([1, 2, 3, 4, 5].map(() => browser(at).login()));
    expect(again.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 429, 429,
    ]);
    expect(await codesTo(at, PHONE)).toHaveLength(6);

    const many = await bySms({ phone: null });
    let codes = 0;
    for (let round = 0; round < 6; round += 1) {
      const own = browser(many);
      await own.login();
      for (let one = 0; one < 3; one += 1)
        if (
          (await own.send('auth/login/db/sms/phone', { mobilePhone: `+1555010${round}1${one}0` }))
            .status === 200
        )
          codes += 1;
    }
    expect(codes).toBe(10);
  });

  test('FACTOR-5: a user without a number enters one during sign-in, and it is theirs once its code is typed', async () => {
    const at = await bySms({ phone: null });
    const kate = browser(at);
    expect((await kate.login()).body.data).toMatchObject({
      step: 'phone',
      methods: [],
      phone: null,
    });
    expect((await kate.sms('123456')).body.error.kind).toBe('conflict');
    expect((await kate.send('auth/login/db/sms/phone', { mobilePhone: '0555' })).status).toBe(400);
    expect(
      (await kate.send('auth/login/db/sms/phone', { mobilePhone: OTHER })).body.data,
    ).toMatchObject({ step: 'code', methods: ['sms'], phone: '••• 34' });
    const mistyped = await lastCode(at, OTHER);
    fixture.pass(1);
    expect(
      (await kate.send('auth/login/db/sms/phone', { mobilePhone: PHONE })).body.data,
    ).toMatchObject({ phone: '••• 12' });
    const person = () =>
      fixture.context.store.tenant(at.tenant, ({ sql }) =>
        sql
          .selectFrom('person')
          .select(['mobile_phone', 'phone_updated_once'])
          .where('tenant_id', '=', at.tenant)
          .where('id', '=', at.id)
          .executeTakeFirstOrThrow(),
      );
    expect(await person()).toEqual({ mobile_phone: null, phone_updated_once: false });
    const code = await lastCode(at, PHONE);
    if (mistyped !== code)
      expect((await kate.sms(mistyped)).status, 'the code of the number before').toBe(401);
    expect((await kate.sms(code)).status).toBe(200);
    expect(await person()).toEqual({ mobile_phone: PHONE, phone_updated_once: true });
    expect((await sent(at)).filter(({ kind }) => kind === 'mail').map(({ to }) => to)).toEqual([
      'kate@example.com',
    ]);
    expect(await recorded(at)).toContain('phone.changed');
  });

  test('FACTOR-5: the number changes during sign-in only until a code to it was typed; the old number and the mailbox are notified', async () => {
    const at = await bySms();
    const kate = browser(at);
    await kate.login();
    fixture.pass(1);
    expect(
      (await kate.send('auth/login/db/sms/resend', { newMobilePhone: OTHER })).body.data,
    ).toMatchObject({ step: 'code', phone: '••• 34', resends: 1 });
    expect(
      (await sent(at)).filter(({ to, text }) => to === PHONE && !/^\d{6}/.test(text)),
    ).toHaveLength(1);
    expect((await sent(at)).filter(({ kind }) => kind === 'mail')).toHaveLength(1);
    expect((await kate.sms(await lastCode(at, OTHER), { userUpdatedPhoneOnce: true })).status).toBe(
      200,
    );
    // From now on it is proven: who knows the password cannot lead the codes away.
    const thief = browser(at);
    expect((await thief.login()).body.data).toMatchObject({
      phone: '••• 34',
      mayChangePhone: false,
    });
    const refused = await thief.send('auth/login/db/sms/resend', { newMobilePhone: PHONE });
    expect([refused.status, refused.body.message]).toEqual([409, MESSAGES.phoneFixed]);
    expect((await thief.send('auth/login/db/sms/phone', { mobilePhone: PHONE })).status).toBe(409);
    const proven = await bySms({ proven: true });
    const other = browser(proven);
    await other.login();
    expect((await other.send('auth/login/db/sms/resend', { newMobilePhone: OTHER })).status).toBe(
      409,
    );
    expect(await codesTo(proven, OTHER)).toEqual([]);
  });

  test('FACTOR-11: a sign-in changes the number once, and the claim that it did counts only if it did', async () => {
    const at = await bySms();
    const third = '+15550100345';
    const kate = browser(at);
    expect((await kate.login()).body.data).toMatchObject({ mayChangePhone: true });
    const first = await lastCode(at, PHONE);
    for (let round = 0; round < 6; round += 1) {
      const early = await kate.sms(first, { userUpdatedPhoneOnce: true });
      expect([early.status, early.body.error.kind, early.body.message], 'no try is spent').toEqual([
        409,
        'conflict',
        MESSAGES.phoneNotUpdated,
      ]);
    }
    fixture.pass(1);
    expect(
      (await kate.send('auth/login/db/sms/resend', { newMobilePhone: OTHER })).body.data,
    ).toMatchObject({ phone: '••• 34', mayChangePhone: false, resends: 1 });
    for (const newMobilePhone of [third, PHONE]) {
      const twice = await kate.send('auth/login/db/sms/resend', { newMobilePhone });
      expect([twice.status, twice.body.message]).toEqual([409, MESSAGES.phoneUpdatedOnce]);
    }
    expect(await codesTo(at, third)).toEqual([]);
    fixture.pass(1);
    expect(
      (await kate.send('auth/login/db/sms/resend', { newMobilePhone: OTHER })).body.data,
      'the same number again is no change',
    ).toMatchObject({ phone: '••• 34', resends: 0 });
    expect((await kate.sms(await lastCode(at, OTHER), { userUpdatedPhoneOnce: true })).status).toBe(
      200,
    );
    // Another sign-in may change it again while nothing was typed; false, or nothing, says nothing
    // about it.
    for (const more of [{ userUpdatedPhoneOnce: false }, {}]) {
      const next = await bySms();
      const own = browser(next);
      await own.login();
      const again = browser(next);
      fixture.pass(1);
      await own.send('auth/login/db/sms/resend', { newMobilePhone: third });
      await again.login();
      fixture.pass(1);
      await again.send('auth/login/db/sms/resend', { newMobilePhone: OTHER });
      expect((await again.sms(await lastCode(next, OTHER), more)).status).toBe(200);
    }
  });

  test('FACTOR-8: a remembered computer needs no SMS code for 30 days, for that user only, and always the password', async () => {
    const at = await bySms();
    const kate = browser(at);
    await kate.login({ rememberComputer: true });
    expect((await kate.sms(await lastCode(at, PHONE))).body.data.token).toBeTypeOf('string');
    expect((await kate.login()).body.data.token, 'in at once').toBeTypeOf('string');
    expect((await kate.login({ password: 'wrong' })).status).toBe(401);
    expect((await browser(at).login()).body.data.step, 'elsewhere').toBe('code');
    fixture.pass(30 * 86_400_000 - 1);
    expect((await kate.login()).body.data.token).toBeTypeOf('string');
    fixture.pass(1);
    expect((await kate.login()).body.data.step).toBe('code');
    // Not to be remembered: neither known nor skipped.
    await kate.sms(await lastCode(at, PHONE), { rememberComputer: false });
    expect(kate.cookies.get('__Host-daybook-attempt')).toBeUndefined();
    const devices = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('trusted_device')
        .select('skips_code_until')
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    expect(devices).toEqual([]);
    // Known without being remembered: codes are asked for.
    const plain = await bySms();
    const known = browser(plain);
    await known.login();
    await known.sms(await lastCode(plain, PHONE));
    expect((await known.login()).body.data.step).toBe('code');
  });

  test('FACTOR-2: an attempt ends with another one started here, with a new password, and with its user', async () => {
    const at = await bySms({ proven: true });
    const kate = browser(at);
    await kate.login();
    const code = await lastCode(at, PHONE);
    const before = kate.attempt;
    fixture.pass(1);
    await kate.login();
    const stale = browser(at);
    stale.cookies.set('__Host-daybook-attempt', before ?? '');
    expect((await stale.sms(code)).body.error.kind).toBe('expired');
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ password_at: fixture.context.clock.now() + 1 })
        .where('tenant_id', '=', at.tenant)
        .where('id', '=', at.id)
        .execute(),
    );
    expect((await kate.sms(await lastCode(at, PHONE))).body.error.kind).toBe('expired');
    fixture.pass(10);
    await kate.login();
    await fixture.context.store.tenant(at.tenant, (tx) =>
      tx.append(
        [
          {
            event: { type: 'user.deleted@1', data: { id: at.id } },
            company: null,
            entity: `user:${at.id}`,
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
    expect((await kate.sms(await lastCode(at, PHONE))).body.error.kind).toBe('expired');
  });

  test('G38: whatever is done with attempts in any order, a code works only in its own attempt, once, within five tries', async () => {
    /**
     * The model: what each of two browsers of one user has begun, and how many of its tries are
     * left. The server agrees at every step.
     */
    const step = fc.record({
      who: fc.nat(1),
      what: fc.constantFrom('login', 'own', 'others', 'wrong', 'wrong'),
      by: fc.integer({ min: 1, max: 999_999 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
        const at = await bySms({ proven: true });
        const people = [0, 1].map(() => ({
          browser: browser(at),
          code: null as string | null,
          left: 0,
        }));
        for (const { who, what, by } of steps) {
          const one = people[who];
          const other = people[1 - who];
          if (!one || !other) throw new Error('Two browsers.');
          fixture.pass(1);
          // Neither the waits of the account nor the turns of the number: the attempt's own bounds
          // are looked at here.
          await fixture.context.store.tenant(at.tenant, async ({ sql }) => {
            await sql.deleteFrom('throttle').where('tenant_id', '=', at.tenant).execute();
            await sql.deleteFrom('one_time').where('tenant_id', '=', at.tenant).execute();
          });
          if (what === 'login') {
            expect((await one.browser.login()).body.data.step).toBe('code');
            [one.code, one.left] = [await lastCode(at, PHONE), 5];
            continue;
          }
          const base = what === 'others' ? other.code : one.code;
          const guess = base === null ? '123456' : what === 'wrong' ? otherThan(base, by) : base;
          const answer = await one.browser.sms(guess);
          if (one.code === null) expect(answer.body.error.kind).toBe('expired');
          else if (guess === one.code) {
            expect(answer.body.data.user.id).toBe(at.id);
            one.code = null;
          } else {
            one.left -= 1;
            expect(answer.body.error.kind).toBe(one.left === 0 ? 'expired' : 'wrong-credentials');
            if (one.left === 0) one.code = null;
          }
        }
      }),
      { numRuns: 12 * Number(process.env['PROOF'] ?? 1) },
    );
  });
});
