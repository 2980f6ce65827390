import { beforeAll, expect, test } from 'vitest';
import type { UserSession } from '#contract/auth/current-user.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { aliveSession } from '#server/platform/auth/sessions.ts';
import { ask, cookieIn, login, refresh, user } from '../http/fixtures.ts';
import type { Answer } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  ALL_SENSITIVE,
  NEVER_WHILE_IMPERSONATING,
  PARTLY,
} from '../../contract/sensitive-calls.ts';
import {
  impersonate,
  app,
  append,
  exit,
  fixture,
  lastSync,
  place,
  REASON,
  said,
  sessionIn,
  standOn,
} from './impersonation-fixtures.ts';
import { recorded, setSettings, signedIn } from './captured-mail.ts';

eachDatabase((name, open) => {
  beforeAll(async () => {
    await standOn(await open());
  });

  test('ACT-1: oneself, unknown and deleted users and those of another provider are not found or refused; with several roles the highest counts', async () => {
    const { host, tenant, admin, leo, in: kate } = await place();
    const beside = await place();
    expect(said(await impersonate(host, kate, admin))).toEqual([
      403,
      'forbidden',
      MESSAGES.loginAsRefused,
    ]);
    for (const id of [beside.leo, fixture.context.chance.uuid()])
      expect(said(await impersonate(host, kate, id))).toEqual([
        404,
        'not-found',
        MESSAGES.notFound,
      ]);
    expect(said(await impersonate(host, kate, leo, { serviceProviderId: beside.tenant }))).toEqual([
      404,
      'not-found',
      MESSAGES.notFound,
    ]);
    const both = await user(fixture, tenant, { username: 'both', roles: ['read-only', 'admin'] });
    expect(said(await impersonate(host, kate, both))).toEqual([
      403,
      'forbidden',
      MESSAGES.loginAsRefused,
    ]);
    await append(tenant, { type: 'user.deleted@1', data: { id: leo } });
    expect(said(await impersonate(host, kate, leo))).toEqual([404, 'not-found', MESSAGES.notFound]);
  });

  test('ACT-1: a user with some companies acts only within these', async () => {
    const { host, tenant } = await place();
    await user(fixture, tenant, { username: 'scoped', companies: [1, 2] });
    const ids = await Promise.all(
      ([[1], [1, 2], [3], [1, 3], null] as const).map((companies, at) =>
        user(fixture, tenant, { username: `t${at}`, roles: ['operator'], companies }),
      ),
    );
    const outcome: number[] = [];
    for (const id of ids)
      outcome.push((await impersonate(host, await signedIn(app, host, 'scoped'), id)).status);
    // The others aren't visible: they answer as if they didn't exist (G29).
    expect(outcome).toEqual([200, 200, 404, 404, 404]);
  });

  test('ACT-1: a user who must choose a password first does that first', async () => {
    const { host, tenant, admin, leo, in: kate } = await place();
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ password_reset: true })
        .where('tenant_id', '=', tenant)
        .where('id', '=', admin)
        .execute(),
    );
    expect(said(await impersonate(host, await signedIn(app, host), leo))).toEqual([
      403,
      'forbidden',
      MESSAGES.passwordFirst,
    ]);
    expect(kate.id).toBe(admin);
  });

  test('ACT-1: a provider can turn it off', async () => {
    const { host, tenant, leo, in: kate } = await place();
    await setSettings(fixture, tenant, { loginAs: false });
    expect(said(await impersonate(host, kate, leo))).toEqual([
      403,
      'forbidden',
      MESSAGES.loginAsOff,
    ]);
    await setSettings(fixture, tenant, { loginAs: true });
    expect((await impersonate(host, kate, leo)).status).toBe(200);
  });

  test('ACT-2, G42: it needs a reason, lasts an hour, starts no other, and is shown on the page', async () => {
    const { host, admin, leo, in: kate } = await place();
    for (const reason of ['', 'x', '    x    ', undefined])
      expect(said(await impersonate(host, kate, leo, { reason })).slice(0, 2)).toEqual([
        400,
        'bad-input',
      ]);
    const answer = await impersonate(host, kate, leo);
    const { token, user: me, offlineUntil } = sessionIn(answer);
    const until = fixture.context.clock.now() + LIMITS.impersonationMs;
    expect(me).toMatchObject({
      id: leo,
      username: 'leo',
      roles: ['operator'],
      impersonator: { id: admin, username: 'kate', name: 'Kate', until },
      acting: { id: admin, username: 'kate', name: 'Kate', until },
    });
    expect(offlineUntil).toBe(until);
    expect(cookieIn(answer)).not.toBe(kate.cookie);
    expect(said(await impersonate(host, { ...kate, token }, leo))).toEqual([
      403,
      'forbidden',
      MESSAGES.notWhileImpersonating,
    ]);
    let cookie = cookieIn(answer);
    let last: Answer<UserSession> | null = null;
    for (let step = 0; step < 5; step += 1) {
      fixture.pass(12 * 60_000);
      last = await refresh(app, host, cookie);
      cookie = cookieIn(last) ?? cookie;
    }
    expect([last?.status, last?.body.error?.kind, fixture.context.clock.now()]).toEqual([
      401,
      'expired',
      until,
    ]);
  });

  test("ACT-2: it ends with the actor's own session, and is no more recent", async () => {
    const { host, tenant, leo, in: kate } = await place();
    const began = fixture.context.clock.now();
    let { cookie, token } = kate;
    while (fixture.context.clock.now() < began + LIMITS.absoluteMs - 20 * 60_000) {
      fixture.pass(20 * 60_000);
      const next = await refresh(app, host, cookie);
      [cookie, token] = [cookieIn(next), next.body.data.token];
    }
    // A factor shown a minute ago: that is how fresh the session in another's name is.
    const shown = fixture.context.clock.now() - 60_000;
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('session')
        .set({ authenticated_at: shown })
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', kate.id)
        .execute(),
    );
    const impersonated = sessionIn(await impersonate(host, { ...kate, token }, leo));
    const [row] = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('session')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('actor_id', 'is not', null)
        .execute(),
    );
    expect(row).toMatchObject({
      absolute_until: began + LIMITS.absoluteMs,
      authenticated_at: shown,
    });
    fixture.pass(10 * 60_000 - 1);
    expect(await lastSync(host, impersonated.token)).toBe('in');
    fixture.pass(10 * 60_000 + 1);
    expect(await aliveSession(fixture.context, tenant, row?.id ?? '')).toBeNull();
    expect(await lastSync(host, impersonated.token)).toMatch(/^401/);
  });

  test('ACT-2, G42: everything reserved for the user, and every sensitive call, is refused while impersonating', async () => {
    const { host, leo, in: kate } = await place('operator', 'super-admin');
    const { token } = sessionIn(await impersonate(host, kate, leo));
    for (const call of [...ALL_SENSITIVE, ...PARTLY, ...NEVER_WHILE_IMPERSONATING]) {
      const { method, path } = getCall(call);
      const answer = await ask(
        app,
        `/api/v1/${path.replace('{id}', leo).replace(/\{\w+\}/g, 'others')}`,
        { method, host, token, ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }) },
      );
      expect([call, ...said(answer)]).toEqual([
        call,
        403,
        'forbidden',
        MESSAGES.notWhileImpersonating,
      ]);
    }
  });

  test('ACT-3, G42: every event has actor, subject and number; start and end are recorded', async () => {
    const { host, tenant, admin, leo, in: kate } = await place();
    const {
      token,
      user: { impersonator },
    } = sessionIn(await impersonate(host, kate, leo));
    const number = impersonator?.impersonation ?? '';
    const head = await fixture.context.store.tenant(tenant, (tx) => tx.head());
    const prefer = await ask(app, `/api/v1/profile/${leo}/preferences/density`, {
      method: 'PUT',
      host,
      token,
      body: { value: '"compact"' },
    });
    expect(prefer.status).toBe(200);
    const made = await fixture.context.store.tenant(tenant, (tx) => tx.eventsAfter(head.seq, 100));
    expect(made.length).toBeGreaterThan(0);
    for (const one of made)
      expect([one.event.type, one.actor, one.subject]).toEqual([
        one.event.type,
        { kind: 'user', id: admin, impersonation: number },
        leo,
      ]);
    fixture.pass(1_000);
    expect((await exit(host, token)).status).toBe(200);
    const records = (await recorded(fixture, tenant)).filter(({ what }) =>
      what.startsWith('login-as'),
    );
    expect(records).toMatchObject([
      {
        what: 'login-as.began',
        user_id: leo,
        actor_id: admin,
        detail: { impersonation: number, reason: REASON },
      },
      { what: 'login-as.ended', user_id: leo, actor_id: admin, impersonation_id: number },
    ]);
  });

  test("ACT-4, G40: going back opens the actor's own session again, with its end and its recent sign-in", async () => {
    const { host, tenant, admin, leo, in: kate } = await place();
    const began = fixture.context.clock.now();
    fixture.pass(LIMITS.freshMs - 1_000);
    const impersonated = sessionIn(await impersonate(host, kate, leo));
    expect(said(await exit(host, kate.token))).toEqual([
      409,
      'conflict',
      MESSAGES.notImpersonating,
    ]);
    fixture.pass(2_000);
    const answer = await exit(host, impersonated.token);
    const back = sessionIn(answer);
    expect(back.user).toMatchObject({ id: admin, username: 'kate', impersonator: null });
    expect([
      await lastSync(host, impersonated.token),
      await lastSync(host, kate.token),
      await lastSync(host, back.token),
    ]).toEqual(['401 signed-out', '401 signed-out', 'in']);
    expect((await refresh(app, host, kate.cookie)).body.error.kind).toBe('signed-out');
    const rows = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('session')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('ended_at', 'is', null)
        .execute(),
    );
    expect(rows).toMatchObject([
      {
        user_id: admin,
        absolute_until: began + LIMITS.absoluteMs,
        authenticated_at: began,
        actor_id: null,
      },
    ]);
    expect(
      said(
        await ask(app, `/api/v1/profile/${admin}/sessions/others`, {
          method: 'DELETE',
          host,
          token: back.token,
        }),
      ).slice(0, 2),
    ).toEqual([403, 'reauth_required']);
    expect((await refresh(app, host, cookieIn(answer))).status).toBe(200);
  });

  test('ACT-4, ACT-3: signing out while impersonating signs out of both', async () => {
    const { host, tenant, leo, in: kate } = await place();
    const impersonated = sessionIn(await impersonate(host, kate, leo));
    expect(
      (
        await ask(app, '/api/v1/auth/logout', {
          method: 'POST',
          host,
          token: impersonated.token,
          body: {},
        })
      ).status,
    ).toBe(200);
    expect([await lastSync(host, impersonated.token), await lastSync(host, kate.token)]).toEqual([
      '401 signed-out',
      '401 signed-out',
    ]);
    expect(
      (await recorded(fixture, tenant)).filter(({ what }) => what === 'login-as.ended'),
    ).toMatchObject([
      { user_id: leo, impersonation_id: impersonated.user.impersonator?.impersonation },
    ]);
  });

  test("ACT-4: if the actor's own session has ended meanwhile, going back leads to the sign-in page", async () => {
    const { host, tenant, in: kate, leo } = await place();
    const { token } = sessionIn(await impersonate(host, kate, leo));
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('session')
        .set({ ended_at: 1 })
        .where('tenant_id', '=', tenant)
        .where('actor_id', 'is', null)
        .execute(),
    );
    const answer = await exit(host, token);
    expect(answer.status).toBe(401);
    expect(answer.body.error.kind).toBe('signed-out');
  });

  test("ACT-5, G33: it ends with the right to it, with the actor's own session, and with either user", async () => {
    const ends: readonly ((at: Awaited<ReturnType<typeof place>>) => Promise<unknown>)[] = [
      ({ tenant, admin }) =>
        append(tenant, {
          type: 'user.scoped@1',
          data: { id: admin, roles: ['operator'], companies: null },
        }),
      ({ tenant, leo }) =>
        append(tenant, {
          type: 'user.scoped@1',
          data: { id: leo, roles: ['admin'], companies: null },
        }),
      ({ tenant, admin }) => append(tenant, { type: 'user.deleted@1', data: { id: admin } }),
      ({ tenant, leo }) => append(tenant, { type: 'user.deleted@1', data: { id: leo } }),
      ({ host, in: kate }) =>
        ask(app, '/api/v1/auth/logout', { method: 'POST', host, token: kate.token, body: {} }),
      async ({ host, admin }) =>
        ask(app, `/api/v1/profile/${admin}/sessions/others`, {
          method: 'DELETE',
          host,
          token: (await signedIn(app, host)).token,
        }),
    ];
    for (const [at, end] of ends.entries()) {
      const where = await place();
      const { token } = sessionIn(await impersonate(where.host, where.in, where.leo));
      const [row] = await fixture.context.store.tenant(where.tenant, ({ sql }) =>
        sql
          .selectFrom('session')
          .select('id')
          .where('tenant_id', '=', where.tenant)
          .where('actor_id', 'is not', null)
          .execute(),
      );
      expect([
        at,
        await lastSync(where.host, token),
        (await aliveSession(fixture.context, where.tenant, row?.id ?? ''))?.userId,
      ]).toEqual([at, 'in', where.leo]);
      await end(where);
      expect([
        at,
        await lastSync(where.host, token),
        await aliveSession(fixture.context, where.tenant, row?.id ?? ''),
      ]).toEqual([at, '401 signed-out', null]);
    }
  });

  test('ACT-5, G33: its stream reports the end within moments', async () => {
    const { host, leo, in: kate } = await place();
    const { token } = sessionIn(await impersonate(host, kate, leo));
    const answer = await app.request(
      `/api/v1/${CALLS.stream.path}`,
      { headers: { host, authorization: `Bearer ${token}` } },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    );
    expect(answer.status).toBe(200);
    const reading = answer.text();
    expect((await exit(host, token)).status).toBe(200);
    expect(await reading).toMatch(/data: \{"kind":"out"\}\n\n$/);
  });

  test(`ACT-2, PROFILE-5: the user sees it among the sessions and can end it (${name})`, async () => {
    const { host, leo, in: kate } = await place();
    const own = await signedIn(app, host, 'leo');
    const { token } = sessionIn(await impersonate(host, kate, leo));
    const list = await ask<{ id: string; impersonator: string | null; current: boolean }[]>(
      app,
      `/api/v1/profile/${leo}/sessions`,
      { host, token: own.token },
    );
    expect(
      new Set(list.body.data.map(({ impersonator, current }) => `${impersonator} ${current}`)),
    ).toEqual(new Set(['Kate false', 'null true']));
    const id = list.body.data.find(({ impersonator }) => impersonator !== null)?.id ?? '';
    expect(
      (
        await ask(app, `/api/v1/profile/${leo}/sessions/${id}`, {
          method: 'DELETE',
          host,
          token: own.token,
        })
      ).body.data,
    ).toEqual({ ended: 1 });
    expect(await lastSync(host, token)).toBe('401 signed-out');
    expect((await login(app, host, 'leo')).status).toBe(200);
  });
});
