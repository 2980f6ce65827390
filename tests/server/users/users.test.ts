import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { type Answer, type Fixture, login, makeFixture, PASSWORD } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aUser, FORBIDDEN, idIn, listUsers, LONG, NOT_FOUND, said, thePeople } from './fixtures.ts';

let bench: Fixture;
const names = async (who: Asker, query = ''): Promise<string[]> =>
  (await listUsers(who, `?pageSize=200${query}`)).rows.map(({ username }) => username);
const make = (who: Asker, username: string, more: object = {}): Promise<Answer<UserListed>> =>
  who<UserListed>('POST', 'users', aUser(username, more));

eachDatabase((_name, open) => {
  beforeAll(async () => {
    bench = await makeFixture({}, await open());
  });

  test('USER-1: a user is created with the sent fields, signs in, and must choose their own password', async () => {
    const people = await thePeople(bench);
    const { root, app, host } = people;
    const made = await make(root, 'Anna', {
      roles: ['operator', 'read-only'],
      companies: [1],
      mobilePhone: '+15550100200',
      sso: { zerto: { zorgId: 'z-1', enabled: true } },
      managedFilterType: 'managed',
    });
    expect(made.status).toBe(200);
    expect(made.body.data).toMatchObject({
      username: 'Anna',
      roles: 'operator, read-only',
      acl: [{ role: 'operator' }, { role: 'read-only' }],
      companies: [{ n: 1, name: 'Calloway Freight' }],
      mobilePhone: '+15550100200',
      sso: { vac: null, vcd: null, zerto: { zorgId: 'z-1', enabled: true } },
      managedFilterType: 'managed',
      passwordReset: true,
      invited: false,
      deleted: false,
      lastSignIn: null,
      secondFactor: 'none',
    });
    const entered = await login(app, host, 'anna', LONG);
    expect([
      entered.status,
      entered.body.data.user.passwordReset,
      entered.body.data.user.companies,
      entered.body.data.user.managedFilterType,
    ]).toEqual([200, true, [1], 'managed']);
    expect((await listUsers(root, '?search=anna')).rows[0]).toMatchObject({
      lastSignIn: bench.context.clock.now(),
      signedIn: true,
    });
    expect(JSON.stringify(await people.logged())).not.toContain('example.net');
    expect((await people.recorded()).map(({ what }) => what)).toContain('user.made');
    for (const username of ['ANNA', 'anna', 'Anna'])
      expect(said(await make(root, username))).toEqual([409, 'conflict', MESSAGES.usernameTaken]);
  });

  test('USER-1: invited by email, a user gets a link for one use and has no password before; the two ways exclude each other', async () => {
    const people = await thePeople(bench);
    const { root, app, host } = people;
    const made = await make(root, 'bert', { password: undefined, invite: true });
    expect(made.body.data).toMatchObject({ invited: true, passwordReset: false });
    const [mail] = await people.posted();
    expect(mail).toMatchObject({ kind: 'mail', to: 'bert@example.net' });
    const secret = /reset-password-db#([\w-]{43})\n/.exec(mail?.text ?? '')?.[1] ?? '';
    expect(secret).not.toBe('');
    const stored = await bench.context.store.tenant(
      people.tenant,
      ({ sql }) =>
        sql.selectFrom('one_time').selectAll().where('tenant_id', '=', people.tenant).execute(),
      { readOnly: true },
    );
    expect(stored).toMatchObject([
      { kind: 'password', user_id: idIn(made.body.data), used_at: null },
    ]);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect((await login(app, host, 'bert', LONG)).status).toBe(401);
    for (const more of [
      { invite: true },
      { password: undefined },
      { auth: 'ad' },
      { auth: 'ad', password: undefined, invite: true },
    ])
      expect((await make(root, 'more', more)).status).toBe(400);
    expect((await make(root, 'dora', { auth: 'ad', password: undefined })).status).toBe(200);
  });

  test('G35, USER-1: a first password is judged like any other', async () => {
    const { root } = await thePeople(bench);
    for (const password of ['short', 'passwordpassword', 'jonas-of-the-hill-42']) {
      const refused = await make(root, 'jonas', { password });
      expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, 'password']);
    }
  });

  test('USER-2, G53: unknown fields are refused everywhere, and rights are written nowhere else', async () => {
    const { root, idOf: findId } = await thePeople(bench);
    await make(root, 'carl');
    const id = await findId('carl');
    for (const more of [
      { passwordReset: false },
      { serviceProviderId: randomUUID() },
      { deleted: true },
      { tenant_id: randomUUID() },
      { _id: randomUUID() },
    ]) {
      expect([
        (await make(root, 'other', more)).status,
        (await root('PUT', `users/${id}`, more)).status,
      ]).toEqual([400, 400]);
    }
    const roles = { roles: ['super-admin'], companies: null };
    for (const [method, path] of [
      ['PUT', `profile/${id}`],
      ['PUT', `profile/${id}/preferences/theme`],
      ['POST', `users/${id}/accounts/a1`],
      ['PUT', `users/${id}/changePassword/db`],
    ] as const) {
      expect((await root(method, path, { password: LONG, value: '{}', ...roles })).status).toBe(
        400,
      );
    }
    expect((await listUsers(root, '?search=carl')).rows[0]?.roles).toBe('operator');
  });

  test("USER-14: a user without an email address can be changed without one; an existing one can't be removed", async () => {
    const { root, idOf: findId, tenant } = await thePeople(bench);
    await make(root, 'nell');
    await make(root, 'olga');
    const nell = await findId('nell');
    const olga = await findId('olga');
    await bench.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ email: null })
        .where('tenant_id', '=', tenant)
        .where('id', '=', nell)
        .execute(),
    );
    for (const body of [{ name: 'Nell One' }, { name: 'Nell Two', email: null }]) {
      const changed = await root('PUT', `users/${nell}`, body);
      expect([changed.status, changed.body.data]).toMatchObject([
        200,
        { name: body.name, email: null },
      ]);
    }
    const refused = await root('PUT', `users/${olga}`, { email: null });
    expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, 'email']);
    expect((await root('PUT', `users/${olga}`, { email: '' })).status).toBe(400);
    expect((await make(root, 'pia', { email: null })).status).toBe(400);
    expect(
      (await root('PUT', `users/${nell}`, { email: 'nell@example.net' })).body.data,
    ).toMatchObject({ email: 'nell@example.net' });
  });

  test('USER-3, G33: changed rights count immediately; nobody grants a role above their own, touches a user who has it, or changes their own', async () => {
    const people = await thePeople(bench);
    const { root, as, idOf: findId } = people;
    const admin = await as('ada', ['admin']);
    const oper = await as('otto', ['operator']);
    const otto = await findId('otto');
    expect((await oper('GET', 'sync/bootstrap')).status).toBe(200);
    expect((await admin('PUT', `users/${otto}`, { roles: ['admin'] })).status).toBe(200);
    expect((await oper('GET', 'monitoring/reporting/users')).status).toBe(200);
    expect(
      (await admin('PUT', `users/${otto}`, { roles: ['read-only'], companies: [2] })).body.data,
    ).toMatchObject({ roles: 'read-only', companies: [{ n: 2 }] });
    expect((await oper('GET', 'monitoring/reporting/users')).status).toBe(403);
    expect(said(await admin('PUT', `users/${otto}`, { roles: ['super-admin'] }))).toEqual(
      FORBIDDEN,
    );
    expect(said(await make(admin, 'sue', { roles: ['operator', 'super-admin'] }))).toEqual(
      FORBIDDEN,
    );
    const rootId = await findId('root');
    const ada = await findId('ada');
    for (const [method, path, body] of [
      ['PUT', `users/${rootId}`, { name: 'x' }],
      ['DELETE', `users/${rootId}`],
      ['POST', `users/${rootId}/accounts/1`, {}],
    ] as const) {
      expect(said(await admin(method, path, body))).toEqual(FORBIDDEN);
    }
    expect(said(await admin('PUT', `users/${ada}`, { roles: ['read-only'] }))).toEqual([
      403,
      'forbidden',
      MESSAGES.notYourself,
    ]);
    expect((await root('PUT', `users/${otto}`, { roles: ['super-admin'] })).status).toBe(200);
    expect(said(await root('PUT', `users/${otto}`, { companies: [77] }))).toEqual(NOT_FOUND);
  });

  test("USER-4: an administrator of some companies manages the users of these only: others don't exist", async () => {
    const { root, as, idOf: findId } = await thePeople(bench);
    await make(root, 'own', { companies: [1] });
    await make(root, 'other', { companies: [2] });
    await make(root, 'both', { companies: [1, 2] });
    const part = await as('part', ['admin'], [1]);
    expect(await names(part)).toEqual(['own', 'part']);
    const missing = said(await part('PUT', `users/${randomUUID()}`, { name: 'x' }));
    for (const name of ['other', 'both', 'root']) {
      const id = await findId(name);
      expect(said(await part('PUT', `users/${id}`, { name: 'x' }))).toEqual(missing);
      for (const path of [`users/${id}`, `users/delete/${id}`, `users/${id}/accounts/1`])
        expect(said(await part('DELETE', path))).toEqual(NOT_FOUND);
      expect(said(await part('PUT', `users/${id}/changePassword/db`, { password: LONG }))).toEqual(
        NOT_FOUND,
      );
    }
    expect((await part('PUT', `users/${await findId('own')}`, { name: 'Her own' })).status).toBe(
      200,
    );
    for (const companies of [null, [2], [1, 2], []])
      expect(said(await make(part, 'more', { companies }))).toEqual(FORBIDDEN);
    expect(said(await part('PUT', `users/${await findId('own')}`, { companies: null }))).toEqual(
      FORBIDDEN,
    );
    expect((await make(part, 'mine', { companies: [1] })).status).toBe(200);
  });

  test("USER-4, T2: users of another provider don't exist", async () => {
    const here = await thePeople(bench);
    const there = await thePeople(bench);
    await make(there.root, 'far');
    const id = await there.idOf('far');
    const strange = async (
      method: string,
      path: (of: string) => string,
      body?: object,
    ): Promise<void> => {
      const [foreign, none] = [
        await here.root(method, path(id), body),
        await here.root(method, path(randomUUID()), body),
      ];
      expect([foreign.status, foreign.text]).toEqual([404, none.text]);
    };
    await strange('PUT', (of) => `users/${of}`, { name: 'x' });
    await strange('DELETE', (of) => `users/${of}`);
    await strange('DELETE', (of) => `users/delete/${of}`);
    await strange('POST', (of) => `users/${of}/accounts/1`, {});
    await strange('DELETE', (of) => `users/${of}/accounts/1`);
    await strange('PUT', (of) => `users/${of}/changePassword/db`, { password: LONG });
    await strange('PUT', (of) => `users/${of}/changePassword/ad`, { password: LONG });
    expect(await names(here.root)).not.toContain('far');
    for (const id2 of ['none', '%27', '7'])
      expect((await here.root('DELETE', `users/${id2}`)).status).toBe(404);
  });

  test('USER-5: a deleted user is marked, signed out immediately and kept out; erased, everything outside the log is gone and the rows still follow from it', async () => {
    const people = await thePeople(bench);
    const { root, as, idOf: findId, app, host, tenant } = people;
    const dan = await as('dan', ['operator']);
    const id = await findId('dan');
    expect((await root('DELETE', `users/${id}`)).status).toBe(200);
    expect((await dan('GET', 'sync/bootstrap')).status).toBe(401);
    expect((await login(app, host, 'dan', PASSWORD)).status).toBe(401);
    expect([await names(root), await names(root, '&deleted=only')]).toEqual([
      [expect.stringMatching(/^keeper/), 'root'],
      ['dan'],
    ]);
    expect(said(await make(root, 'dan'))[0]).toBe(409);
    expect((await root('DELETE', `users/delete/${id}`)).status).toBe(200);
    expect(await names(root, '&deleted=all')).not.toContain('dan');
    expect(said(await root('DELETE', `users/delete/${id}`))).toEqual(NOT_FOUND);
    const left = await bench.context.store.tenant(
      tenant,
      async ({ sql }) =>
        Promise.all(
          (['person', 'session', 'trusted_device', 'one_time'] as const).map(
            async (table) =>
              (
                await sql
                  .selectFrom(table)
                  .selectAll()
                  .where('tenant_id', '=', tenant)
                  .where(table === 'person' ? 'id' : 'user_id', '=', id)
                  .execute()
              ).length,
          ),
        ),
      { readOnly: true },
    );
    expect(left).toEqual([0, 0, 0, 0]);
    expect((await people.logged()).filter((type) => type.startsWith('user.')).slice(-2)).toEqual([
      'user.deleted@1',
      'user.removed@1',
    ]);
    expect((await rebuild(bench.context.store, { only: [tenant] }))[0]?.differences).toEqual([]);
    expect((await make(root, 'dan')).status).toBe(200);
    const record = (await people.recorded())
      .filter(({ user_id }) => user_id === id)
      .map(({ what }) => what);
    expect(record).toEqual(expect.arrayContaining(['user.deleted', 'user.removed']));
  });

  test('USER-6: the last administrator stays, and nobody deletes their own account', async () => {
    const { root, as, idOf: findId } = await thePeople(bench);
    const keeper = (await listUsers(root)).rows.find(({ username }) =>
      username.startsWith('keeper'),
    );
    expect(said(await root('DELETE', `users/${await findId('root')}`))).toEqual([
      403,
      'forbidden',
      MESSAGES.notYourself,
    ]);
    expect((await root('DELETE', `users/${idIn(keeper)}`)).status).toBe(200);
    const part = await as('part', ['admin', 'super-admin'], [1]);
    expect(said(await part('DELETE', `users/${await findId('root')}`))).toEqual(NOT_FOUND);
    const second = await as('second', ['super-admin', 'o365_admin']);
    const id = await findId('root');
    for (const [method, path, body] of [
      ['DELETE', `users/${id}`],
      ['DELETE', `users/delete/${id}`],
      ['PUT', `users/${id}`, { roles: ['super-admin'] }],
      ['PUT', `users/${id}`, { companies: [1] }],
    ] as const) {
      expect(said(await second(method, path, body))).toEqual([
        409,
        'conflict',
        MESSAGES.lastAdministrator,
      ]);
    }
  });

  test('USER-7, G44: username, addresses, numbers and other accounts of a user change only with a recent second factor; the old address is notified', async () => {
    const people = await thePeople(bench);
    const { root, idOf: findId } = people;
    await make(root, 'eva');
    const id = await findId('eva');
    bench.pass(6 * 60_000);
    for (const more of [
      { username: 'eve' },
      { email: 'eve@example.org' },
      { mobilePhone: '+15550100201' },
      { officePhone: '+15550100202' },
      { mobilePhone: '+15550100201', sms: true },
      { sso: { vac: { username: 'x', enabled: true } } },
      { auth: 'ad' },
    ]) {
      expect(said(await root('PUT', `users/${id}`, more))).toEqual([
        403,
        'reauth_required',
        MESSAGES.reauth,
      ]);
    }
    expect(
      (await root('PUT', `users/${id}`, { name: 'Eva B.', email: 'eva@example.net' })).body.data,
    ).toMatchObject({ name: 'Eva B.', email: 'eva@example.net' });
    for (const [method, path, body] of [
      ['DELETE', `users/delete/${id}`],
      ['PUT', `users/${id}/changePassword/db`, { password: LONG }],
    ] as const)
      expect(said(await root(method, path, body))[1]).toBe('reauth_required');
    const again = await people.as('root2', ['admin']);
    expect(
      (await again('PUT', `users/${id}`, { email: 'eve@example.org' })).body.data,
    ).toMatchObject({ email: 'eve@example.org' });
    expect((await people.posted()).map((mail) => mail.to)).toEqual(['eva@example.net']);
    expect((await people.logged()).slice(-1)).toEqual(['user.updated@1']);
  });

  test('USER-7: an email tells a user which new username an administrator set, and an edit without a new one sends nothing', async () => {
    const people = await thePeople(bench);
    const { root, idOf: findId } = people;
    await make(root, 'eva');
    const id = await findId('eva');
    expect((await root('PUT', `users/${id}`, { username: 'eva', name: 'Eva B.' })).status).toBe(
      200,
    );
    expect(await people.posted()).toEqual([]);
    // The address from before gets it, also where both change at once.
    expect(
      (await root('PUT', `users/${id}`, { username: 'eve', email: 'eve@example.org' })).status,
    ).toBe(200);
    const mails = (await people.posted()).filter(({ kind }) => kind === 'mail');
    const details = mails.find((mail) => 'subject' in mail && mail.subject.includes('username'));
    expect(details).toMatchObject({
      to: 'eva@example.net',
      subject: expect.stringMatching(/^Your username at .+ was changed$/) as string,
      text: expect.stringContaining('From now on, sign in as eve.') as string,
    });
  });

  test('USER-13: a manager turns on SMS codes for a user with a number; the user is notified and asked from then on', async () => {
    const people = await thePeople(bench);
    const { root, idOf: findId, app, host } = people;
    await make(root, 'gus');
    const id = await findId('gus');
    const put = (body: object) => root<UserListed>('PUT', `users/${id}`, body);
    expect((await put({ sms: true })).body.error).toEqual({
      kind: 'bad-input',
      issues: [{ path: 'sms', message: 'Enter a mobile phone number to use SMS codes.' }],
    });
    expect((await root('POST', 'users', aUser('hal', { sms: true }))).body.error.issues).toEqual([
      { path: 'sms', message: 'Enter a mobile phone number to use SMS codes.' },
    ]);
    expect((await put({ sms: false })).body.data).toMatchObject({
      sms: false,
      secondFactor: 'none',
    });
    expect(await people.posted()).toEqual([]);
    expect((await put({ sms: true, mobilePhone: '+15550100203' })).body.data).toMatchObject({
      sms: true,
      secondFactor: 'sms',
    });
    expect((await login(app, host, 'gus', LONG)).body.data).toMatchObject({
      step: 'code',
      methods: ['sms'],
    });
    bench.pass(1_000);
    expect((await put({ sms: false })).body.data).toMatchObject({
      sms: false,
      secondFactor: 'none',
    });
    expect((await login(app, host, 'gus', LONG)).body.data.token).toBeTypeOf('string');
    const mails = (await people.posted()).filter(({ kind }) => kind === 'mail');
    expect(
      mails.map(({ to, text }) => `${to} ${/turned (on|off) codes by text/.exec(text)?.[1]}`),
    ).toEqual(['gus@example.net on', 'gus@example.net off']);
  });

  test("USER-8: a set password ends the user's sessions, is announced by email and works for one sign-in; pending links are void", async () => {
    const people = await thePeople(bench);
    const { root, as, idOf: findId, app, host } = people;
    const fay = await as('fay', ['operator']);
    const id = await findId('fay');
    expect(
      said(await root('PUT', `users/${id}/changePassword/db`, { password: 'too short' }))[0],
    ).toBe(400);
    expect((await fay('GET', 'sync/bootstrap')).status).toBe(200);
    expect((await root('PUT', `users/${id}/changePassword/db`, { password: LONG })).status).toBe(
      200,
    );
    expect((await fay('GET', 'sync/bootstrap')).status).toBe(401);
    expect((await login(app, host, 'fay', PASSWORD)).status).toBe(401);
    expect((await login(app, host, 'fay', LONG)).body.data.user.passwordReset).toBe(true);
    expect((await people.posted()).map(({ kind, to }) => [kind, to])).toEqual([
      ['mail', 'kate@example.com'],
    ]);
    expect(
      JSON.stringify([await people.posted(), await people.recorded(), bench.lines]),
    ).not.toContain(LONG);
    expect(
      said(
        await root('PUT', `users/${await findId('root')}/changePassword/db`, { password: LONG }),
      ),
    ).toEqual([403, 'forbidden', MESSAGES.notYourself]);
    expect(said(await root('PUT', `users/${id}/changePassword/ad`, { password: LONG }))[0]).toBe(
      409,
    );
  });

  test('USER-9: accounts of other systems are added and removed, each once', async () => {
    const { root, idOf: findId } = await thePeople(bench);
    await make(root, 'gus');
    const id = await findId('gus');
    await root('POST', `users/${id}/accounts/a-1`, { name: 'First' });
    const linked = await root<UserListed>('POST', `users/${id}/accounts/a%2F2`, {});
    expect(
      (await root<UserListed>('POST', `users/${id}/accounts/a-1`, { name: 'Again' })).body.data
        .accounts,
    ).toHaveLength(2);
    expect(linked.body.data.accounts).toEqual([
      { accountId: 'a-1', name: 'First' },
      { accountId: 'a/2', name: null },
    ]);
    expect(
      (await root<UserListed>('DELETE', `users/${id}/accounts/a-1`)).body.data.accounts,
    ).toEqual([{ accountId: 'a/2', name: null }]);
    expect(said(await root('DELETE', `users/${id}/accounts/a-1`))).toEqual(NOT_FOUND);
  });

  test('USER-10: the list is searched, sorted and in pages of ten; its file has all pages and no formulas', async () => {
    const { root, idOf: findId } = await thePeople(bench);
    for (let n = 1; n <= 12; n += 1)
      await make(root, `u${n}`, { name: n === 3 ? '=cmd()' : `Person ${n}` });
    const first = await listUsers(root, '?search=example.net');
    expect([first.rows.length, first.count, first.page, first.pageSize]).toEqual([10, 12, 1, 10]);
    expect(
      (await listUsers(root, '?search=example.net&page=2')).rows.map(({ username }) => username),
    ).toEqual(['u11', 'u12']);
    expect(await names(root, '&search=U1&sort=-username')).toEqual(['u12', 'u11', 'u10', 'u1']);
    expect(await names(root, '&role=super-admin')).toEqual(['root']);
    expect((await root('GET', 'monitoring/reporting/users?sort=password')).status).toBe(400);
    const file = await root('POST', 'monitoring/reporting/users/export', { search: 'example.net' });
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Users_2026-\d\d-\d\d_\d{6}\.csv"$/,
    );
    expect(file.text.split('\r\n')).toHaveLength(14);
    expect(file.text).toContain("\r\nu3,'=cmd(),u3@example.net,operator,All,,db,none,");
    expect(await findId('u3')).not.toBe('');
  });
});
