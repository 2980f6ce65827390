import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { PostRow } from '#server/demo/tenant/team-store.ts';
import { eachDatabase } from '../../db/databases.ts';
import { clientToken } from '../../demo-tenant/fixtures.ts';
import { aTeam, ROLES } from './team-bench.ts';

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

eachDatabase((kind, open) => {
  test(`RES-92, RES-5, RES-4: a team that was deleted for good is created once, although answers are lost, and undo removes it (${kind})`, async () => {
    const bench = await aTeam(await open(), [...ROLES, 'Group.ReadWrite.All']);
    const { fixture, office, cloud, teams, team, restore, undo, getThreads, top } = bench;
    teams.changeSettings(team, { funSettings: { allowGiphy: true } });
    const channels = teams.listChannels(team);
    const before = channels.map(({ id, name, membership }) => ({
      name,
      membership,
      threads: getThreads(id).length,
      files: teams
        .listFiles(team, id)
        .map((file) => file.name)
        .toSorted(),
      tabs: teams.listTabs(team, id).map((tab) => tab.name),
    }));
    const members = teams.listMembers(team);
    fixture.pass(60_000);
    teams.purge(team);
    const others = teams.list().map(({ id }) => id);

    const dry = await restore([top], { dryRun: true });
    expect(dry.results.length).toBeGreaterThan(0);
    for (const { outcome, message } of dry.results)
      expect([outcome, message]).toEqual([
        'restored',
        expect.stringContaining('The team was deleted. A new one is created first'),
      ]);
    // RES-48
    const undoes = dry.results.filter(({ message }) =>
      message?.includes('An undo deletes it with its team'),
    );
    expect(undoes).toHaveLength(before.reduce((sum, one) => sum + one.threads, 0));
    expect(teams.list().map(({ id }) => id)).toEqual(others);

    cloud.isLossy = true;
    const { task, done, results } = await restore([top]);
    cloud.isLossy = false;
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(done.result).toBe('success');
    const [created, ...more] = teams.list().filter(({ id }) => !others.includes(id));
    if (!created) throw new Error('no team');
    expect(more).toEqual([]);
    const read = () =>
      teams.listChannels(created.id).map(({ id, name, membership }) => ({
        name,
        membership,
        threads: teams.listPosts(created.id, id).length,
        files: teams
          .listFiles(created.id, id)
          .map((file) => file.name)
          .toSorted(),
        tabs: teams.listTabs(created.id, id).map((tab) => tab.name),
      }));
    expect(read().toSorted(byName)).toEqual(before.toSorted(byName));
    expect(teams.listMembers(created.id)).toEqual(members);

    // A second restore finds the team of the first.
    const again = await restore([top]);
    expect(again.done.counts).toMatchObject({ restored: 0, failed: 0 });
    expect(teams.list()).toHaveLength(others.length + 1);

    const undone = await undo(task);
    expect(undone.counts.failed).toBe(0);
    expect(teams.list().map(({ id }) => id)).toEqual(others);
    office.close();
  });

  test(`RES-92: two restores of a deleted team at the same moment create one team (${kind})`, async () => {
    const bench = await aTeam(await open(), [...ROLES, 'Group.ReadWrite.All']);
    const { fixture, office, teams, team, list, start, readTask, end, listFailed, top } = bench;
    fixture.pass(60_000);
    teams.purge(team);
    const others = teams.list().map(({ id }) => id);
    const [first, second] = await list(top, 'folders');
    const tasks = [await start([first?.id ?? '']), await start([second?.id ?? ''])];
    const isWaiting = async (): Promise<boolean> => {
      const waiting = (await Promise.all(tasks.map(readTask))).map((task) => task.waiting?.reason);
      return waiting.some((reason) => reason?.startsWith('Another restore') === true);
    };
    let groups = 0;
    const isDecided = async (): Promise<boolean> => groups > 1 || isWaiting();
    fixture.context.cloud.connectTo(async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/groups')) {
        groups += 1;
        // The first has no answer until the second does the same, or waits for it.
        while (!(await isDecided())) await setImmediate();
      }
      return office.fetch(request);
    });
    for (const task of tasks) {
      await end(task);
      expect(await listFailed(task)).toEqual([]);
    }
    expect(teams.list().filter(({ id }) => !others.includes(id))).toHaveLength(1);
    expect(groups).toBe(1);
    office.close();
  });

  test(`RES-92: a group that somebody else has made ready is never taken for a deleted team (${kind})`, async () => {
    const store = await open();
    // A restore that an earlier version began looks for the alias that anybody can compute.
    for (const isBegun of [false, true]) {
      const bench = await aTeam(store, [...ROLES, 'Group.ReadWrite.All']);
      const { fixture, office, tenant, teams, team, restore, top, application } = bench;
      fixture.pass(60_000);
      const members = teams.listMembers(team).map(({ personId }) => personId);
      const outsider = office.admin.listUsers().find(({ id }) => !members.includes(id))?.id ?? '';
      expect(outsider).not.toBe('');
      teams.purge(team);
      const token = await clientToken(office, application);
      const send = async (method: string, path: string, body: object): Promise<Response> =>
        office.fetch(
          new Request(`https://graph.microsoft.com/v1.0${path}`, {
            method,
            headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        );
      const bound = [`https://graph.microsoft.com/v1.0/users/${outsider}`];
      const response = await send('POST', '/groups', {
        'displayName': 'Mine',
        'mailNickname': `restored-${createHash('sha256').update(team).digest('hex').slice(0, 16)}`,
        'groupTypes': ['Unified'],
        'mailEnabled': true,
        'securityEnabled': false,
        'owners@odata.bind': bound,
        'members@odata.bind': bound,
      });
      const { id: trap } = (await response.json()) as { readonly id: string };
      fixture.pass(60_000);
      expect((await send('PUT', `/groups/${trap}/team`, {})).status).toBe(201);
      const before = teams.list().map(({ id }) => id);
      const dry = await restore([top], { dryRun: true });
      for (const { message } of dry.results)
        expect(message).toContain('A new one is created first');

      const { results } = await restore([top], {}, async (task) => {
        if (!isBegun) return;
        await store.tenant(tenant, ({ sql: db }) =>
          db
            .insertInto('restore_folder')
            .values({
              tenant_id: tenant,
              task_id: task,
              kind: 'team',
              object_id: team,
              path: '[]',
              object: JSON.stringify({ kind: 'team', id: team, name: 'Team', address: '' }),
              key: null,
            })
            .execute(),
        );
      });
      const created = teams.list().filter(({ id }) => !before.includes(id));
      expect(created.map(({ name }) => name)).toEqual(isBegun ? [] : [expect.any(String)]);
      for (const { outcome, message } of results) {
        if (isBegun)
          expect([outcome, message]).toEqual(['failed', expect.stringContaining('Mine')]);
        else expect(outcome).not.toBe('failed');
      }
      expect(teams.listMembers(trap).map(({ personId }) => personId)).toEqual([outsider]);
      for (const { id } of teams.listChannels(trap)) {
        expect(teams.listPosts(trap, id)).toEqual([]);
        expect(teams.listFiles(trap, id)).toEqual([]);
      }
      office.close();
    }
  });

  test(`RES-92, RES-5: a restore that an earlier version interrupted goes on with the group that it created (${kind})`, async () => {
    const store = await open();
    const bench = await aTeam(store, [...ROLES, 'Group.ReadWrite.All']);
    const { fixture, office, tenant, teams, team, restore, undo, top, application } = bench;
    fixture.pass(60_000);
    const owners = teams.listMembers(team).filter(({ isOwner }) => isOwner);
    teams.purge(team);
    const before = teams.list().map(({ id }) => id);
    const token = await clientToken(office, application);
    const bound = owners.map(
      ({ personId }) => `https://graph.microsoft.com/v1.0/users/${personId}`,
    );
    await office.fetch(
      new Request('https://graph.microsoft.com/v1.0/groups', {
        method: 'POST',
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          'displayName': 'Team',
          'mailNickname': `restored-${createHash('sha256').update(team).digest('hex').slice(0, 16)}`,
          'groupTypes': ['Unified'],
          'mailEnabled': true,
          'securityEnabled': false,
          'owners@odata.bind': bound,
          'members@odata.bind': bound,
        }),
      }),
    );
    const { task, results } = await restore([top], {}, async (id) => {
      await store.tenant(tenant, ({ sql: db }) =>
        db
          .insertInto('restore_folder')
          .values({
            tenant_id: tenant,
            task_id: id,
            kind: 'team',
            object_id: team,
            path: '[]',
            object: JSON.stringify({ kind: 'team', id: team, name: 'Team', address: '' }),
            key: null,
          })
          .execute(),
      );
    });
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const created = teams.list().filter(({ id }) => !before.includes(id));
    expect(created).toHaveLength(1);
    expect(created[0]?.nickname).toMatch(/^restored-[0-9a-f]{16}$/);
    await undo(task);
    expect(teams.list().map(({ id }) => id)).toEqual(before);
    office.close();
  });

  test(`RES-92: a restore waits for a team that Microsoft 365 does not create for a day, not for ever (${kind})`, async () => {
    const bench = await aTeam(await open(), [...ROLES, 'Group.ReadWrite.All']);
    const { fixture, office, teams, team, restore, top } = bench;
    fixture.pass(60_000);
    teams.purge(team);
    let attempts = 0;
    fixture.context.cloud.connectTo(async (request) => {
      if (request.method !== 'PUT' || !request.url.endsWith('/team')) return office.fetch(request);
      attempts += 1;
      fixture.pass(5 * 3_600_000);
      return Response.json({ error: { code: 'NotFound', message: 'No group.' } }, { status: 404 });
    });
    const { done, results } = await restore([top]);
    expect(done.result).toBe('failed');
    for (const { message } of results)
      expect(message).toContain('has not brought the team back within a day');
    // Every five hours until a day is over.
    expect(attempts).toBeGreaterThanOrEqual(5);
    office.close();
  });

  test(`RES-92: a team that was deleted lately comes back with its group, or the result says how (${kind})`, async () => {
    const store = await open();
    const bench = await aTeam(store, [...ROLES, 'Group.ReadWrite.All']);
    const { fixture, office, teams, team, restore, getThreads, top } = bench;
    const [general] = teams.listChannels(team);
    const threads = getThreads(general?.id ?? '');
    fixture.pass(60_000);
    const [file] = teams.listFiles(team, general?.id ?? '');
    teams.deleteFile(team, general?.id ?? '', file?.id ?? '');
    teams.delete(team);
    const dry = await restore([top], { dryRun: true });
    expect(dry.results[0]?.message).toContain('restored in Microsoft Entra first');
    expect(teams.list().some(({ id }) => id === team)).toBe(false);
    const { done } = await restore([top]);
    expect(done.counts).toMatchObject({ restored: 1, failed: 0 });
    expect(teams.list().some(({ id }) => id === team)).toBe(true);
    expect(getThreads(general?.id ?? '')).toEqual(threads);
    office.close();

    const poor = await aTeam(store);
    poor.fixture.pass(60_000);
    poor.teams.delete(poor.team);
    const refused = await poor.restore([poor.top]);
    expect(refused.done.result).toBe('failed');
    for (const { message } of refused.results)
      expect(message).toContain('Restore its group in the Microsoft Entra admin center');
    poor.teams.purge(poor.team);
    const gone = await poor.restore([poor.top]);
    for (const { message } of gone.results) expect(message).toContain('Group.ReadWrite.All');
    poor.office.close();
  });

  test(`RES-92: an undo deletes a team that the restore created although Teams noted who was added, and not with a reply or a changed post (${kind})`, async () => {
    type Use = (
      bench: Awaited<ReturnType<typeof aTeam>>,
      at: { readonly team: string; readonly id: string },
      posts: readonly PostRow[],
    ) => unknown;
    const uses: Readonly<Record<string, Use>> = {
      nothing: () => undefined,
      reply: ({ teams }, at, [post]) => teams.addPost(at.team, at.id, post),
      edit: ({ teams }, at, [post]) => teams.editPost(at.team, at.id, post?.id ?? '', '<p>New</p>'),
    };
    const store = await open();
    for (const [what, use] of Object.entries(uses)) {
      const bench = await aTeam(store, [...ROLES, 'Group.ReadWrite.All']);
      const { fixture, office, teams, team, restore, undo, top } = bench;
      fixture.pass(60_000);
      const others = teams.list().length - 1;
      teams.purge(team);
      const { task } = await restore([top]);
      const created = teams.list().at(-1)?.id ?? '';
      fixture.pass(60_000);
      const [general] = teams.listChannels(created);
      const at = { team: created, id: general?.id ?? '' };
      const posts = teams.listPosts(created, at.id);
      expect(posts.length).toBeGreaterThan(0);
      use(bench, at, posts);
      // As Microsoft documents it for members that are added to a team.
      const note = {
        id: '1790000000000',
        messageType: 'unknownFutureValue',
        createdDateTime: new Date(fixture.context.clock.now()).toISOString(),
        from: null,
        body: { contentType: 'html', content: '<systemEventMessage/>' },
      };
      fixture.context.cloud.connectTo(async (request) => {
        const answer = await office.fetch(request);
        if (request.method !== 'GET' || !/\/messages\?/.test(request.url)) return answer;
        const page = (await answer.json()) as { readonly value: readonly object[] };
        return Response.json({ ...page, value: [note, ...page.value] });
      });
      const undone = await undo(task);
      expect([what, teams.list().length]).toEqual([what, what === 'nothing' ? others : others + 1]);
      expect([what, undone.counts.failed > 0]).toEqual([what, what !== 'nothing']);
      office.close();
    }
  });

  test(`RES-92: a team that people have used since it was created stays when the restore is undone (${kind})`, async () => {
    const bench = await aTeam(await open(), [...ROLES, 'Group.ReadWrite.All']);
    const { fixture, office, teams, team, restore, undo, top } = bench;
    fixture.pass(60_000);
    const others = teams.list().length - 1;
    teams.purge(team);
    const { task } = await restore([top]);
    const created = teams.list().at(-1)?.id ?? '';
    fixture.pass(60_000);
    const [general] = teams.listChannels(created);
    teams.addPost(created, general?.id ?? '');
    const undone = await undo(task);
    expect(undone.counts.failed).toBeGreaterThan(0);
    expect(teams.list()).toHaveLength(others + 1);
    office.close();
  });

  test(`RES-47: description and visibility of a team come back and an undo puts them back, or the result says what is missing (${kind})`, async () => {
    const store = await open();
    const had = { description: 'All about the quay', visibility: 'Public' } as const;
    const has = { description: null, visibility: 'Private' } as const;
    const rights = [...ROLES, 'Group.ReadWrite.All'];
    for (const roles of [rights, ROLES]) {
      const bench = await aTeam(store, roles, (teams, team) => teams.changeSettings(team, had));
      const { fixture, office, teams, team, restore, undo, list, top } = bench;
      fixture.pass(60_000);
      teams.changeSettings(team, has);
      const [settings] = await list(top, 'items');
      const { task, results } = await restore([settings?.id ?? '']);
      const canChange = roles === rights;
      expect(teams.readSettings(team)).toMatchObject(canChange ? had : has);
      const said = results.map(({ message }) => message?.includes('Group.ReadWrite.All'));
      expect(said).toEqual([!canChange]);
      await undo(task);
      expect(teams.readSettings(team)).toMatchObject(has);
      office.close();
    }
  });

  test(`RES-47: members of a private channel that was removed come back with it, and an undo takes away who was added (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, office, teams, team, restore, undo, top } = bench;
    const budget = teams.listChannels(team).find(({ name }) => name === 'Budget');
    if (!budget) throw new Error('no channel');
    const members = teams.listChannelMembers(budget.id);
    expect(members.map(({ isOwner }) => String(isOwner)).toSorted()).toEqual(['false', 'true']);
    fixture.pass(60_000);
    teams.removeChannel(team, budget.id);
    const dry = await restore([top], { dryRun: true });
    const { done } = await restore([top]);
    expect(done.counts).toEqual(dry.done.counts);
    const created = teams.listChannels(team).find(({ name }) => name === 'Budget');
    expect(teams.listChannelMembers(created?.id ?? '')).toEqual(members);

    const guest = members.find(({ isOwner }) => !isOwner);
    teams.removeChannelMember(created?.id ?? '', guest?.personId ?? '');
    const { task } = await restore([top]);
    expect(teams.listChannelMembers(created?.id ?? '')).toEqual(members);
    await undo(task);
    expect(teams.listChannelMembers(created?.id ?? '')).toEqual(
      members.filter(({ isOwner }) => isOwner),
    );
    office.close();
  });
});
