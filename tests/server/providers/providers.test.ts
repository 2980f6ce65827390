import { createHmac } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { makeOneTime } from '#server/platform/crypto/one-time-secrets.ts';
import { hashPassword } from '#server/platform/crypto/passwords.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import { ask, login, makeFixture, PASSWORD } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { idIn, LONG, said, thePeople } from '../users/fixtures.ts';
import type { People } from '../users/fixtures.ts';

let fixture: Fixture;
let stored = '';
const NOT_FOUND = [404, 'not-found', MESSAGES.notFound];
const newHost = (): string => `h-${randomUUID()}.example`;
const below = (hosts: readonly string[], name = 'Harbour'): object => ({
  name,
  hosts,
  administrator: { username: 'chief', name: 'Chief', email: 'chief@example.net' },
});
const make = (
  { root }: People,
  hosts: readonly string[] = [newHost()],
): Promise<Answer<ProviderListed>> =>
  root<ProviderListed>('POST', 'service-providers', below(hosts));
const loadMails = (tenant: string): Promise<string[]> =>
  fixture.context.store.tenant(tenant, async (tx) =>
    Promise.all(
      (
        await tx.sql.selectFrom('outgoing').selectAll().where('tenant_id', '=', tenant).execute()
      ).map(({ id, sealed }) =>
        unseal(tx, fixture.context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
      ),
    ),
  );
const loadNames = async ({ root }: People): Promise<string[]> =>
  (await root<ProviderListed[]>('GET', 'monitoring/reporting/service-providers')).body.data.map(
    ({ _id: id }) => id,
  );

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    stored = (await hashPassword(PASSWORD)) ?? '';
  });

  test('PROV-1: a provider is created below with its hosts, its look and an administrator who is invited by email, all of it or nothing', async () => {
    const people = await thePeople(fixture);
    const { app, root, tenant } = people;
    const hosts = [newHost(), newHost()];
    await root('PUT', `service-providers/${tenant}/branding`, {
      accent: '#123456',
      supportEmail: 'up@example.net',
    });
    const made = await make(people, hosts);
    expect(made.body.data).toMatchObject({
      name: 'Harbour',
      hosts: hosts.toSorted(),
      master: tenant,
      own: false,
      companies: 0,
      users: 1,
    });
    const branding = (
      await ask<Branding>(app, '/api/v1/service-providers/branding', { host: hosts[1] ?? '' })
    ).body.data;
    expect(branding).toMatchObject({
      id: idIn(made.body.data),
      name: 'Harbour',
      accent: '#123456',
      supportEmail: null,
      domain: hosts[0],
    });
    const [mail = ''] = await loadMails(idIn(made.body.data));
    const hash = /reset-password-db#([\w-]{43})/.exec(mail)?.[1] ?? '';
    expect(mail).toContain(`https://${hosts[0] ?? ''}/reset-password-db#`);
    const host = hosts[0] ?? '';
    expect(
      (
        await ask(app, '/api/v1/profile/forgot-password/change', {
          method: 'POST',
          host,
          body: { hash, newPassword: LONG },
        })
      ).status,
    ).toBe(200);
    expect((await login(app, host, 'chief', LONG)).body.data.user).toMatchObject({
      masterServiceProviderId: tenant,
      roles: ['admin', 'super-admin'],
    });
    expect((await people.recorded()).map(({ what }) => what)).toContain('provider.made');
    for (const taken of [hosts, [newHost(), hosts[1] ?? ''], [people.host]])
      expect(said(await make(people, taken))).toEqual([409, 'conflict', MESSAGES.hostTaken]);
    expect(await loadNames(people)).toEqual([tenant, idIn(made.body.data)]);
    for (const bad of [[], ['no host'], ['https://x.example'], ['x.example:80'], ['-x.example']])
      expect((await make(people, bad)).status).toBe(400);
  });

  test('PROV-2, T2: a master sees and changes its own providers below, none above, beside or below another', async () => {
    const people = await thePeople(fixture);
    const other = await thePeople(fixture);
    const mine = idIn((await make(people)).body.data);
    const theirs = idIn((await make(other)).body.data);
    expect(await loadNames(people)).toEqual([people.tenant, mine]);
    for (const id of [theirs, other.tenant, randomUUID(), 'none']) {
      expect(
        said(await people.root('PUT', `service-providers/${id}/hosts`, { hosts: [newHost()] })),
      ).toEqual(NOT_FOUND);
      expect(
        said(await people.root('PUT', `service-providers/${id}/branding`, { title: 'x' })),
      ).toEqual(NOT_FOUND);
      expect(said(await people.root('POST', `service-providers/${id}/invitations`, {}))).toEqual(
        NOT_FOUND,
      );
      expect(said(await people.root('GET', `admin/events?provider=${id}`))).toEqual(NOT_FOUND);
    }
    expect(
      (await people.root('PUT', `service-providers/${mine}/branding`, { title: 'Mine' })).status,
    ).toBe(200);
    const part = await people.as('part', ['super-admin', 'admin'], [1]);
    expect(
      (await part<ProviderListed[]>('GET', 'monitoring/reporting/service-providers')).body.data,
    ).toMatchObject([{ own: true, companies: 1, users: 1 }]);
    expect((await part('POST', 'service-providers', below([newHost()]))).status).toBe(403);
    expect(
      said(await part('PUT', `service-providers/${people.tenant}/hosts`, { hosts: [newHost()] })),
    ).toEqual(NOT_FOUND);
  });

  test('PROV-3: a provider has several host names, each of which leads to it only', async () => {
    const people = await thePeople(fixture);
    const { root, tenant, host, app } = people;
    const more = [newHost(), newHost()];
    expect(
      (
        await root<ProviderListed>('PUT', `service-providers/${tenant}/hosts`, {
          hosts: [host, ...more.map((one) => one.toUpperCase())],
        })
      ).body.data.hosts,
    ).toEqual([host, ...more].toSorted());
    expect(
      (await ask<Branding>(app, '/api/v1/service-providers/branding', { host: more[1] ?? '' })).body
        .data.id,
    ).toBe(tenant);
    const other = await thePeople(fixture);
    expect(
      said(await root('PUT', `service-providers/${tenant}/hosts`, { hosts: [host, other.host] })),
    ).toEqual([409, 'conflict', MESSAGES.hostTaken]);
    expect((await root('PUT', `service-providers/${tenant}/hosts`, { hosts: [] })).status).toBe(
      400,
    );
    for (const name of ['localhost', '127.0.0.1', 'intranet'])
      expect(
        said(await root('PUT', `service-providers/${tenant}/hosts`, { hosts: [host, name] }))[0],
      ).toBe(409);
    expect(
      (await root<ProviderListed>('PUT', `service-providers/${tenant}/hosts`, { hosts: [host] }))
        .body.data.hosts,
    ).toEqual([host]);
  });

  test("PROV-3: the names of a provider below are set by the one above, and nobody else takes the default provider's name", async () => {
    const store = await open();
    const people = await thePeople(fixture);
    const mine = newHost();
    const id = idIn((await make(people, [mine])).body.data);
    await fixture.context.store.tenant(id, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ password_hash: stored })
        .where('tenant_id', '=', id)
        .execute(),
    );
    const chief = (await login(people.app, mine, 'chief', PASSWORD)).body.data.token;
    const refused = await ask(people.app, `/api/v1/service-providers/${id}/hosts`, {
      method: 'PUT',
      host: mine,
      token: chief,
      body: { hosts: [mine, newHost()] },
    });
    expect(refused.status).toBe(403);
    expect(
      (await people.root('PUT', `service-providers/${id}/hosts`, { hosts: [mine, newHost()] }))
        .status,
    ).toBe(200);
    const domain = newHost();
    const first = randomUUID();
    await makeTenant(store, {
      tenant: first,
      host: null,
      branding: defaultBranding(first, 'First', `https://${domain}:8443`),
      isDefault: true,
    });
    expect(
      said(await people.root('PUT', `service-providers/${id}/hosts`, { hosts: [mine, domain] })),
    ).toEqual([409, 'conflict', MESSAGES.hostTaken]);
    expect(said(await make(people, [domain]))).toEqual([409, 'conflict', MESSAGES.hostTaken]);
  });

  test('PROV-4: the number of invitations a day is limited', async () => {
    const { root, tenant } = await thePeople(fixture);
    await fixture.context.store.tenant(tenant, async (tx) => {
      for (let n = 0; n < 100; n += 1)
        await makeOneTime(
          tx,
          fixture.context,
          'invitation',
          null,
          {},
          fixture.context.clock.now(),
          1_000,
        );
    });
    expect(said(await root('POST', `service-providers/${tenant}/invitations`, {}))[1]).toBe(
      'too-many',
    );
  });

  test('PROV-4: an invitation registers one user, once, within seven days, with no more access than the inviter, and none to a whole provider yet', async () => {
    const people = await thePeople(fixture);
    const { as, app, host, tenant, root } = people;
    const sub = await as('sub', ['sub-sp'], [2]);
    const wide = await as('wide', ['sub-sp']);
    const invited = async (who: typeof sub, body: object = {}): Promise<string> =>
      /#([\w-]{43})$/.exec(
        (await who<OutputOf<'inviteUser'>>('POST', `service-providers/${tenant}/invitations`, body))
          .body.data.url,
      )?.[1] ?? '';
    const accept = (token: string, username: string, more: object = {}): Promise<Answer> =>
      ask(app, '/api/v1/auth/invitation', {
        method: 'POST',
        host,
        body: { token, username, name: 'New', password: LONG, ...more },
      });
    const token = await invited(sub);
    expect((await accept(token, 'nina', { password: 'short' })).status).toBe(400);
    expect((await accept(token, 'SUB')).status).toBe(409);
    expect((await accept(token, 'nina')).body.data).toEqual({ username: 'nina' });
    expect(said(await accept(token, 'nora'))).toEqual([404, 'not-found', MESSAGES.linkOver]);
    const entered = await login(app, host, 'nina', LONG);
    expect([entered.body.data.user.roles, entered.body.data.user.companies]).toEqual([
      ['read-only'],
      [2],
    ]);
    await accept(await invited(wide), 'nils');
    expect((await login(app, host, 'nils', LONG)).body.data.user.companies).toEqual([]);
    const late = await invited(wide, { email: 'late@example.net' });
    expect((await people.posted()).map(({ to, text }) => [to, text.includes(late)])).toEqual([
      ['late@example.net', true],
    ]);
    fixture.pass(8 * 86_400_000);
    expect(said(await accept(late, 'lars'))[0]).toBe(404);
    expect(said(await accept('x'.repeat(43), 'lars'))[0]).toBe(404);
    expect((await accept(late, 'lars', { roles: ['admin'] })).status).toBe(400);
    expect((await root('GET', 'sync/bootstrap')).status).toBe(401); // a week later
    const oper = await as('oper', ['operator']);
    expect((await oper('POST', `service-providers/${tenant}/invitations`, {})).status).toBe(403);
  });

  test('PROV-7: an invitation is checked without being used up, with one answer for all that are not valid, at the pace of guesses', async () => {
    const people = await thePeople(fixture);
    const { app, host, tenant, root } = people;
    const sub = await people.as('sub', ['sub-sp'], [2]);
    const invited = async (who: typeof sub): Promise<string> =>
      /#([\w-]{43})$/.exec(
        (await who<OutputOf<'inviteUser'>>('POST', `service-providers/${tenant}/invitations`, {}))
          .body.data.url,
      )?.[1] ?? '';
    const check = (token: string, at = host): Promise<Answer> =>
      ask(app, '/api/v1/auth/invitation/check', { method: 'POST', host: at, body: { token } });
    const OVER = [404, 'not-found', MESSAGES.linkOver];
    const token = await invited(sub);
    for (let n = 0; n < 40; n += 1) {
      const { status, body } = await check(token);
      expect([status, body.data]).toEqual([200, {}]);
    }
    const accepted = await ask(app, '/api/v1/auth/invitation', {
      method: 'POST',
      host,
      body: { token, username: 'nina', name: 'Nina', password: LONG },
    });
    expect(accepted.status).toBe(200);
    expect(said(await check(token)), 'used').toEqual(OVER);
    expect(said(await check('x'.repeat(43))), 'made up').toEqual(OVER);
    const other = await thePeople(fixture);
    expect(said(await check(await invited(root), other.host)), 'of another provider').toEqual(OVER);
    const orphaned = await invited(sub);
    const [subId = ''] = (
      await root<{ rows: { _id: string; username: string }[] }>('GET', 'monitoring/reporting/users')
    ).body.data.rows.flatMap(({ _id: id, username }) => (username === 'sub' ? [id] : []));
    expect((await root('DELETE', `users/${subId}`)).status).toBe(200);
    expect(said(await check(orphaned)), 'of somebody who is gone').toEqual(OVER);
    const late = await invited(root);
    fixture.pass(8 * 86_400_000);
    expect(said(await check(late)), 'expired').toEqual(OVER);
    const guesses = [];
    for (let n = 0; n < 40; n += 1) guesses.push((await check(`guess-${n}`)).status);
    expect(new Set(guesses)).toEqual(new Set([404, 429]));
    expect(guesses.indexOf(429)).toBeGreaterThan(20);
  });

  test('PROV-5: the token of the chat identifies its user for five minutes, and nobody gets one for another', async () => {
    const { as, tenant, root } = await thePeople(fixture);
    const me = await as('kim', ['operator']);
    const claims = { name: 'KIM', email: 'kate@example.com', serviceProviderId: tenant };
    const issued = await me<OutputOf<'chatToken'>>('POST', 'service-providers/hs-token', claims);
    const [head = '', body = '', signature] = issued.body.data.token.split('.');
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({
      iss: tenant,
      name: 'KIM',
      exp: Math.floor(fixture.context.clock.now() / 1_000) + 300,
    });
    const key = await fixture.context.store.tenant(tenant, async (tx) =>
      unseal(
        tx,
        fixture.context,
        { table: 'secret', column: 'sealed', row: 'chat' },
        (
          await tx.sql
            .selectFrom('secret')
            .select('sealed')
            .where('tenant_id', '=', tenant)
            .where('name', '=', 'chat')
            .executeTakeFirstOrThrow()
        ).sealed,
      ),
    );
    expect(signature).toBe(
      createHmac('sha256', Buffer.from(key, 'base64url'))
        .update(`${head}.${body}`)
        .digest('base64url'),
    );
    for (const more of [
      { name: 'ROOT' },
      { email: 'other@example.com' },
      { serviceProviderId: randomUUID() },
    ])
      expect((await me('POST', 'service-providers/hs-token', { ...claims, ...more })).status).toBe(
        403,
      );
    expect((await root('POST', 'service-providers/hs-token', claims)).status).toBe(403);
  });

  test('PROV-6: a Veeam number is valid if a company that the user sees is linked to it, and no country is invented', async () => {
    const { root, as, app, host } = await thePeople(fixture);
    await root('POST', 'companies', { name: 'Linked', veeamId: 'v-9' });
    const valid = async (who: typeof root, id: string): Promise<boolean> =>
      (await who<{ valid: boolean }>('GET', `service-providers/validate-vacid/${id}`)).body.data
        .valid;
    const part = await as('part', ['operator'], [1]);
    expect([await valid(root, 'v-9'), await valid(root, 'v-8'), await valid(part, 'v-9')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(
      (
        await ask(app, '/api/v1/app/get_ip_location', {
          host,
          headers: { 'cf-ipcountry': 'CH', 'x-country': 'CH' },
        })
      ).body,
    ).toMatchObject({ success: true, data: { country: null } });
  });
});
