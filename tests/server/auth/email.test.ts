import { sql as raw } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Profile } from '#contract/auth/profile-calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { notifyDefaults } from '#contract/notifications/notifications.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { allHandlers } from '#server/handlers.ts';
import { sendDigests } from '#server/features/notifications/digest.ts';
import { migration0034 } from '#server/platform/db/migrations/0034_email_confirmation.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { getApp, cookieIn, makeFixture, provider, refresh, user } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { Browser } from './factor-fixtures.ts';
import { issuer, jwt } from './issuer.ts';
import type { Issuer } from './issuer.ts';
import { posted } from './captured-mail.ts';

const HOUR = 3_600_000;
const PASSWORD = 'seven quiet lighthouses';
const IN = '/login#signed-in';
const UNKNOWN = '/login#refused=unknown';
const OVER = [404, MESSAGES.linkOver];
let fixture: Fixture;
let app: App;
let there: Issuer;

interface Portal {
  readonly tenant: string;
  readonly host: string;
  readonly admin: Browser;
  readonly kate: string;
}
async function portal(): Promise<Portal> {
  const { tenant, host } = await provider(fixture);
  await fixture.context.store.tenant(tenant, async (tx) => {
    await tx.sql
      .updateTable('provider')
      .set({
        settings: JSON.stringify({
          oidc: { issuer: there.url, clientId: 'portal', label: 'Company account' },
        }),
      })
      .where('tenant_id', '=', tenant)
      .execute();
    await storeSecret(tx, fixture.context, 'oidc', 'oidc-secret');
  });
  const kate = await user(fixture, tenant);
  const admin = new Browser(app, host);
  expect((await admin.login()).status).toBe(200);
  return { tenant, host, admin, kate };
}
/** Somebody who was invited and typed this address; signed in. */
async function register(
  { tenant, host, admin }: Portal,
  username: string,
  email: string,
): Promise<{ browser: Browser; id: string }> {
  const {
    body: {
      data: { url },
    },
  } = await admin.send<{ url: string }>(`service-providers/${tenant}/invitations`, {});
  const browser = new Browser(app, host);
  expect(
    (
      await browser.send('auth/invitation', {
        token: url.split('#')[1] ?? '',
        username,
        name: username,
        email,
        password: PASSWORD,
      })
    ).status,
  ).toBe(200);
  return { browser, id: (await browser.login({ username, password: PASSWORD })).body.data.userId };
}
/** There and back at the issuer: where it ends, and who is in then. */
async function byIssuer(
  { host }: Portal,
  subject: string,
  email: string,
): Promise<{ readonly to: string | null; readonly id: string | null }> {
  const browser = new Browser(app, host);
  const began = await browser.send('auth/oidc/start', undefined, 'GET');
  const query = there.agree(began.headers.get('location') ?? '');
  there.token = (_, right) =>
    jwt({ ...right, sub: subject, email, email_verified: true }, there.keys);
  const back = await browser.send(`auth/oidc/callback?${query.toString()}`, undefined, 'GET');
  const to = back.headers.get('location');
  return {
    to,
    id: to === IN ? (await refresh(app, host, cookieIn(back))).body.data.user.id : null,
  };
}
const mailsTo = async (at: Portal, address: string) =>
  (await posted(fixture, at.tenant)).flatMap((one) =>
    one.kind === 'mail' && one.to === address ? [one] : [],
  );
/** Secrets of the links that confirm an address, the oldest first. */
const linksTo = async (at: Portal, address: string): Promise<string[]> =>
  (await mailsTo(at, address)).flatMap(
    ({ text }) =>
      new RegExp(`https://${at.host}/confirm-email#([\\w-]{43})\\n`).exec(text)?.[1] ?? [],
  );
const confirm = async ({ host }: Portal, token: string): Promise<unknown[]> => {
  const { status, body } = await new Browser(app, host).send('auth/confirm-email', { token });
  return [status, body.message];
};
const check = async ({ host }: Portal, token: string): Promise<unknown[]> => {
  const { status, body } = await new Browser(app, host).send('auth/confirm-email/check', { token });
  return [status, body.message];
};
const confirmed = async (at: Portal, token: string): Promise<boolean> =>
  (await confirm(at, token))[0] === 200;
const profile = async (browser: Browser, id: string): Promise<Profile> =>
  (await browser.get<Profile>(`profile/${id}`)).body.data;
const edit = (browser: Browser, id: string, body: object) =>
  browser.send<Profile>(`profile/${id}`, body, 'PUT');

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
    app = getApp(fixture.context, allHandlers(fixture.context));
    there = await issuer();
  });

  test("EMAIL-2, OIDC-2: registering with another person's address neither gives nor blocks their link to the issuer", async () => {
    const at = await portal();
    const mallory = await register(at, 'mallory', 'kate@example.com');
    expect((await profile(mallory.browser, mallory.id)).emailVerified).toBe(false);
    expect(await byIssuer(at, 'subject-kate', 'Kate@example.com')).toEqual({ to: IN, id: at.kate });
    await edit(mallory.browser, mallory.id, { email: 'nils@example.com' });
    expect(await byIssuer(at, 'subject-nils', 'nils@example.com')).toEqual({
      to: UNKNOWN,
      id: null,
    });
    const nils = await user(fixture, at.tenant, {
      username: 'nils',
      email: 'nils@example.com',
      roles: ['read-only'],
    });
    expect(await byIssuer(at, 'subject-nils', 'nils@example.com')).toEqual({ to: IN, id: nils });
  });

  test('EMAIL-1, EMAIL-3, OIDC-2: a registered user signs in immediately, and by the issuer once the address is confirmed', async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    expect(await byIssuer(at, 'subject-nora', 'nora@example.com')).toEqual({
      to: UNKNOWN,
      id: null,
    });
    const [token = ''] = await linksTo(at, 'nora@example.com');
    expect(await confirmed(at, token)).toBe(true);
    expect(await profile(nora.browser, nora.id)).toMatchObject({
      emailVerified: true,
      emailLinkUntil: null,
    });
    expect(await byIssuer(at, 'subject-nora', 'nora@example.com')).toEqual({ to: IN, id: nora.id });
    expect(
      (await mailsTo(at, 'nora@example.com')).filter(({ text }) => text.includes(token)),
    ).toHaveLength(1);
    const stored = await fixture.context.store.tenant(at.tenant, async ({ sql }) =>
      JSON.stringify([
        await sql.selectFrom('one_time').selectAll().execute(),
        await sql.selectFrom('outgoing').selectAll().execute(),
        await sql.selectFrom('audit').selectAll().execute(),
      ]),
    );
    expect([stored.includes(token), stored.includes('email.confirmed')]).toEqual([false, true]);
  });

  test('EMAIL-3: a used, expired, outdated or invented link confirms nothing, with one answer', async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    const [first = ''] = await linksTo(at, 'nora@example.com');
    await edit(nora.browser, nora.id, { email: 'nora@other.example' });
    await edit(nora.browser, nora.id, { email: 'nora@example.com' });
    expect(
      await confirm(at, first),
      'of a former address, even if it is the present one again',
    ).toEqual(OVER);
    const second = (await linksTo(at, 'nora@example.com')).find((one) => one !== first) ?? '';
    const [other = ''] = await linksTo(at, 'nora@other.example');
    expect(await confirm(at, other)).toEqual(OVER);
    expect((await profile(nora.browser, nora.id)).emailVerified).toBe(false);
    expect(await confirmed(await portal(), second), 'at another provider').toBe(false);
    expect(await confirmed(at, second)).toBe(true);
    for (const token of [second, 'never-a-link', 'x'.repeat(43)])
      expect(await confirm(at, token)).toEqual(OVER);
    // Of another kind: an invitation, a link for a password.
    await new Browser(app, at.host).send('profile/forgot-password/email', { username: 'nora' });
    const reset =
      (await mailsTo(at, 'nora@example.com'))
        .flatMap(({ text }) => /reset-password-db#([\w-]{43})/.exec(text)?.[1] ?? [])
        .at(-1) ?? '';
    expect([reset.length, await confirm(at, reset)]).toEqual([43, OVER]);
    const late = await register(at, 'lars', 'lars@example.com');
    const [tooLate = ''] = await linksTo(at, 'lars@example.com');
    fixture.pass(24 * HOUR);
    expect(await confirm(at, tooLate)).toEqual(OVER);
    await late.browser.login({ username: 'lars', password: PASSWORD });
    expect(await profile(late.browser, late.id)).toMatchObject({
      emailVerified: false,
      emailLinkUntil: null,
    });
  });

  test('EMAIL-4: a link is checked without being used up, with one answer for all that are not valid, at the pace of guesses', async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    const [token = ''] = await linksTo(at, 'nora@example.com');
    for (let n = 0; n < 40; n += 1) expect((await check(at, token))[0]).toBe(200);
    expect((await profile(nora.browser, nora.id)).emailVerified).toBe(false);
    expect(await check(await portal(), token), 'at another provider').toEqual(OVER);
    expect(await confirmed(at, token)).toBe(true);
    expect(await check(at, token), 'used').toEqual(OVER);
    expect(await check(at, 'x'.repeat(43)), 'made up').toEqual(OVER);
    await edit(nora.browser, nora.id, { email: 'nora@two.example' });
    const [former = ''] = await linksTo(at, 'nora@two.example');
    expect((await check(at, former))[0]).toBe(200);
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ email: 'nora@three.example' })
        .where('tenant_id', '=', at.tenant)
        .where('id', '=', nora.id)
        .execute(),
    );
    expect(await check(at, former), 'for a former address').toEqual(OVER);
    await register(at, 'lars', 'lars@example.com');
    const [late = ''] = await linksTo(at, 'lars@example.com');
    fixture.pass(24 * HOUR);
    expect(await check(at, late), 'expired').toEqual(OVER);
    const guesses = [];
    for (let n = 0; n < 40; n += 1) guesses.push((await check(at, `guess-${n}`))[0]);
    expect(new Set(guesses)).toEqual(new Set([404, 429]));
    expect(guesses.indexOf(429)).toBeGreaterThan(20);
  });

  test('EMAIL-3: three links an hour are sent, requested or by changing the address, and none for a verified address', async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    const again = () => nora.browser.send<Profile>(`profile/${nora.id}/confirm-email`, {});
    expect((await again()).body.data).toMatchObject({
      email: 'nora@example.com',
      emailLinkUntil: fixture.context.clock.now() + LIMITS.emailLinkMs,
    });
    await edit(nora.browser, nora.id, { email: 'nora@two.example' });
    await edit(nora.browser, nora.id, { email: 'nora@three.example' });
    expect([
      (await linksTo(at, 'nora@example.com')).length,
      (await linksTo(at, 'nora@two.example')).length,
      (await linksTo(at, 'nora@three.example')).length,
    ]).toEqual([2, 1, 0]);
    const refused = await again();
    expect([refused.status, refused.body.message]).toEqual([429, MESSAGES.emailTooManyLinks]);
    fixture.pass(HOUR);
    await nora.browser.login({ username: 'nora', password: PASSWORD });
    expect((await again()).status).toBe(200);
    const [token = ''] = await linksTo(at, 'nora@three.example');
    expect(await confirmed(at, token)).toBe(true);
    expect([
      (await again()).status,
      (await nora.browser.send(`profile/${at.kate}/confirm-email`, {})).status,
    ]).toEqual([409, 404]);
  });

  test('EMAIL-2, EMAIL-3: no digest goes to an address that its user typed until it is confirmed', async () => {
    const at = await portal();
    const wants = {
      ...notifyDefaults('UTC'),
      digest: { on: true, at: '09:00', weekdays: [1, 2, 3, 4, 5, 6, 7], whenWell: true },
    };
    const {
      body: {
        data: { nextAt },
      },
    } = await at.admin.send<{ nextAt: number }>('monitoring/notify', { settings: wants }, 'PUT');
    expect((await edit(at.admin, at.kate, { email: 'kate@new.example' })).body.data).toMatchObject({
      emailVerified: false,
    });
    const now = await at.admin.send('monitoring/notify/digest', {});
    expect([now.status, now.body.message]).toEqual([409, MESSAGES.emailNotConfirmed]);
    const digests = async () =>
      (await mailsTo(at, 'kate@new.example')).filter(({ subject }) =>
        subject.endsWith('No open problems'),
      ).length;
    fixture.pass(nextAt - fixture.context.clock.now());
    await sendDigests(fixture.context, at.tenant, fixture.context.clock.now());
    const [token = ''] = await linksTo(at, 'kate@new.example');
    expect(await digests()).toBe(0);
    expect(await confirmed(at, token)).toBe(true);
    fixture.pass(24 * HOUR);
    await sendDigests(fixture.context, at.tenant, fixture.context.clock.now());
    expect(await digests()).toBe(1);
  });

  test('EMAIL-1: an administrator verifies an address by setting it for another user, not their own', async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    const [token = ''] = await linksTo(at, 'nora@example.com');
    const listed = async () =>
      (
        await at.admin.get<{ rows: UserListed[] }>('monitoring/reporting/users?sort=username')
      ).body.data.rows.map(({ username, emailVerified }) => [username, emailVerified]);
    expect(await listed()).toEqual([
      ['kate', true],
      ['nora', false],
    ]);
    expect(
      (await at.admin.send(`users/${nora.id}`, { email: 'nora@office.example' }, 'PUT')).status,
    ).toBe(200);
    expect(await listed()).toEqual([
      ['kate', true],
      ['nora', true],
    ]);
    expect([await confirm(at, token), await linksTo(at, 'nora@office.example')]).toEqual([
      OVER,
      [],
    ]);
    expect(
      (await at.admin.send(`users/${at.kate}`, { email: 'kate@office.example' }, 'PUT')).status,
    ).toBe(200);
    expect(await listed()).toEqual([
      ['kate', false],
      ['nora', true],
    ]);
    expect(await linksTo(at, 'kate@office.example')).toHaveLength(1);
  });

  test('EMAIL-1: a link or code for a new password that was mailed to an address verifies it, and no other', async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    const nils = await register(at, 'nils', 'nils@example.com');
    const stranger = new Browser(app, at.host);
    const verified = async (id: string): Promise<boolean> =>
      fixture.context.store.tenant(
        at.tenant,
        async ({ sql }) =>
          (
            await sql
              .selectFrom('person')
              .select('email_verified')
              .where('tenant_id', '=', at.tenant)
              .where('id', '=', id)
              .executeTakeFirstOrThrow()
          ).email_verified,
      );
    await stranger.send('profile/forgot-password/email', { username: 'nora' });
    const hash =
      (await mailsTo(at, 'nora@example.com'))
        .flatMap(({ text }) => /reset-password-db#([\w-]{43})/.exec(text)?.[1] ?? [])
        .at(-1) ?? '';
    expect([
      await verified(nora.id),
      (
        await stranger.send('profile/forgot-password/change', {
          hash,
          newPassword: 'a lamp under seven stones',
        })
      ).status,
      await verified(nora.id),
    ]).toEqual([false, 200, true]);
    const byCode = async (change: () => Promise<unknown>): Promise<boolean> => {
      const before = (await mailsTo(at, 'nils@example.com')).length;
      expect(
        (await stranger.send('auth/validate/secret-questions', { username: 'nils', answers: [] }))
          .status,
      ).toBe(200);
      const code =
        (await mailsTo(at, 'nils@example.com'))
          .slice(before)
          .flatMap(({ text }) => /^\d{6}/.exec(text)?.[0] ?? [])[0] ?? '';
      await change();
      expect((await stranger.send('profile/unlock', { code })).status).toBe(200);
      return verified(nils.id);
    };
    // The code went to the address from before.
    expect(await byCode(() => edit(nils.browser, nils.id, { email: 'nils@other.example' }))).toBe(
      false,
    );
    await edit(nils.browser, nils.id, { email: 'nils@example.com' });
    fixture.pass(1);
    expect(await byCode(() => Promise.resolve())).toBe(true);
  });

  test('EMAIL-1: of addresses from earlier versions, those count as verified that nobody typed at registration, or that were proven or set since', async () => {
    const at = await portal();
    const typed = await register(at, 'typed', 'typed@example.com');
    const set = await register(at, 'set', 'set@example.com');
    const proven = await register(at, 'proven', 'proven@example.com');
    const lenient = await register(at, 'renamed', 'renamed@example.com');
    expect(
      (await at.admin.send(`users/${set.id}`, { email: 'set@office.example' }, 'PUT')).status,
    ).toBe(200);
    expect(
      (await at.admin.send(`users/${lenient.id}`, { name: 'Another name' }, 'PUT')).status,
    ).toBe(200);
    await edit(typed.browser, typed.id, { email: 'typed@other.example' });
    await new Browser(app, at.host).send('profile/forgot-password/email', { username: 'proven' });
    const hash =
      (await mailsTo(at, 'proven@example.com'))
        .flatMap(({ text }) => /reset-password-db#([\w-]{43})/.exec(text)?.[1] ?? [])
        .at(-1) ?? '';
    expect(
      (
        await proven.browser.send('profile/forgot-password/change', {
          hash,
          newPassword: 'a lamp under seven stones',
        })
      ).status,
    ).toBe(200);
    const update = migration0034.statements.find((one) => one.startsWith('update ')) ?? '';
    const verified = await fixture.context.store.tenant(at.tenant, async ({ sql }) => {
      await sql
        .updateTable('person')
        .set({ email_verified: true })
        .where('tenant_id', '=', at.tenant)
        .execute();
      await raw.raw(update).execute(sql);
      return sql
        .selectFrom('person')
        .select(['username', 'email_verified'])
        .where('tenant_id', '=', at.tenant)
        .orderBy('username')
        .execute();
    });
    expect(verified.map((one) => [one.username, one.email_verified])).toEqual([
      ['kate', true],
      ['proven', true],
      ['renamed', false],
      ['set', true],
      ['typed', false],
    ]);
  });

  test("EMAIL-2: the chat isn't told that a typed address belongs to its user", async () => {
    const at = await portal();
    const nora = await register(at, 'nora', 'nora@example.com');
    const wanted = { name: 'nora', email: 'nora@example.com', serviceProviderId: at.tenant };
    expect((await nora.browser.send('service-providers/hs-token', wanted)).status).toBe(403);
    const [token = ''] = await linksTo(at, 'nora@example.com');
    expect([
      await confirmed(at, token),
      (await nora.browser.send('service-providers/hs-token', wanted)).status,
    ]).toEqual([true, 200]);
  });
});
