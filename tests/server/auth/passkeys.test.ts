import { beforeAll, expect, test } from 'vitest';
import type { Factors } from '#contract/auth/factor-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { relyingOn } from '#server/features/auth/passkeys.ts';
import type { Fixture } from '../http/fixtures.ts';
import { makeFixture, user } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { Authenticator } from './authenticator.ts';
import { browser, Browser, factorApp, place, recorded, sent, totpAt } from './factor-fixtures.ts';
import type { Place } from './factor-fixtures.ts';

let fixture: Fixture;
const getOrigin = ({ host }: Place): string => `https://${host}`;

/** Signs in with the password and adds a passkey. */
async function withPasskey(
  at: Place,
  name = 'Laptop',
): Promise<{
  readonly key: Authenticator;
  readonly own: Browser;
  readonly recoveryCodes: string[] | null;
}> {
  const own = browser(at);
  const key = new Authenticator();
  await own.login();
  const {
    body: {
      data: { options },
    },
  } = await own.send<{ options: string }>(`profile/${at.id}/passkeys/options`, {});
  const added = await own.send<{ key: string; recoveryCodes: string[] | null }>(
    `profile/${at.id}/passkeys`,
    { name, response: key.make(options, getOrigin(at)) },
  );
  expect([added.status, added.body.data.key]).toEqual([200, key.id]);
  return { key, own, recoveryCodes: added.body.data.recoveryCodes };
}
/** Begins with a password, and answers what the browser is asked with. */
async function beginSignIn(
  at: Place,
  own = browser(at),
): Promise<{ readonly own: Browser; readonly options: string }> {
  const {
    body: {
      data: { step, methods, passkey },
    },
  } = await own.login();
  expect([step, methods[0]]).toEqual(['code', 'passkey']);
  return { own, options: passkey ?? '' };
}

test('FACTOR-6: the requested host decides where a passkey is valid, and plain http only works on this machine', () => {
  expect(relyingOn('portal.example:8443')).toEqual({
    rpID: 'portal.example',
    origins: ['https://portal.example:8443'],
  });
  expect(relyingOn('harbour.localhost:4300')).toEqual({
    rpID: 'harbour.localhost',
    origins: ['https://harbour.localhost:4300', 'http://harbour.localhost:4300'],
  });
  expect(relyingOn('notlocalhost').origins).toEqual(['https://notlocalhost']);
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("FACTOR-6: a passkey is added, requested after the password, and signs this attempt's challenge once", async () => {
    const at = await place(fixture);
    const { key, recoveryCodes } = await withPasskey(at);
    expect(recoveryCodes).toHaveLength(10);
    const { own, options } = await beginSignIn(at);
    expect(JSON.parse(options)).toMatchObject({
      rpId: at.host,
      allowCredentials: [{ id: key.id, transports: ['internal'] }],
    });
    const response = key.show(options, getOrigin(at), { verified: false });
    // The answer to one attempt's challenge is none to another's.
    const other = await beginSignIn(at);
    expect((await other.own.send('auth/login/passkey', { response })).body).toMatchObject({
      message: MESSAGES.wrongPasskey,
      error: { kind: 'wrong-credentials' },
    });
    expect((await own.send('auth/login/passkey', { response })).body.data.user.id).toBe(at.id);
    expect((await own.send('auth/login/passkey', { response })).body.error.kind).toBe('expired');
    const {
      body: { data: factors },
    } = await own.get<Factors>(`profile/${at.id}/factors`);
    expect(factors.passkeys).toEqual([
      {
        key: key.id,
        name: 'Laptop',
        madeAt: fixture.context.clock.now(),
        usedAt: fixture.context.clock.now(),
      },
    ]);
    expect((await sent(at)).map(({ text }) => text.includes('passkey was added'))).toEqual([true]);
    const how = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('session')
        .select('how')
        .where('tenant_id', '=', at.tenant)
        .where('how', '!=', 'password')
        .execute(),
    );
    expect(how).toEqual([{ how: 'password+passkey' }]);
    expect(await recorded(at)).toEqual(
      expect.arrayContaining(['factor.added', 'sign-in.refused', 'sign-in.done']),
    );
  });

  test("FACTOR-6: another site, another host, another user's key, a counter that doesn't increase and an invalid answer are refused", async () => {
    const at = await place(fixture);
    const { key } = await withPasskey(at);
    await user(fixture, at.tenant, { username: 'liam', email: 'liam@example.com' });
    const foreign = new Authenticator();
    const liam = browser(at);
    const {
      body: {
        data: { userId },
      },
    } = await liam.login({ username: 'liam' });
    const {
      body: {
        data: { options },
      },
    } = await liam.send<{ options: string }>(`profile/${userId}/passkeys/options`, {});
    expect(
      (
        await liam.send(`profile/${userId}/passkeys`, {
          name: 'Phone',
          response: foreign.make(options, getOrigin(at)),
        })
      ).status,
    ).toBe(200);

    const first = await beginSignIn(at);
    const tries: ((o: string) => string)[] = [
      (o) => key.show(o, 'https://evil.example'),
      (o) => key.show(o, `http://${at.host}`),
      (o) => key.show(o, getOrigin(at), { rpID: 'evil.example' }),
      (o) => foreign.show(o, getOrigin(at)),
      (o) =>
        key.show(
          JSON.stringify({
            ...(JSON.parse(o) as object),
            challenge: Buffer.alloc(32).toString('base64url'),
          }),
          getOrigin(at),
        ),
    ];
    const answers = [];
    for (const make of tries)
      answers.push(
        (await first.own.send('auth/login/passkey', { response: make(first.options) })).body.error
          .kind,
      );
    expect(answers).toEqual([
      'wrong-credentials',
      'wrong-credentials',
      'wrong-credentials',
      'wrong-credentials',
      'expired',
    ]);
    fixture.pass(3_600_000);
    const second = await beginSignIn(at);
    expect(
      (
        await second.own.send('auth/login/passkey', {
          response: key.show(second.options, getOrigin(at), { counter: 50 }),
        })
      ).status,
    ).toBe(200);
    const third = await beginSignIn(at);
    for (const counter of [50, 49])
      expect(
        (
          await third.own.send('auth/login/passkey', {
            response: key.show(third.options, getOrigin(at), { counter }),
          })
        ).status,
        `counter ${counter}: a copy of the key`,
      ).toBe(401);
    for (const response of ['', '{}', '[]', 'null', '{"id":1}', '{"__proto__":{}}'])
      expect((await third.own.send('auth/login/passkey', { response })).status).not.toBe(200);
  });

  test('FACTOR-6: without a username a passkey signs in alone, if its device verified and names its user', async () => {
    const at = await place(fixture);
    const { key } = await withPasskey(at);
    const begin = async () => {
      const own = browser(at);
      const {
        body: {
          data: { step, methods, passkey, until },
        },
      } = await own.send('auth/login/passkey/options', {});
      expect([step, methods, until]).toEqual([
        'code',
        ['passkey'],
        fixture.context.clock.now() + 600_000,
      ]);
      return { own, options: passkey ?? '' };
    };
    const { own, options } = await begin();
    expect(JSON.parse(options)).toMatchObject({ userVerification: 'required', rpId: at.host });
    expect(
      (JSON.parse(options) as { allowCredentials?: unknown }).allowCredentials,
      'nobody is named',
    ).toBeUndefined();
    for (const more of [
      { verified: false },
      { handle: null },
      { handle: Buffer.alloc(16).toString('base64url') },
    ]) {
      expect(
        (await own.send('auth/login/passkey', { response: key.show(options, getOrigin(at), more) }))
          .status,
      ).toBe(401);
    }
    expect(
      (
        await own.send('auth/login/passkey', {
          response: key.show(options, getOrigin(at)),
          rememberComputer: false,
        })
      ).body.data.user.username,
    ).toBe('kate');
    expect(own.attempt).toBeNull();
    const how = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('session')
        .select('how')
        .where('tenant_id', '=', at.tenant)
        .where('how', '=', 'passkey')
        .execute(),
    );
    expect(how).toHaveLength(1);

    // The key of another provider is nobody's here, also where one server keeps both.
    const away = await place(fixture);
    const there = browser(away);
    const {
      body: {
        data: { passkey },
      },
    } = await there.send('auth/login/passkey/options', {});
    expect(
      (
        await there.send('auth/login/passkey', {
          response: key.show(passkey ?? '', getOrigin(away)),
        })
      ).status,
    ).toBe(401);

    // Five tries for an attempt.
    const guess = await begin();
    for (let n = 0; n < 4; n += 1)
      expect((await guess.own.send('auth/login/passkey', { response: '{}' })).body.error.kind).toBe(
        'wrong-credentials',
      );
    expect((await guess.own.send('auth/login/passkey', { response: '{}' })).body.error.kind).toBe(
      'expired',
    );
    expect(
      (
        await guess.own.send('auth/login/passkey', {
          response: key.show(guess.options, getOrigin(at)),
        })
      ).body.error.kind,
    ).toBe('expired');
  });

  test("FACTOR-6: a deleted user and a directory user can't sign in with a passkey alone", async () => {
    const at = await place(fixture);
    const { key } = await withPasskey(at);
    const alone = async (): Promise<number> => {
      const own = browser(at);
      const {
        body: {
          data: { passkey },
        },
      } = await own.send('auth/login/passkey/options', {});
      return (
        await own.send('auth/login/passkey', { response: key.show(passkey ?? '', getOrigin(at)) })
      ).status;
    };
    expect(await alone()).toBe(200);
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.updateTable('person').set({ auth: 'ad' }).where('tenant_id', '=', at.tenant).execute(),
    );
    expect(await alone()).toBe(401);
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.updateTable('person').set({ auth: 'db' }).where('tenant_id', '=', at.tenant).execute(),
    );
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
    expect(await alone()).toBe(401);
  });

  test('FACTOR-6: at a host that is an IP address, passkeys are neither created nor used, with a message', async () => {
    for (const host of ['192.0.2.9', '[2001:db8::1]']) {
      const { id, tenant } = await place(fixture);
      await fixture.context.store.system((sql) =>
        sql.insertInto('provider_host').values({ host, tenant_id: tenant }).execute(),
      );
      const own = new Browser(factorApp(fixture), `${host}:4300`);
      expect((await own.send('auth/login/passkey/options', {})).body).toMatchObject({
        message: MESSAGES.passkeyNeedsName,
        error: { kind: 'conflict' },
      });
      await own.login();
      expect((await own.send(`profile/${id}/passkeys/options`, {})).body).toMatchObject({
        message: MESSAGES.passkeyNeedsName,
        error: { kind: 'conflict' },
      });
    }
  });

  test('G37: starting many sign-ins by passkey is slowed down', async () => {
    const at = await place(fixture);
    const kinds = [];
    for (let n = 0; n < 62; n += 1)
      kinds.push((await browser(at).send('auth/login/passkey/options', {})).status);
    expect([kinds.slice(0, 60).every((one) => one === 200), kinds.slice(60)]).toEqual([
      true,
      [429, 429],
    ]);
    fixture.pass(600_001);
    expect((await browser(at).send('auth/login/passkey/options', {})).status).toBe(200);
    const left = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql.selectFrom('attempt').select('id').where('tenant_id', '=', at.tenant).execute(),
    );
    expect(left, 'those that are over are gone').toHaveLength(1);
  });

  test('FACTOR-6, FACTOR-9: a passkey is added once, only for the challenge issued here; the last one that the provider requires stays', async () => {
    const at = await place(fixture, { settings: { secondFactor: 'strong' } });
    const kate = browser(at);
    const secret = (await kate.login()).body.data.enrol?.secret ?? '';
    await kate.send('auth/login/enrol', { code: totpAt(secret, fixture.context.clock.now()) });
    const key = new Authenticator();
    const loadOptions = async (): Promise<string> =>
      (await kate.send<{ options: string }>(`profile/${at.id}/passkeys/options`, {})).body.data
        .options;
    const add = (response: string) =>
      kate.send<{ recoveryCodes: null }>(`profile/${at.id}/passkeys`, { name: 'Key', response });
    expect((await add(key.make(await loadOptions(), 'https://evil.example'))).body.error.kind).toBe(
      'bad-input',
    );
    const options = await loadOptions();
    const made = key.make(options, getOrigin(at));
    const done = await add(made);
    expect([done.status, done.body.data.recoveryCodes], 'there are codes already').toEqual([
      200,
      null,
    ]);
    expect((await add(made)).body.message, 'its challenge is used').toBe(MESSAGES.setUpOver);
    expect(
      (await add(key.make(await loadOptions(), getOrigin(at)))).body.error.kind,
      'the same key',
    ).toBe('conflict');
    expect((await kate.send(`profile/${at.id}/totp`, undefined, 'DELETE')).status).toBe(200);
    expect(
      (await kate.send(`profile/${at.id}/passkeys/${key.id}`, undefined, 'DELETE')).body,
    ).toMatchObject({ message: MESSAGES.lastFactor });
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('provider')
        .set({ settings: '{}' })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    expect(
      (await kate.send(`profile/${at.id}/passkeys/${key.id}`, undefined, 'DELETE')).status,
    ).toBe(200);
    expect((await kate.get<Factors>(`profile/${at.id}/factors`)).body.data).toMatchObject({
      passkeys: [],
      recoveryCodesLeft: 0,
    });
  });

  test('G44: confirming a passkey makes the session recent, once for each challenge, and only the session that asked', async () => {
    const at = await place(fixture);
    const { key, own } = await withPasskey(at);
    fixture.pass(300_001);
    const options = await own.send<{ methods: string[]; passkey: string }>(
      'auth/reauth/options',
      {},
    );
    expect(options.body.data.methods).toEqual(['passkey', 'recovery']);
    const response = key.show(options.body.data.passkey, getOrigin(at));
    const second = new Browser(factorApp(fixture), at.host);
    await second.login();
    const {
      body: {
        data: { passkey },
      },
    } = await beginSignIn(at).then(async ({ own: other, options: o }) => {
      await other.send('auth/login/passkey', { response: key.show(o, getOrigin(at)) });
      expect(
        (await other.send('auth/reauth', { passkey: response })).status,
        'another session',
      ).toBe(401);
      return other.send<{ passkey: string }>('auth/reauth/options', {});
    });
    expect(passkey).not.toBe(options.body.data.passkey);
    expect(
      (
        await own.send('auth/reauth', {
          passkey: key.show(options.body.data.passkey, getOrigin(at)),
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await own.send('auth/reauth', {
          passkey: key.show(options.body.data.passkey, getOrigin(at)),
        })
      ).status,
      'once',
    ).toBe(401);
    expect((await own.send(`profile/${at.id}/recovery-codes`, {})).status).toBe(200);
  });
});
