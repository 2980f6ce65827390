import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countUsers } from '#server/features/backup/dashboard-queries.ts';
import { refreshGroupMembers } from '#server/engine/embedded/operators/group-members.ts';
import { countRolePeople } from '#server/engine/shared/role-scope.ts';
import { selectObjects } from '#server/engine/embedded/sessions/select-objects.ts';
import { makeDirectory } from '#server/engine/embedded/organizations/directory.ts';
import { refreshDirectory } from '#server/engine/embedded/organizations/directory-store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { getValue, graphError, json, seeded } from './graph/fixtures.ts';
import { randomTrouble, smallPages, tenantGraph, type TenantGraph } from './sources/tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

async function makeBench(store: Store, graph: TenantGraph) {
  const fixture = await makeFixture({}, store);
  const { tenant } = await anOffice(fixture);
  const organization = randomUUID();
  const scope = { tenant, organization };
  const people = async (context: AppContext = fixture.context) =>
    makeDirectory(context, graph.ports, scope, graph.call).people();
  const stored = () =>
    fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('directory_object')
        .select(['kind', 'id', 'name', 'address', 'licensed', 'deleted_at'])
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .orderBy('kind')
        .orderBy('id')
        .execute(),
    );
  return { fixture, context: fixture.context, scope, people, stored };
}

/** The users of the tenant as its administrator sees them. */
const getUsers = (graph: TenantGraph) =>
  graph.tenant.admin
    .listUsers()
    .map(({ id, name, mail, upn, licensed }) => ({ id, name, address: mail ?? upn, licensed }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

type Stored = Awaited<ReturnType<Awaited<ReturnType<typeof makeBench>>['stored']>>;
const presentUsers = (rows: Stored) =>
  rows.flatMap(({ kind, id, name, address, licensed, deleted_at: left }) =>
    kind === 'user' && left === null ? [{ id, name, address, licensed }] : [],
  );

class Killed extends Error {}

/** A process that ends at the n-th transaction that writes, before or after it is stored. */
function makeKilled(context: AppContext, killAt: number, isAfter: boolean): AppContext {
  let count = 0;
  const { store } = context;
  return {
    ...context,
    store: {
      ...store,
      tenant: async (tenant, work, how) => {
        if (how?.readOnly === true) return store.tenant(tenant, work, how);
        count += 1;
        if (count > killAt || (count === killAt && !isAfter)) throw new Killed('ended');
        const done = await store.tenant(tenant, work, how);
        if (count === killAt) throw new Killed('ended');
        return done;
      },
    },
  };
}

/** A role over everybody but a group, and whom it is about: by the ids of the directory. */
async function countAllBut({ context, scope }: Bench, group: string): Promise<number> {
  const { tenant, organization } = scope;
  const id = randomUUID();
  await context.store.tenant(tenant, async ({ sql: db }) => {
    const row = {
      id,
      roleType: 'EntireOrganization',
      operators: [],
      selectedItems: [],
      excludedItems: [{ type: 'Group', id: group }],
      withoutReading: false,
      mayDownload: true,
      needsSecondPerson: false,
      removedAt: null,
    };
    await sql`
      insert into restore_role (tenant_id, id, company_n, organization_id, row)
      values (${tenant}, ${id}, 1, ${organization}, ${JSON.stringify(row)}::text::json)`.execute(
      db,
    );
  });
  const { rows } = await context.store.tenant(tenant, ({ sql: db }) =>
    countRolePeople(tenant, organization).execute(db),
  );
  return rows.find(({ role }) => role === id)?.people ?? -1;
}
type Bench = Awaited<ReturnType<typeof makeBench>>;

eachDatabase((name, open) => {
  test(`ENG-55: a session lists the directory, and later asks only for what changed (${name})`, async () => {
    const graph = tenantGraph({ people: 5, otherPeople: 1_200, mails: 1, files: 1 });
    const bench = await makeBench(await open(), graph);
    expect(await bench.people()).toMatchObject({ ok: true });
    expect(presentUsers(await bench.stored())).toEqual(getUsers(graph));
    expect((await bench.stored()).filter(({ kind }) => kind === 'group').length).toBeGreaterThan(0);

    const [gone] = getUsers(graph);
    graph.tenant.admin.removeUser(gone?.id ?? '');
    const added = graph.tenant.admin.addUser();
    graph.requests.length = 0;
    const people = await bench.people();
    expect(people.ok && people.value.map(({ id }) => id)).toEqual(
      getUsers(graph).map(({ id }) => id),
    );
    expect(people.ok && people.value.some(({ id }) => id === added.id)).toBe(true);
    expect(graph.requests.filter((request) => request.includes('/users/delta'))).toHaveLength(1);
    const left = (await bench.stored()).filter(({ deleted_at: at }) => at !== null);
    expect(left.map(({ id, name: of }) => [id, of])).toEqual([[gone?.id, gone?.name]]);

    // Nobody has a restore point, so that everybody in the directory lacks protection.
    const counts = await bench.context.store.tenant(bench.scope.tenant, (tx) =>
      countUsers(tx, [bench.scope.organization]),
    );
    const all = getUsers(graph).length;
    expect(counts).toEqual({ protected: 0, left: 0, inDirectory: all, unprotected: all });
  });

  test(`RES-53, ENG-31: who is in a group within a group that is selected or excluded is so too, in jobs and in roles (${name})`, async () => {
    const graph = tenantGraph({ people: 8, mails: 1, files: 1 });
    const bench = await makeBench(await open(), graph);
    const { context, scope } = bench;
    const directory = makeDirectory(context, graph.ports, scope, graph.call);
    const everybody = getValue(await directory.people()).map(({ id }) => id);
    const groups = (await bench.stored()).filter(({ kind }) => kind === 'group');
    const [top = '', inner = ''] = groups.map(({ id }) => id);
    const members = async (group: string) =>
      getValue(await directory.members(group)).map(({ id }) => id);
    const [outside, within] = [await members(top), await members(inner)];
    const together = new Set([...outside, ...within]);
    expect(together.size).toBeGreaterThan(outside.length);
    graph.tenant.admin.nestGroup(top, inner);

    const select = async (selectedItems: readonly object[], excludedItems: readonly object[]) =>
      getValue(
        await selectObjects(
          { backupType: 'SelectedItems', selectedItems, excludedItems } as never,
          directory,
          ['mailbox'],
        ),
      ).map(({ id }) => id);
    const group = { type: 'Group', id: top, parts: ['mailbox', 'members'] };
    const all = everybody.map((id) => ({ type: 'User', id, parts: ['mailbox'] }));
    expect(new Set(await select([group], []))).toEqual(together);
    expect(await select(all, [group])).toEqual(everybody.filter((id) => !together.has(id)));

    const connections = { open: async () => ({ ok: true, value: graph.ports }) } as never;
    getValue(
      await refreshGroupMembers(context, connections, scope, { groups: [top], maxAgeMs: 0 }),
    );
    expect(await countAllBut(bench, top)).toBe(everybody.length - together.size);
  });

  test(`RES-53, ENG-31: a group whose members are hidden selects and excludes nobody silently: the missing permission is named, and roles deny (${name})`, async () => {
    const roles = ['User.Read.All', 'Group.Read.All', 'Sites.Read.All'];
    const store = await open();
    for (const sees of [false, true]) {
      const graph = tenantGraph({
        people: 8,
        mails: 1,
        files: 1,
        roles: sees ? [...roles, 'Member.Read.Hidden'] : roles,
      });
      const bench = await makeBench(store, graph);
      const { context, scope } = bench;
      const { admin } = graph.tenant;
      const directory = makeDirectory(context, graph.ports, scope, graph.call);
      const everybody = getValue(await directory.people()).map(({ id }) => id);
      const groups = (await bench.stored()).filter(({ kind }) => kind === 'group');
      const [hidden = '', other = ''] = admin.teams.list().map(({ id }) => id);
      const outer = groups.find(({ id }) => id !== hidden && id !== other)?.id ?? '';
      const connections = { open: async () => ({ ok: true, value: graph.ports }) } as never;
      const refresh = () =>
        refreshGroupMembers(context, connections, scope, {
          groups: [hidden, other],
          maxAgeMs: 0,
        });
      const known = async () =>
        context.store.tenant(scope.tenant, ({ sql: db }) =>
          db
            .selectFrom('directory_member_list')
            .select('group_id')
            .where('tenant_id', '=', scope.tenant)
            .where('organization_id', '=', scope.organization)
            .execute(),
        );
      // What was read while it was visible is not used any more.
      getValue(await refresh());
      expect(await known()).toHaveLength(2);
      const members = new Set(getValue(await directory.members(hidden)).map(({ id }) => id));
      expect(members.size).toBeGreaterThan(0);
      admin.teams.changeSettings(hidden, { visibility: 'HiddenMembership' });
      admin.nestGroup(outer, hidden);

      for (const id of [hidden, outer]) {
        const group = { type: 'Group', id, parts: ['mailbox', 'members'] };
        const job = {
          backupType: 'SelectedItems',
          selectedItems: everybody.map((user) => ({ type: 'User', id: user, parts: ['mailbox'] })),
          excludedItems: [group],
        } as never;
        const selected = await selectObjects(job, directory, ['mailbox']);
        if (sees) for (const one of getValue(selected)) expect(members).not.toContain(one.id);
        else
          expect(selected).toMatchObject({
            ok: false,
            error: {
              kind: 'forbidden',
              message: expect.stringMatching(/are hidden.*Member\.Read\.Hidden/),
            },
          });
      }
      expect((await refresh()).ok).toBe(sees);
      const names = (await known()).map(({ group_id: id }) => id).toSorted();
      expect(names).toEqual((sees ? [hidden, other] : [other]).toSorted());
    }
  });

  test(`ENG-55: whatever fails, is killed or expires, the stored directory is that of the tenant (${name})`, async () => {
    const store = await open();
    for (let seed = 1; seed <= 4 * PROOF; seed += 1) {
      const random = seeded(seed);
      const draw = (max: number): number => Math.floor(random() * max);
      const graph = tenantGraph({
        seed,
        people: 2,
        otherPeople: 9,
        mails: 1,
        files: 1,
        over: smallPages(3),
      });
      const { admin } = graph.tenant;
      const bench = await makeBench(store, graph);
      const left = new Set<string>();
      for (let session = 0; session < 4; session += 1) {
        const change = (): void => {
          if (draw(2) === 0) admin.addUser();
          const users = getUsers(graph);
          const user = users[draw(users.length)];
          if (user === undefined || users.length < 4 || draw(2) === 0) return;
          admin.removeUser(user.id);
          if (session > 0) left.add(user.id);
        };
        change();
        if (draw(4) === 0) admin.expireTokens();
        graph.trouble = randomTrouble(seed * 10 + session, 0.2, () => graph.clock.now());
        const trouble = graph.trouble;
        // People come and go while pages are read.
        let isChanged = false;
        graph.trouble = (request) => {
          if (!isChanged && draw(4) === 0) {
            isChanged = true;
            change();
          }
          return trouble(request);
        };
        const killed = makeKilled(bench.context, 1 + draw(8), draw(2) === 0);
        await bench.people(killed).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Killed);
        });
        graph.trouble = () => null;
        // Two processes at once read what is left.
        const both = await Promise.all([bench.people(), bench.people()]);
        expect({ seed, session, ok: both.map(({ ok }) => ok) }).toEqual({
          seed,
          session,
          ok: [true, true],
        });
        const rows = await bench.stored();
        expect({ seed, session, users: presentUsers(rows) }).toEqual({
          seed,
          session,
          users: getUsers(graph),
        });
        for (const { id, deleted_at: at } of rows)
          if (left.has(id)) expect({ seed, id, at }).not.toEqual({ seed, id, at: null });
      }
    }
  });

  test(`ENG-55: groups that may not be read leave the people as they are, and sites are replaced (${name})`, async () => {
    const graph = tenantGraph({ people: 3, otherPeople: 2, mails: 1, files: 1 });
    const bench = await makeBench(await open(), graph);
    graph.trouble = (request) =>
      request.url.includes('/groups/delta') ? graphError(403, 'Authorization_RequestDenied') : null;
    expect(await bench.people()).toMatchObject({ ok: true });
    expect(presentUsers(await bench.stored())).toEqual(getUsers(graph));

    let sites = ['quay', 'dock'];
    graph.trouble = ({ url }) =>
      url.includes('/sites?search') || url.includes('/getAllSites')
        ? json({ value: sites.map((id) => ({ id, displayName: id })) })
        : null;
    const refresh = () =>
      refreshDirectory(bench.context, graph.ports, bench.scope, {
        list: 'sites',
        call: graph.call,
      });
    await Promise.all([refresh(), refresh()]);
    sites = ['dock', 'slip'];
    expect(await refresh()).toMatchObject({ ok: true });
    const rows = (await bench.stored()).filter(({ kind }) => kind === 'site');
    expect(rows.map(({ id, deleted_at: at }) => [id, at === null])).toEqual([
      ['dock', true],
      ['quay', false],
      ['slip', true],
    ]);
  });
});
