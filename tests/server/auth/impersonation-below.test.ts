import { beforeAll, expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { expectActsAs } from '../../contract/users/role-table.ts';
import { ask, provider, user } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  impersonate,
  app,
  below,
  byToken,
  exit,
  fixture,
  lastSync,
  place,
  REASON,
  said,
  standOn,
  tokenIn,
} from './impersonation-fixtures.ts';
import { recorded, setSettings, signedIn } from './captured-mail.ts';

const loadUsers = async (tenant: string, at: string) =>
  new Map(
    await Promise.all(
      ROLES.map(
        async (role) =>
          [
            role,
            await user(fixture, tenant, { username: `${at}-${role}`, roles: [role] }),
          ] as const,
      ),
    ),
  );

eachDatabase((_name, open) => {
  beforeAll(async () => {
    await standOn(await open());
  });

  test('ACT-1, G42: of every role with every role, here and at a provider below, only an administrator may act, as a user with fewer rights who administers no users', async () => {
    const [master, child] = [await provider(fixture), await provider(fixture)];
    await below(child.tenant, master.tenant);
    const [own, theirs] = [
      await loadUsers(master.tenant, 'own'),
      await loadUsers(child.tenant, 'theirs'),
    ];
    const children = await loadUsers(master.tenant, 'target');
    let tried = 0;
    for (const by of ROLES) {
      for (const role of ROLES) {
        const may = expectActsAs([by], [role]);
        // A session that was signed in anew each time: impersonating replaces it.
        const actor = await signedIn(app, master.host, `own-${by}`);
        const here = await impersonate(master.host, actor, children.get(role) ?? '');
        expect([by, role, here.status, here.body.error?.kind]).toEqual([
          by,
          role,
          may ? 200 : 403,
          may ? undefined : 'forbidden',
        ]);
        const there = await impersonate(master.host, actor, theirs.get(role) ?? '');
        expect([by, role, there.status, there.status === 200 && 'url' in there.body.data]).toEqual([
          by,
          role,
          may ? 200 : 403,
          may,
        ]);
        // Upwards in the tree there is nobody.
        const up = await impersonate(
          child.host,
          await signedIn(app, child.host, `theirs-${by}`),
          own.get(role) ?? '',
        );
        expect([by, role, up.status]).toEqual([
          by,
          role,
          by === 'admin' || by === 'super-admin' ? 404 : 403,
        ]);
        tried += 3;
      }
    }
    expect(tried).toBe(108);
  });

  test('ACT-6, ACT-3: a user of a provider below is reached with a token valid once, for a minute, at that portal only', async () => {
    const master = await place('operator', 'super-admin');
    const child = await place();
    await below(child.tenant, master.tenant);
    const to = await impersonate(master.host, master.in, child.leo);
    expect(to.body.data).toEqual({
      url: expect.stringMatching(
        new RegExp(`^https://${child.host}/login#token=[\\w-]{43}$`),
      ) as string,
    });
    expect(to.headers.getSetCookie()).toEqual([]);
    const token = tokenIn(to);
    expect(fixture.lines.join('\n')).not.toContain(token);
    const OVER = [401, 'wrong-credentials', MESSAGES.attemptOver];
    expect(said(await byToken(master.host, token))).toEqual(OVER);
    expect(said(await byToken(child.host, 'x'.repeat(43)))).toEqual(OVER);
    const answers = await Promise.all([byToken(child.host, token), byToken(child.host, token)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    const won = answers.find(({ status }) => status === 200);
    expect(won?.body.data.user).toMatchObject({
      id: child.leo,
      serviceProviderId: child.tenant,
      impersonator: { id: master.admin, name: 'Kate' },
    });
    const impersonated = won?.body.data.token ?? '';
    expect(await lastSync(child.host, impersonated)).toBe('in');
    expect(await lastSync(master.host, impersonated)).toBe('401 signed-out');
    const number = won?.body.data.user.impersonator?.impersonation;
    expect(
      (await recorded(fixture, child.tenant)).filter(({ what }) => what === 'login-as.began'),
    ).toMatchObject([
      {
        user_id: child.leo,
        detail: {
          impersonation: number,
          actor: master.admin,
          actorProvider: master.tenant,
          reason: REASON,
        },
      },
    ]);
    expect(
      (await recorded(fixture, master.tenant)).filter(({ what }) => what === 'login-as.began'),
    ).toMatchObject([
      {
        user_id: child.leo,
        actor_id: master.admin,
        detail: { impersonation: number, provider: child.tenant },
      },
    ]);
    const out = await exit(child.host, impersonated);
    expect(out.body.data).toEqual({ url: `https://${master.host}/` });
    expect(out.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-daybook-refresh=; Max-Age=0;/),
    ]);
    expect(await lastSync(child.host, impersonated)).toBe('401 signed-out');
    expect(await lastSync(master.host, master.in.token)).toBe('in');
    for (const { tenant } of [master, child])
      expect(
        (await recorded(fixture, tenant)).filter(({ what }) => what === 'login-as.ended'),
      ).toMatchObject([{ user_id: child.leo, impersonation_id: number }]);

    const late = tokenIn(await impersonate(master.host, master.in, child.leo));
    fixture.pass(LIMITS.loginTokenMs);
    expect(said(await byToken(child.host, late))).toEqual(OVER);
  });

  test("ACT-6, ACT-5: there too, it ends with the actor's own session, and a token doesn't outlive the right to it", async () => {
    const master = await place('operator', 'super-admin');
    const child = await place();
    await below(child.tenant, master.tenant);
    const impersonated = (
      await byToken(child.host, tokenIn(await impersonate(master.host, master.in, child.leo)))
    ).body.data.token;
    const spare = tokenIn(await impersonate(master.host, master.in, child.leo));
    expect(await lastSync(child.host, impersonated)).toBe('in');
    await ask(app, '/api/v1/auth/logout', {
      method: 'POST',
      host: master.host,
      token: master.in.token,
      body: {},
    });
    expect(await lastSync(child.host, impersonated)).toBe('401 signed-out');
    expect((await byToken(child.host, spare)).status).toBe(401);
    const again = await signedIn(app, master.host);
    await setSettings(fixture, child.tenant, { loginAs: false });
    expect(said(await impersonate(master.host, again, child.leo))).toEqual([
      403,
      'forbidden',
      MESSAGES.loginAsOff,
    ]);
  });
});
