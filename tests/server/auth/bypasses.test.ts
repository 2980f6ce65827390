import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { allHandlers } from '#server/handlers.ts';
import { getApp, makeFixture, PASSWORD, user } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import {
  Browser,
  browser,
  codesTo,
  lastCode,
  otherThan,
  place,
  sent,
  totpAt,
} from './factor-fixtures.ts';
import type { Place, Set } from './factor-fixtures.ts';

let fixture: Fixture;
const PHONE = '+15550100112';
const THEIRS = '+15550100299';
const NEW = 'a lamp under seven stones';
const REASON = 'ticket 4711';
/** With every call there is. */
const whole = async (set: Set = {}): Promise<Place> => ({ ...(await place(fixture, set)), app });
let app: Place['app'];
const begin = async (who: Browser, username: string): Promise<void> => {
  fixture.pass(3_600_000);
  expect((await who.send('auth/validate/secret-questions', { username, answers: [] })).status).toBe(
    200,
  );
};
const guess = (who: Browser, code: string) =>
  who.send('profile/reset-password', { code, newPassword: NEW });
const linkIn = (text: string): string => /#([\w-]{43})/.exec(text)?.[1] ?? '';

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context, allHandlers(fixture.context));
  });

  test('FACTOR-5, FACTOR-1: codes of a user with a stronger factor go to no other number during sign-in, verified or not', async () => {
    const at = await whole({ phone: PHONE, own: { sms: true } });
    const own = browser(at);
    await own.login();
    await own.sms(await lastCode(at, PHONE));
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ phone_updated_once: false })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    const {
      body: {
        data: { secret },
      },
    } = await own.send<{ secret: string }>(`profile/${at.id}/totp`, {});
    expect(
      (
        await own.send(
          `profile/${at.id}/totp`,
          { code: totpAt(secret, fixture.context.clock.now()) },
          'PUT',
        )
      ).status,
    ).toBe(200);
    fixture.pass(60_000);
    const thief = browser(at);
    const step = await thief.login();
    expect([step.body.data.methods.slice(0, 2), step.body.data.mayChangePhone]).toEqual([
      ['totp', 'sms'],
      false,
    ]);
    const led = await thief.send('auth/login/db/sms/resend', { newMobilePhone: THEIRS });
    expect([led.status, led.body.message]).toEqual([409, MESSAGES.phoneFixed]);
    expect(await codesTo(at, THEIRS)).toEqual([]);
    expect(
      (await thief.send('auth/login/db/sms/resend', {})).status,
      'to the own number they still go',
    ).toBe(200);
  });

  test('FACTOR-8: a computer is remembered for a user who proved a second factor on it, not by a password alone', async () => {
    const at = await whole({ phone: PHONE, proven: true });
    const thief = browser(at);
    const kate = browser(at);
    expect((await thief.login({ rememberComputer: true })).body.data.token).toBeDefined();
    await kate.login();
    expect((await kate.send(`profile/${at.id}/sms`, { on: true }, 'PUT')).status).toBe(200);
    thief.token = null;
    expect((await thief.login()).body.data, 'the code is asked for').toMatchObject({
      step: 'code',
      methods: ['sms'],
    });
    await thief.sms(await lastCode(at, PHONE), { rememberComputer: true });
    thief.token = null;
    expect((await thief.login()).body.data.token).toBeDefined();
  });

  test("G38: a code by SMS is bound to the portal's own name, whatever host was requested", async () => {
    const at = await whole({ settings: { secondFactor: 'sms' }, phone: PHONE });
    await fixture.context.store.system((sql) =>
      sql
        .updateTable('tenant_list')
        .set({ is_default: true })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    await new Browser(at.app, 'phishing.example').login();
    await fixture.context.store.system((sql) =>
      sql
        .updateTable('tenant_list')
        .set({ is_default: false })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    const [message] = await sent(at);
    expect(message?.text).toContain(`\n\n@${at.host} #`);
    expect(message?.text).not.toContain('phishing');
  });

  test('RECOVER-6, G37: wrong codes of several attempts count together, the same for unknown names, and slow nobody on a known device', async () => {
    const at = await whole();
    const kate = browser(at);
    await kate.login();
    const seen: Record<string, unknown[]> = { kate: [], nobody: [] };
    for (const name of ['kate', 'nobody']) {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const thief = browser(at);
        await begin(thief, name);
        const right =
          (await sent(at)).flatMap(({ text }) => /^\d{6}/.exec(text)?.[0] ?? []).at(-1) ?? '000000';
        for (let n = 1; n <= 4; n += 1)
          seen[name]?.push((await guess(thief, otherThan(right, n))).body.error.kind);
        if (attempt === 4) seen[name]?.push((await guess(thief, right)).body.error.kind);
      }
    }
    expect(seen['kate']).toEqual(seen['nobody']);
    expect(seen['kate']?.slice(0, 12)).toEqual(
      Array.from({ length: 12 }, () => 'wrong-credentials'),
    );
    expect(seen['kate']?.at(-1), 'right, and not looked at').toBe('too-many');
    await begin(kate, 'kate');
    const code =
      (await sent(at)).flatMap(({ text }) => /^\d{6}/.exec(text)?.[0] ?? []).at(-1) ?? '';
    expect((await guess(kate, code)).status).toBe(200);
  });

  test('RECOVER-5: a password link ends when the address that it was sent to changes', async () => {
    const at = await whole({ user: { roles: ['admin'] } });
    const kate = browser(at);
    await kate.login();
    await kate.send('profile/forgot-password/email', { username: 'kate' });
    const link = linkIn((await sent(at)).at(-1)?.text ?? '');
    expect((await kate.send('profile/forgot-password/check', { hash: link })).status).toBe(200);
    expect(
      (await kate.send(`profile/${at.id}`, { email: 'kate@elsewhere.example' }, 'PUT')).status,
    ).toBe(200);
    expect((await kate.send('profile/forgot-password/check', { hash: link })).status).toBe(404);
  });

  test('ACT-2, G42: a user who acts as another changes nothing of any account through the list of users; nobody acts as an administrator', async () => {
    const at = await whole({ user: { roles: ['admin', 'super-admin'] } });
    const boss = browser(at);
    const anna = await user(fixture, at.tenant, {
      username: 'anna',
      email: 'anna@example.com',
      roles: ['admin'],
    });
    const bert = await user(fixture, at.tenant, {
      username: 'bert',
      email: 'bert@example.com',
      roles: ['operator'],
    });
    await boss.login();
    expect((await boss.send('auth/login-as', { userId: anna, reason: REASON })).body.message).toBe(
      MESSAGES.loginAsRefused,
    );
    expect((await boss.send('auth/login-as', { userId: bert, reason: REASON })).status).toBe(200);
    for (const id of [anna, bert]) {
      for (const change of [
        { email: 'boss@example.com' },
        { name: 'Bert B.' },
        { roles: ['admin'] },
      ]) {
        const changed = await boss.send(`users/${id}`, change, 'PUT');
        expect([changed.status, changed.body.error?.kind, changed.body.message]).toEqual([
          403,
          'forbidden',
          MESSAGES.notWhileImpersonating,
        ]);
      }
    }
  });

  test('USER-1, RECOVER-5: an invitation to a wrong address is void once the address is corrected; the right one gets another', async () => {
    const at = await whole({ user: { roles: ['admin'] } });
    const root = browser(at);
    await root.login();
    const made = await root.send<{ _id: string }>('users', {
      username: 'bert',
      name: 'Bert',
      email: 'wrong@example.com',
      roles: ['operator'],
      companies: null,
      auth: 'db',
      invite: true,
    });
    const first = linkIn((await sent(at)).at(-1)?.text ?? '');
    expect([
      made.status,
      (await root.send('profile/forgot-password/check', { hash: first })).status,
    ]).toEqual([200, 200]);
    const { _id: bert } = made.body.data;
    fixture.pass(1);
    expect((await root.send(`users/${bert}`, { email: 'bert@example.com' }, 'PUT')).status).toBe(
      200,
    );
    expect(
      (await browser(at).send('profile/forgot-password/change', { hash: first, newPassword: NEW }))
        .status,
    ).toBe(404);
    const right = (await sent(at)).find(({ to }) => to === 'bert@example.com');
    expect(
      (
        await browser(at).send('profile/forgot-password/change', {
          hash: linkIn(right?.text ?? ''),
          newPassword: NEW,
        })
      ).status,
    ).toBe(200);
    fixture.pass(1);
    const mails = (await sent(at)).length;
    expect((await root.send(`users/${bert}`, { email: 'b@example.com' }, 'PUT')).status).toBe(200);
    expect(
      (await sent(at)).slice(mails).map(({ to }) => to),
      'who has a password is not invited again',
    ).toEqual(['bert@example.com']);
  });

  test('FACTOR-9: of two factors that are removed at once, one stays if the provider requires one', async () => {
    for (let round = 0; round < 3; round += 1) {
      const at = await whole({ settings: { secondFactor: 'strong' } });
      const kate = browser(at);
      const {
        body: {
          data: { enrol },
        },
      } = await kate.login();
      expect(
        (
          await kate.send('auth/login/enrol', {
            code: totpAt(enrol?.secret ?? '', fixture.context.clock.now()),
          })
        ).status,
      ).toBe(200);
      await fixture.context.store.tenant(at.tenant, ({ sql }) =>
        sql
          .insertInto('passkey')
          .values({
            tenant_id: at.tenant,
            id: 'a-key',
            user_id: at.id,
            public_key: 'AA',
            counter: 0,
            transports: '[]',
            name: 'A key',
            made_at: fixture.context.clock.now(),
            used_at: null,
          })
          .execute(),
      );
      const both = await Promise.all([
        kate.send(`profile/${at.id}/totp`, undefined, 'DELETE'),
        kate.send(`profile/${at.id}/passkeys/a-key`, undefined, 'DELETE'),
      ]);
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    }
  });

  test('USER-2, NOTE-3, BRAND-4: a path that a browser would read as another site is refused', async () => {
    const at = await whole({ user: { roles: ['admin', 'super-admin'] } });
    const root = browser(at);
    await root.login();
    for (const path of [
      '/\t/elsewhere.example',
      '/\n/elsewhere.example',
      '/\\elsewhere.example',
      '//elsewhere.example',
      '/ /elsewhere.example',
    ]) {
      const made = await root.send('users', {
        username: 'bert',
        name: 'Bert',
        email: 'b@example.com',
        roles: ['operator'],
        companies: null,
        auth: 'db',
        invite: true,
        landingPage: path,
      });
      const notice = await root.send('notifications/publish', {
        app: 'monitoring',
        severity: 'info',
        message: 'Hello',
        link: path,
      });
      const look = await root.send(
        `service-providers/${at.tenant}/branding`,
        { features: { office365: { restoreUrl: path } } },
        'PUT',
      );
      expect([made.status, notice.status, look.status], `of ${JSON.stringify(path)}`).toEqual([
        400, 400, 400,
      ]);
    }
  });

  test('PROV-4: an invitation ends when its sender is deleted or loses access to what it grants', async () => {
    const at = await whole({ user: { roles: ['admin', 'super-admin'] } });
    const root = browser(at);
    await root.login();
    const leo = await user(fixture, at.tenant, {
      username: 'leo',
      email: 'leo@example.com',
      roles: ['admin'],
      companies: [1, 2],
    });
    const by = browser(at);
    await by.send('auth/login/db', { username: 'leo', password: PASSWORD });
    const invited = async (): Promise<string> =>
      linkIn(
        (await by.send<{ url: string }>(`service-providers/${at.tenant}/invitations`, {})).body.data
          .url,
      );
    const accept = (token: string, username: string) =>
      browser(at).send('auth/invitation', { token, username, name: 'New', password: NEW });
    const [one, two] = [await invited(), await invited()];
    await fixture.context.store.tenant(at.tenant, (tx) =>
      tx.append(
        [
          {
            event: { type: 'user.scoped@1', data: { id: leo, roles: ['admin'], companies: [1] } },
            company: null,
            entity: `user:${leo}`,
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
    expect((await accept(one, 'first')).status).toBe(200);
    const {
      body: {
        data: { user: first },
      },
    } = await browser(at).send('auth/login/db', { username: 'first', password: NEW });
    expect(first.companies).toEqual([1]);
    expect((await root.send(`users/${leo}`, undefined, 'DELETE')).status).toBe(200);
    expect((await accept(two, 'second')).status).toBe(404);
  });

  test('ACT-5: an impersonated session whose right has ended is not renewed, and reveals nothing about its user', async () => {
    const at = await whole({ user: { roles: ['admin'] } });
    const boss = browser(at);
    const other = browser(at);
    const leo = await user(fixture, at.tenant, {
      username: 'leo',
      email: 'leo@example.com',
      roles: ['operator'],
    });
    const own = (await boss.login()).body.data;
    await other.login();
    const {
      body: { data: sessions },
    } = await other.get<{ id: string; current: boolean }[]>(`profile/${at.id}/sessions`);
    expect([own.userId, sessions.length]).toEqual([at.id, 2]);
    expect((await boss.send('auth/login-as', { userId: leo, reason: REASON })).status).toBe(200);
    expect(
      (
        await other.send(
          `profile/${at.id}/sessions/${sessions.find(({ current }) => !current)?.id ?? ''}`,
          undefined,
          'DELETE',
        )
      ).status,
    ).toBe(200);
    const renewed = await boss.renew();
    expect([renewed.status, renewed.text.includes('leo@example.com')]).toEqual([401, false]);
  });

  test("FACTOR-2: a sign-in attempt ends when its user's sign-in method changes", async () => {
    const at = await whole({
      settings: { secondFactor: 'sms' },
      phone: PHONE,
      proven: true,
      user: { roles: ['operator'] },
    });
    await user(fixture, at.tenant, {
      username: 'root',
      email: 'root@example.com',
      roles: ['admin', 'super-admin'],
    });
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ mobile_phone: '+15550100777', phone_updated_once: true })
        .where('tenant_id', '=', at.tenant)
        .where('username', '=', 'root')
        .execute(),
    );
    const root = browser(at);
    const kate = browser(at);
    await root.send('auth/login/db', { username: 'root', password: PASSWORD });
    await root.sms(await lastCode(at, '+15550100777'));
    await kate.login();
    expect((await root.send(`users/${at.id}`, { auth: 'ad' }, 'PUT')).status).toBe(200);
    expect((await kate.sms(await lastCode(at, PHONE))).body.error.kind).toBe('expired');
  });
});
