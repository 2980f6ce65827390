import { expect, test } from 'vitest';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { setSettings } from '../auth/captured-mail.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Answer, ask, cookieIn, refresh } from '../http/fixtures.ts';
import { aPortal, countUsers, type Portal, ROLE } from './operator-portal.ts';

const SIGNED_IN = '/restore#signed-in';
const getTarget = ({ headers }: Answer): string => headers.get('location') ?? '';
const getCookie = ({ headers }: Answer): string | null =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith('__Host-daybook-oidc='))
    ?.split(';')[0] ?? null;
const getSessionCookies = ({ headers }: Answer): readonly string[] =>
  headers.getSetCookie().filter((one) => /^__Host-daybook-refresh=[^;]/.test(one));

/** A portal with an application of its own at Microsoft. */
async function aPortalWithApplication(open: Parameters<typeof aPortal>[0]) {
  const portal = await aPortal(open);
  const { appId, secret } = portal.tenant.admin.registerApplication('Restore portal', []);
  const { context } = portal.ground;
  const setUp = async (more: object = {}): Promise<void> => {
    await setSettings(portal.ground, portal.office.tenant, {
      microsoft: { clientId: appId },
      ...more,
    });
    await context.store.tenant(portal.office.tenant, (tx) =>
      storeSecret(tx, context, 'microsoft', secret),
    );
  };
  await setUp();
  const [ann, bob] = portal.people;
  const path = `o365/organizations/${portal.organization}/restore-roles`;
  await portal.admin('POST', path, { ...ROLE, operators: [{ type: 'User', id: ann?.id ?? '' }] });
  return { ...portal, appId, setUp, ann: ann?.id ?? '', bob: bob?.id ?? '' };
}

const start = ({ office }: Portal): Promise<Answer> =>
  ask(office.app, '/api/v1/o365/operators/start', { host: office.host });
const follow = ({ office }: Portal, address: string, cookie: string | null): Promise<Answer> => {
  const { pathname, search } = new URL(address);
  return ask(office.app, pathname + search, { host: office.host, cookie });
};

async function expectRefusal(answer: Promise<Answer>, why: string): Promise<void> {
  const got = await answer;
  expect([getTarget(got), getSessionCookies(got)]).toEqual([`/restore#refused=${why}`, []]);
}

anyDatabase((kind, open) => {
  test(`RES-52, G69: a restore operator signs in on Microsoft's page, and nobody else does (${kind})`, async () => {
    const portal = await aPortalWithApplication(await open());
    const { office, tenant, ann, bob } = portal;
    const users = await countUsers(portal);
    const begun = await start(portal);
    expect(begun.status).toBe(302);
    const page = new URL(getTarget(begun));
    // learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow
    expect(page.origin + page.pathname).toBe(
      'https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize',
    );
    const sent = Object.fromEntries(page.searchParams);
    expect(sent).toEqual({
      client_id: portal.appId,
      response_type: 'code',
      response_mode: 'query',
      redirect_uri: `https://${office.host}/api/v1/o365/operators/callback`,
      scope: 'https://graph.microsoft.com/User.Read',
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
      prompt: 'select_account',
    });
    expect(begun.headers.getSetCookie()[0]).toMatch(
      /^__Host-daybook-oidc=[\w-]{64}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const back = tenant.admin.signIn(page.href, ann);
    const entered = await follow(portal, back, getCookie(begun));
    expect([entered.status, getTarget(entered)]).toEqual([302, SIGNED_IN]);
    expect(await countUsers(portal)).toBe(users + 1);
    const session = await refresh(office.app, office.host, cookieIn(entered));
    const { token } = session.body.data as unknown as { token: string };
    const me = await ask<{ organizations: { id: string }[] }>(
      office.app,
      '/api/v1/o365/operators/me',
      { host: office.host, token },
    );
    expect(me.body.data.organizations.map(({ id }) => id)).toEqual([portal.organization]);

    // A code works once, and so does an attempt.
    const repeated = await follow(portal, back, getCookie(begun));
    expect([getTarget(repeated), getSessionCookies(repeated)]).toEqual([
      '/restore#refused=over',
      [],
    ]);
    // The second time it is the same user.
    const again = await start(portal);
    const target = tenant.admin.signIn(getTarget(again), ann);
    expect(getTarget(await follow(portal, target, getCookie(again)))).toBe(SIGNED_IN);
    expect(await countUsers(portal)).toBe(users + 1);

    const other = await start(portal);
    const refused = await follow(
      portal,
      tenant.admin.signIn(getTarget(other), bob),
      getCookie(other),
    );
    expect([getTarget(refused), getSessionCookies(refused)]).toEqual([
      '/restore#refused=noOperator',
      [],
    ]);
    expect(await countUsers(portal)).toBe(users + 1);
  });

  test(`RES-52, G43, G69: a sign-in of another browser, with a foreign code, too late, refused, or with a wrong secret opens nothing (${kind})`, async () => {
    const portal = await aPortalWithApplication(await open());
    const { office, tenant, ground: fixture, ann } = portal;
    const users = await countUsers(portal);
    const goThere = async () => {
      const begun = await start(portal);
      return {
        back: new URL(tenant.admin.signIn(getTarget(begun), ann)),
        cookie: getCookie(begun),
      };
    };
    const [mine, theirs] = [await goThere(), await goThere()];
    await expectRefusal(follow(portal, mine.back.href, null), 'over');
    await expectRefusal(follow(portal, mine.back.href, theirs.cookie), 'over');
    // The code of another person's sign-in, in this browser's response: its verifier doesn't fit.
    const mixed = new URL(mine.back);
    mixed.searchParams.set('code', theirs.back.searchParams.get('code') ?? '');
    await expectRefusal(follow(portal, mixed.href, mine.cookie), 'failed');

    const denied = await goThere();
    denied.back.searchParams.delete('code');
    denied.back.searchParams.set('error', 'access_denied');
    await expectRefusal(follow(portal, denied.back.href, denied.cookie), 'denied');

    const late = await goThere();
    fixture.pass(10 * 60_000 + 1);
    await expectRefusal(follow(portal, late.back.href, late.cookie), 'over');

    const wrong = await goThere();
    await fixture.context.store.tenant(office.tenant, (tx) =>
      storeSecret(tx, fixture.context, 'microsoft', 'another secret'),
    );
    await expectRefusal(follow(portal, wrong.back.href, wrong.cookie), 'failed');
    await portal.setUp();

    // A cookie of the way with a code doesn't fit either: it is another attempt's.
    const code = await ask(office.app, '/api/v1/o365/operators/devicecode', {
      method: 'POST',
      host: office.host,
      body: {},
    });
    const [attempt] = code.headers.getSetCookie();
    const value = /=([^;]+)/.exec(attempt ?? '')?.[1] ?? '';
    const swapped = await goThere();
    await expectRefusal(follow(portal, swapped.back.href, `__Host-daybook-oidc=${value}`), 'over');

    const removed = await goThere();
    await setSettings(fixture, office.tenant, { microsoft: null });
    await expectRefusal(follow(portal, removed.back.href, removed.cookie), 'off');
    await expectRefusal(start(portal), 'off');
    expect(await countUsers(portal)).toBe(users);
  });

  test(`RES-52: anonymous starts of a sign-in are limited (${kind})`, async () => {
    const portal = await aPortalWithApplication(await open());
    const targets: string[] = [];
    for (let n = 0; n < 31; n += 1) targets.push(getTarget(await start(portal)));
    expect(targets.filter((one) => one === '/restore#refused=often')).toHaveLength(1);
    expect(targets.at(-1)).toBe('/restore#refused=often');
  });
});
