import { expect, test } from 'vitest';
import { CALLS, getCall, type CallName } from '#contract/calls.ts';
import { mayGoOn } from '#server/features/restore/downloads/may-go-on.ts';
import { anyDatabase, freshStore, ONE } from '../db/databases.ts';
import { ask, refresh } from '../http/fixtures.ts';
import { cookiesIn } from './content.ts';
import { failItems, openSession, someBackups } from './fixtures.ts';
import { aPortal, countUsers, type Portal, post, ROLE } from './operator-portal.ts';
import { signInOperator, storeDirectory } from './operators.ts';

/** Signs in with Microsoft as a person of the tenant, as the page does. */
async function enter(portal: Portal, person: string) {
  const code = await post<{ userCode: string }>(portal, 'o365/operators/devicecode');
  expect([code.status, code.text.slice(0, 0)]).toEqual([200, '']);
  const cookies = cookiesIn(code);
  const check = () => post<{ state: string }>(portal, 'o365/operators/token', cookies);
  expect((await check()).body.data.state).toBe('pending');
  // Another browser has no part in it.
  expect((await post<{ state: string }>(portal, 'o365/operators/token')).body.data.state).toBe(
    'expired',
  );
  expect(portal.tenant.admin.approveDeviceCode(code.body.data.userCode, person)).toBe(true);
  portal.ground.pass(6_000);
  return check();
}

anyDatabase((kind, open) => {
  test(`RES-52, G69: a person of the tenant whom a role names signs in with Microsoft and gets a user without roles; nobody else does (${kind})`, async () => {
    const portal = await aPortal(await open());
    const { office, admin, people } = portal;
    const path = `o365/organizations/${portal.organization}/restore-roles`;
    const none = await post<object>(portal, 'o365/operators/devicecode');
    expect(none.body.error.kind).toBe('conflict');
    const [ann, bob] = people;
    const role = { ...ROLE, operators: [{ type: 'User', id: ann?.id ?? '' }] };
    const created = await admin<{ id: string }>('POST', path, role);
    const before = await countUsers(portal);

    const refused = await enter(portal, bob?.id ?? '');
    expect([refused.status, refused.body.error.kind]).toEqual([403, 'forbidden']);
    expect(cookiesIn(refused).join()).not.toContain('refresh');
    expect(await countUsers(portal)).toBe(before);

    const entered = await enter(portal, ann?.id ?? '');
    expect(entered.body.data).toEqual({ state: 'granted' });
    expect(await countUsers(portal)).toBe(before + 1);
    const session = await refresh(office.app, office.host, cookiesIn(entered).join('; '));
    const { token, user } = session.body.data as unknown as {
      token: string;
      user: { roles: string[]; name: string; email: string };
    };
    expect([user.roles, user.name, user.email]).toEqual([[], ann?.name, '']);
    const me = (): Promise<{ body: { data: { organizations: unknown[] } } }> =>
      ask(office.app, '/api/v1/o365/operators/me', { host: office.host, token });
    expect((await me()).body.data).toEqual({
      organizations: [
        {
          id: portal.organization,
          name: 'Calloway tenant',
          mayRead: false,
          mayDownload: false,
          needsSecondPerson: false,
        },
      ],
      isAdministrator: false,
    });
    // The second time it is the same user.
    await enter(portal, ann?.id ?? '');
    expect(await countUsers(portal)).toBe(before + 1);
    // Rights end with the role.
    await admin('DELETE', `${path}/${created.body.data.id}`);
    expect((await me()).body.data.organizations).toEqual([]);
    const late = await ask(
      office.app,
      `/api/v1/o365/restore/restorepoints?organizationId=${portal.organization}`,
      {
        host: office.host,
        token,
      },
    );
    expect(late.status).toBe(403);
  });

  test(`RES-52: a user of the portal is an operator by its verified address, in the companies that it sees (${kind})`, async () => {
    const portal = await aPortal(await open());
    const {
      ground: { context },
      office,
      admin,
      people,
    } = portal;
    const [ann] = people;
    await admin('POST', `o365/organizations/${portal.organization}/restore-roles`, {
      ...ROLE,
      operators: [{ type: 'User', id: ann?.id ?? '' }],
    });
    const points = `o365/restore/restorepoints?organizationId=${portal.organization}`;
    const getStatus = async (
      username: string,
      companies: number[],
      email: string,
      verified: boolean,
    ) => {
      const who = await office.as(username, [], companies);
      await context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('person')
          .set({ email, email_verified: verified })
          .where('tenant_id', '=', tenant)
          .where('username', '=', username)
          .execute(),
      );
      return (await who('GET', points)).status;
    };
    const address = ann?.address ?? '';
    expect(await getStatus('own', [1], address.toUpperCase(), true)).toBe(200);
    expect(await getStatus('unverified', [1], address, false)).toBe(403);
    expect(await getStatus('foreign', [2], address, true)).toBe(403);
    expect(await getStatus('other', [1], 'other@example.com', true)).toBe(403);
  });
});

async function withOperator(open: Parameters<typeof someBackups>[0]) {
  const backups = await someBackups(open);
  const { admin, ours } = backups;
  await storeDirectory(
    backups,
    ours.organization,
    ['user-1', 'user-2', 'user-9'].map((id) => ({ kind: 'user', id })),
    {},
  );
  const path = `o365/organizations/${ours.organization}/restore-roles`;
  const role = {
    ...ROLE,
    operators: [{ type: 'User', id: 'user-9' }],
    roleType: 'SpecificObjects',
    selectedItems: [{ type: 'User', id: 'user-1' }],
    mayDownload: true,
  };
  const created = await admin<{ id: string }>('POST', path, role);
  const operator = await signInOperator(backups, ours.organization, 'user-9');
  return { ...backups, operator, role, rolePath: `${path}/${created.body.data.id}` };
}

anyDatabase((kind, open) => {
  test(`G63: an operator restores to the original place only, and sees its own restores as long as they are in its scope (${kind})`, async () => {
    const {
      admin,
      ours,
      operator,
      role,
      rolePath,
      ground: fixture,
      office,
    } = await withOperator(await open());
    const session = await openSession(operator, ours);
    const of = `organizationId=${ours.organization}`;
    const restore = (body: object) =>
      operator<{ taskId: string }>(
        'POST',
        `o365/restore/restoresessions/${session}/mailboxes/o1/items/restore`,
        { items: ['i1.3'], ...body },
      );
    const elsewhere = await restore({ mailbox: 'user-2', reason: 'To read it', dryRun: true });
    expect(elsewhere.status).toBe(403);
    const started = await restore({ dryRun: true });
    expect(started.status).toBe(200);
    const { taskId } = started.body.data;
    const others = await openSession(admin, ours);
    const foreign = await admin<{ taskId: string }>(
      'POST',
      `o365/restore/restoresessions/${others}/mailboxes/o1/items/restore`,
      { items: ['i1.3'], dryRun: true },
    );
    const list = async () =>
      (
        await operator<{ rows: { id: string }[] }>('GET', `o365/restore/tasks?${of}`)
      ).body.data.rows.map(({ id }) => id);
    expect(await list()).toEqual([taskId]);
    const task = (id: string) => operator('GET', `o365/restore/tasks/${id}?${of}`);
    expect((await task(taskId)).status).toBe(200);
    expect((await task(foreign.body.data.taskId)).status).toBe(404);
    // The administrator sees both; sessions of one are not those of the other.
    const listed = async () =>
      (await admin<{ rows: { id: string }[] }>('GET', `o365/restore/tasks?${of}`)).body.data.rows;
    expect(await listed()).toHaveLength(2);
    // A task that hasn't begun has no items yet.
    const line = async () => (await listed()).find(({ id }) => id === foreign.body.data.taskId);
    const unknown = { object: null, objects: 0, place: null };
    expect(await line()).toMatchObject({ by: 'RESTORER', ...unknown });
    await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      await sql
        .insertInto('restore_item')
        .values({
          tenant_id: tenant,
          task_id: foreign.body.data.taskId,
          n: 1,
          object_n: 1,
          item_n: 3,
          name: 'Offer',
          path: '[]',
          state: 'planned',
        })
        .execute();
    });
    const names = await admin<{ rows: { name: string }[] }>(
      'GET',
      `o365/restore/restoresessions/${others}/mailboxes`,
    );
    expect(await line()).toMatchObject({ object: names.body.data.rows[0]?.name, objects: 1 });
    expect((await admin('GET', `o365/restore/restoresessions/${session}/mailboxes`)).status).toBe(
      404,
    );
    const points = await operator<{ rows: { lacks: string[]; changes: number }[]; count: number }>(
      'GET',
      `o365/restore/restorepoints?${of}`,
    );
    expect(points.body.data.count).toBe(3);
    await admin('PUT', rolePath, { ...role, selectedItems: [{ type: 'User', id: 'user-2' }] });
    expect(
      (await operator('GET', `o365/restore/restoresessions/${session}/mailboxes/o1/folders`))
        .status,
    ).toBe(404);
    expect(
      (
        await operator<{ rows: { id: string }[] }>(
          'GET',
          `o365/restore/restoresessions/${session}/mailboxes`,
        )
      ).body.data.rows.map(({ id }) => id),
    ).toEqual(['o2']);
  });
});

anyDatabase((kind, open) => {
  test(`G65, RES-53: a download that is being sent to an operator ends when its roles are no longer about all that it holds (${kind})`, async () => {
    const {
      ground: fixture,
      office,
      admin,
      ours,
      role,
      rolePath,
    } = await withOperator(await open());
    const { context } = fixture;
    const { organization } = ours;
    const { user, session } = await context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      const row = await sql
        .selectFrom('session')
        .innerJoin('person', (join) =>
          join
            .onRef('person.tenant_id', '=', 'session.tenant_id')
            .onRef('person.id', '=', 'session.user_id'),
        )
        .select(['session.id', 'session.user_id'])
        .where('session.tenant_id', '=', tenant)
        .where('person.username', 'like', 'operator-user-9-%')
        .executeTakeFirstOrThrow();
      return { user: row.user_id, session: row.id };
    });
    const insert = async (objects: readonly number[]): Promise<string> => {
      const id = context.chance.uuid();
      await context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .insertInto('prepared_download')
          .values({
            tenant_id: tenant,
            id,
            organization_id: organization,
            repository_id: ours.repository,
            user_id: user,
            explorer_id: context.chance.uuid(),
            file_name: null,
            operator_id: 'user-9',
            objects: JSON.stringify(objects) as never,
            expires_at: context.clock.now() + 60_000,
          })
          .execute(),
      );
      return id;
    };
    const goesOn = (prepared: string): Promise<boolean> =>
      mayGoOn(context, { tenant: office.tenant, organization, user }, session, {
        kind: 'download',
        workload: 'outlook',
        prepared,
      });
    const [own, foreign] = [await insert([1]), await insert([1, 2])];
    expect([await goesOn(own), await goesOn(foreign)]).toEqual([true, false]);
    await admin('PUT', rolePath, { ...role, mayDownload: false });
    expect(await goesOn(own)).toBe(false);
    await admin('PUT', rolePath, role);
    expect(await goesOn(own)).toBe(true);
    await admin('PUT', rolePath, { ...role, selectedItems: [{ type: 'User', id: 'user-2' }] });
    expect(await goesOn(own)).toBe(false);
    await admin('DELETE', rolePath);
    expect(await goesOn(own)).toBe(false);
  });

  test(`G63, RES-53: a role that excludes a group is about nothing until its members are known (${kind})`, async () => {
    const backups = await withOperator(await open());
    // The group was added while the tenant didn't answer.
    backups.recording.failing.set('listObjects', { kind: 'unreachable', message: 'No answer.' });
    const { ours, admin, operator, role, rolePath } = backups;
    const session = await openSession(operator, ours);
    const listMailboxes = async (): Promise<readonly string[]> => {
      const path = `o365/restore/restoresessions/${session}/mailboxes`;
      const { body } = await operator<{ rows: { id: string }[] }>('GET', path);
      return body.data.rows.map(({ id }) => id);
    };
    const wide = {
      ...role,
      roleType: 'EntireOrganization',
      selectedItems: [],
      excludedItems: [{ type: 'Group', id: 'management' }],
    };
    expect(await listMailboxes()).toEqual(['o1']);
    await admin('PUT', rolePath, wide);
    expect(await listMailboxes()).toEqual([]);
    await storeDirectory(backups, ours.organization, [{ kind: 'group', id: 'management' }], {
      management: ['user-1'],
    });
    const shown = await listMailboxes();
    expect(shown).toContain('o2');
    expect(shown).not.toContain('o1');
  });

  test(`RES-54: a restore that needs a second person waits with its reason until somebody else approves it (${kind})`, async () => {
    const backups = await withOperator(await open());
    const { ground: fixture, office, admin, ours, operator, role, rolePath } = backups;
    await admin('PUT', rolePath, { ...role, needsSecondPerson: true });
    const session = await openSession(operator, ours);
    const of = { organizationId: ours.organization };
    const restore = (body: object) =>
      operator<{ taskId: string }>(
        'POST',
        `o365/restore/restoresessions/${session}/mailboxes/o1/items/restore`,
        { items: ['i1.3'], ...body },
      );
    expect((await restore({ dryRun: true })).status).toBe(200);
    const refused = await restore({});
    expect(refused.body.error).toMatchObject({ kind: 'bad-input', issues: [{ path: 'reason' }] });
    const started = await restore({ reason: 'Lost by mistake' });
    const { taskId } = started.body.data;
    const getState = async (): Promise<string> =>
      (
        await operator<{ state: string }>(
          'GET',
          `o365/restore/tasks/${taskId}?organizationId=${ours.organization}`,
        )
      ).body.data.state;
    expect(await getState()).toBe('awaiting-approval');
    const approval = { ...of, reason: 'Agreed by phone' };
    expect((await operator('POST', `o365/restore/tasks/${taskId}/approve`, approval)).status).toBe(
      403,
    );
    const waiting = await admin<{ id: string }[]>('GET', 'o365/restore/approvals');
    expect(waiting.body.data.map(({ id }) => id)).toEqual([taskId]);
    const dora = await office.as('dora', ['o365_admin'], [2]);
    expect((await dora('POST', `o365/restore/tasks/${taskId}/approve`, approval)).status).toBe(404);
    // The operator's own user of the portal is the same person.
    const own = await office.as('own', ['o365_admin'], [1]);
    const verify = (isVerified: boolean) =>
      fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('person')
          .set({ email: 'User-9@example.com', email_verified: isVerified })
          .where('tenant_id', '=', tenant)
          .where('username', '=', 'own')
          .execute(),
      );
    const canDecide = async (): Promise<boolean> => {
      const path = `o365/restore/tasks/${taskId}?organizationId=${ours.organization}`;
      const task = await own<{ request: { canDecide: boolean } }>('GET', path);
      return task.body.data.request.canDecide;
    };
    await verify(false);
    expect(await canDecide()).toBe(true);
    await verify(true);
    expect(await canDecide()).toBe(false);
    for (const how of ['approve', 'reject'])
      expect((await own('POST', `o365/restore/tasks/${taskId}/${how}`, approval)).status).toBe(403);
    expect(await getState()).toBe('awaiting-approval');
    expect((await admin('POST', `o365/restore/tasks/${taskId}/approve`, approval)).status).toBe(
      200,
    );
    expect(await getState()).toBe('queued');
    // Another role of the same person lets it restore without.
    await admin('POST', `o365/organizations/${ours.organization}/restore-roles`, {
      ...role,
      name: 'Trusted',
    });
    const direct = await restore({});
    expect(direct.status).toBe(200);
    // RES-89: the retry of a retry needs a recent sign-in: the restore may have been a large one.
    const retry = (task: string) =>
      operator<{ taskId: string }>('POST', `o365/restore/tasks/${task}/retry`, of);
    await failItems(backups, taskId, 2);
    const again = (await retry(taskId)).body.data.taskId;
    expect((await admin('POST', `o365/restore/tasks/${again}/approve`, approval)).status).toBe(200);
    await failItems(backups, again, 1);
    fixture.pass(6 * 60_000);
    expect((await retry(again)).body.error.kind).toBe('reauth_required');
  });
});

test('G29, RES-52: calls outside of restores refuse an operator, and those of the administrator alone do too', async () => {
  const { operator, ours } = await withOperator(await freshStore(ONE));
  const open: string[] = [];
  for (const name of Object.keys(CALLS) as CallName[]) {
    const { method, path, gate, operatorAllowed } = getCall(name);
    if (gate === 'public' || gate === 'ingest-key' || gate === 'signed-in') continue;
    if (operatorAllowed === true) continue;
    const filled = path.replace(/\{\w+\}/g, ours.organization);
    const { status } = await operator(method, filled, method === 'GET' ? undefined : {});
    if (status !== 403) open.push(`${name} ${status}`);
  }
  expect(open).toEqual([]);
  const allowed = (Object.keys(CALLS) as CallName[]).filter(
    (name) => getCall(name).operatorAllowed === true,
  );
  // What operators do: browse, read, restore, download, and follow their restores.
  expect(allowed.every((name) => getCall(name).path.startsWith('o365/restore/'))).toBe(true);
  for (const name of ['requestRestoreDeviceCode', 'requestRestoreToken'] as const)
    expect(allowed).not.toContain(name);
});
