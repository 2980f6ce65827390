import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { openSession } from '#server/platform/auth/sessions.ts';
import type { Fixture } from '../http/fixtures.ts';
import { makeFixture, PASSWORD, user } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { browser, place, recorded, totpAt } from './factor-fixtures.ts';

let fixture: Fixture;
const now = (): number => fixture.context.clock.now();

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('FACTOR-4, G44: factors are changed only by their user, with a factor confirmed within five minutes', async () => {
    const at = await place(fixture, { user: { roles: ['operator'] } });
    const other = await user(fixture, at.tenant, {
      username: 'liam',
      email: 'liam@example.com',
      roles: ['super-admin'],
    });
    const kate = browser(at);
    await kate.login();
    const changes = [
      [`totp`, 'POST'],
      ['totp', 'DELETE'],
      ['recovery-codes', 'POST'],
      ['passkeys/options', 'POST'],
      ['passkeys/x', 'DELETE'],
    ] as const;
    for (const [path, method] of changes) {
      for (const id of [other, crypto.randomUUID(), 'nobody']) {
        const answer = await kate.send(
          `profile/${id}/${path}`,
          method === 'POST' ? {} : undefined,
          method,
        );
        expect([answer.status, answer.body.error.kind], `${method} ${path} of ${id}`).toEqual([
          404,
          'not-found',
        ]);
      }
      expect(
        (
          await browser(at).send(
            `profile/${at.id}/${path}`,
            method === 'POST' ? {} : undefined,
            method,
          )
        ).status,
      ).toBe(401);
    }
    fixture.pass(300_001);
    for (const [path, method] of changes) {
      const answer = await kate.send(
        `profile/${at.id}/${path}`,
        method === 'POST' ? {} : undefined,
        method,
      );
      expect(
        [answer.status, answer.body.error.kind, answer.body.message],
        `${method} ${path}`,
      ).toEqual([403, 'reauth_required', MESSAGES.reauth]);
    }
    expect((await kate.get(`profile/${at.id}/factors`)).status).toBe(200);
    // Somebody else's hands.
    const liam = browser(at);
    await liam.login({ username: 'liam' });
    const { id: parent } = await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .selectFrom('session')
        .select('id')
        .where('tenant_id', '=', at.tenant)
        .where('user_id', '=', other)
        .executeTakeFirstOrThrow(),
    );
    const key = await fixture.context.sessionKey();
    const impersonation = {
      actor: other,
      id: crypto.randomUUID(),
      parent,
      reason: 'a question by phone',
    };
    const opened = await fixture.context.store.tenant(at.tenant, (tx) =>
      openSession(tx, fixture.context, key, {
        userId: at.id,
        now: now(),
        ip: '192.0.2.7',
        agent: '',
        impersonation,
      }),
    );
    const hands = browser(at);
    hands.token = opened.pair.access;
    for (const [path, method] of [...changes, ['factors', 'GET'] as const]) {
      const answer = await hands.send(
        `profile/${at.id}/${path}`,
        method === 'POST' ? {} : undefined,
        method,
      );
      expect([answer.status, answer.body.message]).toEqual([403, MESSAGES.notWhileImpersonating]);
    }
    for (const path of ['auth/reauth/options', 'auth/reauth'])
      expect((await hands.send(path, {})).status).toBe(403);
  });

  test('G44, G37: confirming needs an authenticator or recovery code, or the password if nothing stronger exists, and wrong ones are counted', async () => {
    const at = await place(fixture);
    const kate = browser(at);
    await kate.login();
    expect((await kate.send<{ methods: string[] }>('auth/reauth/options', {})).body.data).toEqual({
      methods: ['password'],
      passkey: null,
    });
    fixture.pass(300_001);
    expect((await kate.send(`profile/${at.id}/totp`, {})).status).toBe(403);
    expect((await kate.send('auth/reauth', {})).status).toBe(400);
    expect((await kate.send('auth/reauth', { password: PASSWORD, code: '123456' })).status).toBe(
      400,
    );
    expect((await kate.send('auth/reauth', { password: 'wrong' })).body).toMatchObject({
      message: MESSAGES.currentPassword,
      error: { kind: 'wrong-credentials' },
    });
    expect((await kate.send(`profile/${at.id}/totp`, {})).status).toBe(403);
    const done = await kate.send<{ freshUntil: number }>('auth/reauth', { password: PASSWORD });
    expect(done.body.data).toEqual({ freshUntil: now() + 300_000 });
    const {
      body: {
        data: { secret },
      },
    } = await kate.send<{ secret: string }>(`profile/${at.id}/totp`, {});
    const {
      body: {
        data: { recoveryCodes },
      },
    } = await kate.send<{ recoveryCodes: string[] }>(
      `profile/${at.id}/totp`,
      { code: totpAt(secret, now()) },
      'PUT',
    );
    for (const code of [totpAt(secret, now()), recoveryCodes[3]]) {
      fixture.pass(300_001);
      await kate.renew();
      expect((await kate.send(`profile/${at.id}/recovery-codes`, {})).body.error.kind).toBe(
        'reauth_required',
      );
      expect(
        (
          await kate.send('auth/reauth', {
            code: code?.length === 6 ? totpAt(secret, now()) : code,
          })
        ).status,
      ).toBe(200);
      expect((await kate.send('auth/reauth', { code })).status, 'each once').toBe(401);
      expect((await kate.send(`profile/${at.id}/passkeys/options`, {})).status).toBe(200);
    }
    // Whoever watched a password being typed does not confirm by it.
    expect(
      (await kate.send<{ methods: string[] }>('auth/reauth/options', {})).body.data.methods,
    ).toEqual(['totp', 'recovery']);
    for (const password of [PASSWORD, 'wrong']) {
      expect((await kate.send('auth/reauth', { password })).body).toMatchObject({
        message: MESSAGES.reauthByFactor,
        error: { kind: 'reauth_required' },
      });
    }
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => kate.send('auth/reauth', { code: 'aaaa-aaaa-aaaa' })),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(7);
    expect(await recorded(at)).toEqual(expect.arrayContaining(['reauth.done', 'reauth.refused']));
  });
});
