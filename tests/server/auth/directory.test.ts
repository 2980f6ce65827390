import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Bound, UserDirectory } from '#server/features/auth/directory/directory.ts';
import { ACCOUNT_RULE } from '#server/features/auth/rate-limit.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { makeFixture, PASSWORD, user } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { browser, lastCode, place, recorded, totpAt, withTotp } from './factor-fixtures.ts';
import type { Place, Set } from './factor-fixtures.ts';

let fixture: Fixture;

const unasked = (): Promise<never> =>
  Promise.reject(new Error('Signing in changes nothing in a directory.'));

/** A directory that answers as it is told to, and remembers what it was asked. */
function fake(): UserDirectory & { result: Bound['kind']; readonly asked: string[] } {
  return {
    result: 'right',
    asked: [],
    bind(username, password) {
      this.asked.push(username);
      if (password !== PASSWORD && this.result !== 'unreachable')
        return Promise.resolve({ kind: 'wrong' });
      return Promise.resolve(
        this.result === 'right'
          ? { kind: 'right', dn: 'CN=kate', name: 'Kate', email: null }
          : { kind: this.result },
      );
    },
    change: unasked,
    reset: unasked,
    unlock: unasked,
  };
}
async function directed(
  set: Partial<Set> = {},
): Promise<Place & { readonly directory: ReturnType<typeof fake> }> {
  const directory = fake();
  return { ...(await place(fixture, { auth: 'ad', ...set }, directory)), directory };
}
const outside = ({ status, headers, text }: Answer): unknown => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'daybook-request'),
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("AUTH-11: the directory checks its users' passwords, and the database checks those of local users", async () => {
    const at = await directed();
    expect((await browser(at).login({ username: ' Kate ' }, 'ad')).body.data.user).toMatchObject({
      id: at.id,
      auth: 'ad',
      passwordReset: false,
    });
    expect(at.directory.asked).toEqual(['Kate']);
    expect(
      (await browser(at).login({}, 'db')).status,
      'a hash of the portal is no password here',
    ).toBe(401);
    const how = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.selectFrom('session').select('how').where('tenant_id', '=', at.tenant).execute(),
    );
    expect(how).toEqual([{ how: 'directory' }]);
    const own = await directed({ auth: 'db' });
    expect([
      (await browser(own).login({}, 'ad')).status,
      (await browser(own).login({}, 'db')).status,
    ]).toEqual([401, 200]);
  });

  test('AUTH-11, G36: wrong, unknown, locked, disabled and local users get the same answer, and the directory is queried each time', async () => {
    const at = await directed();
    await user(fixture, at.tenant, { username: 'dora', email: 'dora@example.com' });
    const answers = [
      await browser(at).login({ password: 'wrong' }, 'ad'),
      await browser(at).login({ username: 'nobody' }, 'ad'),
      await browser(at).login({ username: 'dora' }, 'ad'),
    ];
    for (const result of ['locked', 'disabled'] as const) {
      at.directory.result = result;
      answers.push(await browser(at).login({}, 'ad'));
    }
    expect(answers.map(outside)).toEqual(answers.map(() => outside(answers[0] as Answer)));
    expect([answers[0]?.status, answers[0]?.body.message]).toEqual([
      401,
      MESSAGES.wrongCredentials,
    ]);
    // A name that is nobody's here is not asked for there, where it may be somebody's: another is,
    // that nobody has.
    expect(at.directory.asked.map((name) => name.replace(/-[\da-f]{12}$/, '-x'))).toEqual([
      'kate',
      'nobody-x',
      'nobody-x',
      'kate',
      'kate',
    ]);
  });

  test('AUTH-11: on a device that its user signed in on, a locked account is reported as locked', async () => {
    const at = await directed();
    const kate = browser(at);
    await kate.login({}, 'ad');
    at.directory.result = 'locked';
    expect((await kate.login({}, 'ad')).body).toMatchObject({
      message: MESSAGES.accountLocked,
      error: { kind: 'wrong-credentials' },
    });
    expect((await browser(at).login({}, 'ad')).body.message).toBe(MESSAGES.wrongCredentials);
  });

  test('AUTH-11: an expired password, or one that must be changed, opens a session that allows only changing it', async () => {
    for (const result of ['must-change', 'expired'] as const) {
      const at = await directed();
      at.directory.result = result;
      expect((await browser(at).login({}, 'ad')).body.data.user.passwordReset).toBe(true);
    }
    // It skips no second factor.
    const at = await directed({ settings: { secondFactor: 'sms' }, phone: '+15550100112' });
    at.directory.result = 'expired';
    const kate = browser(at);
    expect((await kate.login({}, 'ad')).body.data.step).toBe('code');
    expect(
      (await kate.send('auth/login/ad/sms', { smsCode: await lastCode(at, '+15550100112') })).body
        .data.user.passwordReset,
    ).toBe(true);
  });

  test('AUTH-11: an unreachable or missing directory is reported to all alike and counts no attempt against anybody', async () => {
    const at = await directed();
    at.directory.result = 'unreachable';
    const none = await place(fixture, { auth: 'ad' });
    for (const one of [at, none]) {
      for (let n = 0; n < ACCOUNT_RULE.quick + 2; n += 1) {
        const answer = await browser(one).login(
          { username: n % 2 === 0 ? 'kate' : 'nobody' },
          'ad',
        );
        expect([answer.status, answer.body.message, answer.body.error]).toEqual([
          503,
          MESSAGES.noDirectory,
          { kind: 'busy', retryAfterMs: 5_000 },
        ]);
      }
    }
    at.directory.result = 'right';
    expect((await browser(at).login({}, 'ad')).status).toBe(200);
  });

  test('G37: guesses at a directory user are slowed down before the directory is queried', async () => {
    const at = await directed();
    for (let n = 0; n < 12; n += 1) await browser(at).login({ password: `guess ${n}` }, 'ad');
    expect(at.directory.asked).toHaveLength(ACCOUNT_RULE.quick);
    expect(await recorded(at)).toEqual(
      Array.from({ length: ACCOUNT_RULE.quick }, () => 'sign-in.refused'),
    );
  });

  test('AUTH-11, G44: a second factor and confirming the password use the directory too', async () => {
    const at = await directed({ auth: 'db' });
    const { secret } = await withTotp(at);
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ auth: 'ad', password_hash: null })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    const kate = browser(at);
    expect((await kate.login({}, 'ad')).body.data.methods).toEqual(['totp', 'recovery']);
    expect((await kate.factor('totp', totpAt(secret, fixture.context.clock.now()))).status).toBe(
      200,
    );
    expect(
      (await kate.send<{ methods: string[] }>('auth/reauth/options', {})).body.data.methods,
    ).toEqual(['totp', 'recovery']);
    expect((await kate.send('auth/reauth', { password: PASSWORD })).body).toMatchObject({
      message: MESSAGES.reauthByFactor,
      error: { kind: 'reauth_required' },
    });
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.deleteFrom('totp').where('tenant_id', '=', at.tenant).execute(),
    );
    expect((await kate.send('auth/reauth', { password: 'wrong' })).status).toBe(401);
    expect((await kate.send('auth/reauth', { password: PASSWORD })).status).toBe(200);
    at.directory.result = 'must-change';
    expect(
      (await kate.send('auth/reauth', { password: PASSWORD })).status,
      'to be changed, and right',
    ).toBe(200);
    at.directory.result = 'unreachable';
    expect((await kate.send('auth/reauth', { password: PASSWORD })).body).toMatchObject({
      message: MESSAGES.noDirectory,
      error: { kind: 'busy' },
    });
  });
});
