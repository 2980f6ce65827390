import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ask, login, makeFixture, PASSWORD, provider, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { accountApp, lastLink, posted, recorded, signedIn } from './captured-mail.ts';

const NEW = 'a lamp under seven stones';
let fixture: Fixture;
let app: App;

async function place(): Promise<{
  readonly host: string;
  readonly tenant: string;
  readonly id: string;
}> {
  const { host, tenant } = await provider(fixture);
  return { host, tenant, id: await user(fixture, tenant) };
}
const forgot = (host: string, username: string, headers: Record<string, string> = {}) =>
  ask(app, '/api/v1/profile/forgot-password/email', {
    method: 'POST',
    host,
    body: { username },
    headers,
  });
const check = (host: string, hash: string) =>
  ask(app, `/api/v1/profile/forgot-password/check?hash=${hash}`, { host });
const checkSent = (host: string, hash: string) =>
  ask(app, '/api/v1/profile/forgot-password/check', { method: 'POST', host, body: { hash } });
const change = (host: string, hash: string, newPassword = NEW) =>
  ask(app, '/api/v1/profile/forgot-password/change', {
    method: 'POST',
    host,
    body: { hash, newPassword },
  });
const said = ({ status, body }: Answer): unknown[] => [status, body.error?.kind, body.message];
const OVER = [404, 'not-found', MESSAGES.linkOver];
const hashIn = (link: string): string => link.split('#')[1] ?? '';

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = accountApp(fixture);
  });

  test("RECOVER-4, G36: the answer is the same for every name; only a user's own address gets an email, and the link is stored as a hash", async () => {
    const { host, tenant } = await place();
    await user(fixture, tenant, { username: 'ada', email: 'ada@example.com' });
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ auth: 'ad' })
        .where('tenant_id', '=', tenant)
        .where('username', '=', 'ada')
        .execute(),
    );
    const answers = new Set<string>();
    for (const name of ['kate', 'nobody', 'ada', ' KATE ']) {
      const { status, text, headers } = await forgot(host, name);
      answers.add(JSON.stringify([status, text, headers.getSetCookie()]));
    }
    expect([...answers]).toEqual([JSON.stringify([200, '{"success":true,"data":{}}', []])]);
    expect((await posted(fixture, tenant)).map((one) => one.to)).toEqual([
      'kate@example.com',
      'kate@example.com',
    ]);
    const link = await lastLink(fixture, tenant);
    expect(link).toMatch(new RegExp(`^https://${host}/reset-password-db#[\\w-]{43}$`));
    const stored = await fixture.context.store.tenant(tenant, async ({ sql }) =>
      JSON.stringify([
        await sql.selectFrom('one_time').selectAll().execute(),
        await sql.selectFrom('outgoing').selectAll().execute(),
        await sql.selectFrom('audit').selectAll().execute(),
      ]),
    );
    expect(stored).not.toContain(hashIn(link));
    expect(fixture.lines.join('\n')).not.toContain(hashIn(link));
  });

  test("RECOVER-4: a link leads to the provider's own address, whatever host was requested", async () => {
    const { tenant } = await provider(fixture);
    await user(fixture, tenant);
    const { host } = await provider(fixture);
    await fixture.context.store.tenant(tenant, async ({ sql }) => {
      await sql
        .updateTable('tenant_list')
        .set({ is_default: true })
        .where('tenant_id', '=', tenant)
        .execute();
    });
    const own = (
      await fixture.context.store.tenant(tenant, ({ sql }) =>
        sql
          .selectFrom('provider_host')
          .select('host')
          .where('tenant_id', '=', tenant)
          .executeTakeFirstOrThrow(),
      )
    ).host;
    for (const [request, to] of [
      ['evil.example', `https://${own}/`],
      [`${own}:8443`, `https://${own}/`],
      [own, `https://${own}/`],
      ['localhost', 'http://localhost:0/'],
    ] as const) {
      fixture.pass(3_600_000);
      expect((await forgot(request, 'kate', { 'x-forwarded-host': 'evil.example' })).status).toBe(
        200,
      );
      expect((await lastLink(fixture, tenant)).startsWith(to)).toBe(true);
    }
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('tenant_list')
        .set({ is_default: false })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(host).not.toBe(own);
  });

  test('RECOVER-4, RECOVER-5: a link sets one password, within 15 minutes, at its own portal; sessions and other links end', async () => {
    const { host, tenant, id } = await place();
    const { token } = await signedIn(app, host);
    await forgot(host, 'kate');
    const first = hashIn(await lastLink(fixture, tenant));
    fixture.pass(1);
    await forgot(host, 'kate');
    const link = hashIn(await lastLink(fixture, tenant));
    expect(link).not.toBe(first);
    for (const of of [check, checkSent])
      expect((await of(host, link)).body).toEqual({ success: true, data: {} });
    expect(said(await check((await place()).host, link))).toEqual(OVER);
    expect(said(await change(host, link, 'short'))).toEqual([
      400,
      'bad-input',
      MESSAGES.passwordShort({ min: 15 }),
    ]);
    expect(said(await change(host, link, 'kate under seven stones'))).toEqual([
      400,
      'bad-input',
      MESSAGES.passwordOwnWords,
    ]);
    const done = await change(host, link);
    expect([done.status, done.body, done.headers.getSetCookie()]).toEqual([
      200,
      { success: true, data: {} },
      [],
    ]);
    for (const of of [check, checkSent, change])
      for (const one of [link, first]) expect(said(await of(host, one))).toEqual(OVER);
    expect(
      (await ask(app, '/api/v1/auth/logout', { method: 'POST', host, token, body: {} })).status,
    ).toBe(401);
    expect((await login(app, host)).status).toBe(401);
    expect((await login(app, host, 'kate', NEW)).status).toBe(200);
    expect((await posted(fixture, tenant)).at(-1)?.text).toContain('was changed');
    expect(
      (await recorded(fixture, tenant)).map(({ what, user_id }) => [what, user_id]),
    ).toContainEqual(['password.reset', id]);
  });

  test('RECOVER-4: a link that is expired, invented, or of a deleted user, is over', async () => {
    const { host, tenant, id } = await place();
    await forgot(host, 'kate');
    const link = hashIn(await lastLink(fixture, tenant));
    fixture.pass(LIMITS.passwordLinkMs - 1);
    expect((await check(host, link)).status).toBe(200);
    fixture.pass(1);
    expect(said(await check(host, link))).toEqual(OVER);
    expect(said(await change(host, link))).toEqual(OVER);
    expect(said(await check(host, 'x'.repeat(43)))).toEqual(OVER);
    fixture.pass(3_600_000);
    await forgot(host, 'kate');
    const next = hashIn(await lastLink(fixture, tenant));
    const by = {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: fixture.context.clock.now(),
    } as const;
    await fixture.context.store.tenant(tenant, (tx) =>
      tx.append(
        [{ event: { type: 'user.deleted@1', data: { id } }, company: null, entity: `user:${id}` }],
        by,
      ),
    );
    expect(said(await check(host, next))).toEqual(OVER);
    const before = (await posted(fixture, tenant)).length;
    await forgot(host, 'kate');
    expect(await posted(fixture, tenant)).toHaveLength(before);
    for (const bad of [
      '/api/v1/profile/forgot-password/check',
      '/api/v1/profile/forgot-password/check?hash=',
      '/api/v1/profile/forgot-password/check?hash=a&hash=b',
    ])
      expect((await ask(app, bad, { host })).status).toBe(400);
  });

  test('RECOVER-4, RECOVER-6: checks of invalid links are limited for each address, by either call; those of a valid one are not', async () => {
    const { host, tenant } = await place();
    await forgot(host, 'kate');
    const link = hashIn(await lastLink(fixture, tenant));
    for (let n = 0; n < 40; n += 1) expect((await checkSent(host, link)).status).toBe(200);
    const guesses = [];
    for (let n = 0; n < 40; n += 1) {
      const guess = n % 2 === 0 ? check : checkSent;
      guesses.push((await guess(host, `${n}`.padEnd(43, 'x'))).status);
    }
    expect(new Set(guesses)).toEqual(new Set([404, 429]));
    expect(guesses.indexOf(429)).toBeGreaterThan(20);
  });

  test('RECOVER-4: of two uses of a link at once, one sets the password', async () => {
    const { host, tenant } = await place();
    await forgot(host, 'kate');
    const link = hashIn(await lastLink(fixture, tenant));
    const both = await Promise.all([
      change(host, link, `${NEW} one`),
      change(host, link, `${NEW} two`),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  });

  test('RECOVER-5: a new password unlocks an account locked by guessing, and is the valid one', async () => {
    const { host, tenant } = await place();
    for (let tried = 0; tried < 7; tried += 1) await login(app, host, 'kate', 'wrong');
    expect((await login(app, host)).body.error.kind).toBe('too-many');
    await forgot(host, 'kate');
    expect((await change(host, hashIn(await lastLink(fixture, tenant)))).status).toBe(200);
    expect((await login(app, host, 'kate', PASSWORD)).body.error.kind).toBe('wrong-credentials');
    expect((await login(app, host, 'kate', NEW)).status).toBe(200);
  });
});
