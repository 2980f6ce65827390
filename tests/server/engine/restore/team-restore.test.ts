import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EngineScope, Node, RestoreInput, Task } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { readPostProps } from '#server/demo/tenant/team-store.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { connectWithSecret, createBackup } from '../organization.ts';
import { getValue, makeFolder } from '../restic/fixtures.ts';

const ROLES = [
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
  'Sites.Read.All',
  'Channel.Create',
  'ChannelMessage.Read.All',
  'Teamwork.Migrate.All',
  'TeamsTab.ReadWrite.All',
  'TeamMember.ReadWrite.All',
  'TeamSettings.ReadWrite.All',
  'Files.ReadWrite.All',
];
const FLAGS: RestoreInput['flags'] = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
  team: { members: true, settings: true },
};

/** A team of a tenant that is backed up, and a server that restores it. */
async function aTeam(store: Store, roles: readonly string[] = ROLES) {
  const fixture = await makeFixture({ repositoriesDir: makeFolder() }, store, {
    skipsShortWaits: true,
  });
  const { context } = fixture;
  const tenant = await aTenant(context.store);
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 8, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 20_000 },
  });
  const cloud = { isLossy: false, writes: 0 };
  context.cloud.connectTo(async (request) => {
    const response = await office.fetch(request);
    const isWrite =
      request.method !== 'GET' && /(messages|replies|tabs|groups|team|members)$/.test(request.url);
    if (!isWrite || !cloud.isLossy) return response;
    cloud.writes += 1;
    // Done, but nobody hears of it: every other write.
    if (cloud.writes % 2 === 1) throw new TypeError('fetch failed');
    return response;
  });
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  const engine = context.embeddedEngine;
  const application = office.admin.registerApplication('Backup', roles);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const { teams } = office.admin;
  const team = teams.list()[0]?.id ?? '';
  const { job } = await createBackup(
    context,
    scope,
    { type: 'Periodically', periodicallyEvery: 'Hours12' },
    {
      services: { isTeamsOnline: true, isTeamsChatsOnline: true },
      settings: {
        backupType: 'SelectedItems',
        selectedItems: [{ type: 'Team', id: team, parts: ['teams', 'teamsChats'] }],
      },
    },
  );
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  const session = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
  for (let state = 'queued'; state !== 'done';) {
    await runner.tick();
    const page = await engine.jobs.listSessions(scope, { job, session, cursor: null, limit: 1 });
    state = getValue(page).rows[0]?.state ?? 'done';
    fixture.pass(60_000);
  }
  const explorer = getValue(
    await engine.openExplorer(scope, {
      workload: 'teams',
      job: null,
      at: context.clock.now(),
      showDeleted: false,
    }),
  ).id;
  const list = async (parent: string | null, only: 'folders' | 'items'): Promise<readonly Node[]> =>
    getValue(
      await engine.listChildren(scope, {
        explorer,
        parent,
        only,
        text: null,
        sort: 'date',
        descending: true,
        cursor: null,
        limit: 1_000,
      }),
    ).rows;
  const end = async (task: string): Promise<Task> => {
    for (let turns = 0; turns < 60; turns++) {
      await runner.tick();
      const now = getValue(await engine.getTask(scope, { task }));
      if (now.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The task does not end.');
  };
  const restore = async (nodes: readonly string[], more: Partial<RestoreInput> = {}) => {
    const task = getValue(
      await engine.restore(scope, {
        explorer,
        nodes,
        target: { kind: 'original' },
        select: 'both',
        onConflict: 'replace',
        versions: 'last',
        flags: FLAGS,
        dryRun: false,
        reason: null,
        ...more,
      }),
    );
    const done = await end(task);
    const results = getValue(
      await engine.listResults(scope, { task, outcome: null, cursor: null, limit: 1_000 }),
    ).rows;
    return { task, done, results };
  };
  /** What became of the files of a channel in the tenant. */
  const listStates = async (channel: string): Promise<readonly string[]> => {
    const parts = await list(channel, 'folders');
    const parent = parts.find((part) => 'holds' in part && part.holds === 'files')?.id ?? '';
    const page = await engine.compareFolder(scope, { explorer, parent, cursor: null, limit: 100 });
    return getValue(page).rows.map(({ state }) => state);
  };
  const listPostStates = async (channel: string): Promise<readonly string[]> => {
    const page = await engine.compareFolder(scope, {
      explorer,
      parent: channel,
      cursor: null,
      limit: 100,
    });
    return getValue(page).rows.map(({ state }) => state);
  };
  const undo = async (task: string) => end(getValue(await engine.undo(scope, { task })));
  const [top] = await list(null, 'folders');
  /** Posts of a channel with their replies, as people see them. */
  const getThreads = (channel: string) =>
    teams
      .listPosts(team, channel)
      .map((post) => ({
        isDeleted: post.deleted_at !== null,
        author: readPostProps(post).author?.id,
        text: readPostProps(post).content.replaceAll(/<[^>]*>/g, ''),
        at: Math.floor(post.created_at / 1_000),
        replies: teams
          .listReplies(post)
          .filter((reply) => reply.deleted_at === null)
          .map((reply) => [readPostProps(reply).author?.id, readPostProps(reply).content])
          .toReversed(),
      }))
      .filter(({ isDeleted }) => !isDeleted);
  return {
    fixture,
    office,
    cloud,
    teams,
    team,
    list,
    restore,
    listStates,
    listPostStates,
    undo,
    getThreads,
    top: top?.id ?? '',
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

eachDatabase((kind, open) => {
  test(`RES-47, RES-48, RES-1, RES-2, RES-82: what a team lost comes back as it was, as the dry run showed, and a second time nothing changes (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, office, teams, team, list, restore, getThreads, top } = bench;
    const { listStates, listPostStates } = bench;
    const [general, deliveries] = teams.listChannels(team);
    if (!general || !deliveries) throw new Error('no channels');
    const channels = await list(top, 'folders');
    const threads = getThreads(general.id);
    const files = () =>
      teams.listFiles(team, general.id).map(({ name, size }) => `${name} ${size}`);
    const [before, members] = [files(), teams.listMembers(team)];
    const generalNode = channels.find(({ name }) => name === general.name)?.id ?? '';
    const known = await listStates(generalNode);
    expect([known.length > 0, new Set(known)]).toEqual([true, new Set(['same'])]);
    expect(new Set(await listPostStates(generalNode))).toEqual(new Set(['same']));
    fixture.pass(60_000);
    const [post] = teams.listPosts(team, general.id);
    for (const reply of post ? teams.listReplies(post) : [])
      teams.deletePost(team, general.id, post?.id ?? '', reply.id);
    teams.deletePost(team, general.id, post?.id ?? '');
    const [file] = teams.listFiles(team, general.id);
    teams.deleteFile(team, general.id, file?.id ?? '');
    const [tab] = teams.listTabs(team, general.id);
    teams.removeTab(team, general.id, tab?.id ?? '');
    const leaver = members.find(({ isOwner }) => !isOwner);
    if (leaver) teams.removeMember(team, leaver.personId);
    expect(getThreads(general.id)).toHaveLength(threads.length - 1);

    const lost = (await listPostStates(generalNode)).filter((state) => state !== 'same');
    expect(lost).toEqual(['deleted']);

    const dry = await restore([top], { dryRun: true });
    expect(getThreads(general.id)).toHaveLength(threads.length - 1);
    expect(
      dry.results
        .filter(({ outcome }) => outcome === 'restored')
        .map(({ message }) => message ?? '')
        .filter((message) => message.includes("An undo can't remove it")),
    ).toHaveLength(1);
    const { done, results } = await restore([top]);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect([done.result, done.counts]).toEqual(['success', dry.done.counts]);
    expect(done.counts.restored).toBe(3);
    expect(getThreads(general.id)).toEqual(threads);
    expect(new Set(await listPostStates(generalNode))).toEqual(new Set(['same']));
    expect(files().toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      before.toSorted((a, b) => (a < b ? -1 : 1)),
    );
    expect(teams.listTabs(team, general.id).map(({ name }) => name)).toEqual(['Weather']);
    expect(teams.listMembers(team)).toEqual(members);
    expect(teams.listChannels(team).map(({ migration }) => migration === 'inProgress')).toEqual([
      false,
      false,
      false,
    ]);

    const again = await restore([top]);
    expect(again.done.counts).toMatchObject({ restored: 0, merged: 0, failed: 0 });
    expect(channels.length).toBeGreaterThan(2);
    office.close();
  });

  test(`RES-47, RES-4: a channel that was removed comes back with posts of authors who have left, and undo takes files and tabs away again (${kind})`, async () => {
    const { fixture, office, teams, team, list, restore, undo, getThreads, top } = await aTeam(
      await open(),
    );
    const channel = teams.listChannels(team).find(({ name }) => name === 'Budget');
    if (!channel) throw new Error('no channel');
    const threads = getThreads(channel.id);
    const files = teams.listFiles(team, channel.id).map(({ name, size }) => `${name} ${size}`);
    fixture.pass(60_000);
    const author = threads[0]?.author ?? '';
    teams.removeChannel(team, channel.id);
    teams.putMember(team, {
      personId: teams.listMembers(team).find(({ personId }) => personId !== author)?.personId ?? '',
      isOwner: true,
    });
    office.admin.removeUser(author);
    const node = (await list(top, 'folders')).find(({ name }) => name === 'Budget');
    const { task, done, results } = await restore([node?.id ?? '']);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(done.result).toBe('success');
    const restored = teams.listChannels(team).find(({ name }) => name === 'Budget');
    expect(restored?.membership).toBe('private');
    const after = getThreads(restored?.id ?? '');
    expect(after).toHaveLength(threads.length);
    for (const [n, thread] of after.entries()) {
      const was = threads[n];
      expect([thread.at, thread.text.endsWith(was?.text ?? '-'), thread.replies.length]).toEqual([
        was?.at,
        true,
        was?.replies.length,
      ]);
      const people = [was?.author, ...(was?.replies ?? []).map(([who]) => who)];
      if (!people.includes(author)) expect(thread).toEqual(was);
    }
    const now = teams
      .listFiles(team, restored?.id ?? '')
      .map(({ name, size }) => `${name} ${size}`);
    expect(new Set(now)).toEqual(new Set(files));
    const undone = await undo(task);
    // Posts stay; files, also those beside the channel's folder, and tabs go.
    expect([undone.counts.failed, undone.counts.restored]).toEqual([
      threads.length,
      done.counts.restored - threads.length,
    ]);
    expect(teams.listFiles(team, restored?.id ?? '')).toEqual([]);
    expect(teams.listTabs(team, restored?.id ?? '')).toEqual([]);
    office.close();
  });

  test(`RES-5, RES-47: if the cloud's answers to writes are lost, everything of a team is there once in the end (${kind})`, async () => {
    const { fixture, office, cloud, teams, team, restore, getThreads, top } = await aTeam(
      await open(),
    );
    const [general] = teams.listChannels(team);
    if (!general) throw new Error('no channel');
    const threads = getThreads(general.id);
    const files = () =>
      teams
        .listFiles(team, general.id)
        .map(({ name }) => name)
        .toSorted();
    const tabs = () => teams.listTabs(team, general.id).map(({ name }) => name);
    const [filesBefore, tabsBefore] = [files(), tabs()];
    fixture.pass(60_000);
    for (const post of teams.listPosts(team, general.id).slice(0, 1)) {
      for (const reply of teams.listReplies(post))
        teams.deletePost(team, general.id, post.id, reply.id);
      teams.deletePost(team, general.id, post.id);
    }
    for (const { id } of teams.listFiles(team, general.id)) teams.deleteFile(team, general.id, id);
    for (const { id } of teams.listTabs(team, general.id)) teams.removeTab(team, general.id, id);
    cloud.isLossy = true;
    const { done, results } = await restore([top]);
    cloud.isLossy = false;
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(done.result).toBe('success');
    expect(getThreads(general.id)).toEqual(threads);
    expect([files(), tabs()]).toEqual([filesBefore, tabsBefore]);
    // The post, and the tab. Otherwise the rest says what else there was.
    expect({
      isLost: cloud.writes > 1,
      beside: cloud.writes > 1 ? null : [cloud, done, results, fixture.lines],
    }).toEqual({ isLost: true, beside: null });
    expect(teams.listChannels(team).filter(({ migration }) => migration === 'inProgress')).toEqual(
      [],
    );
    office.close();
  });

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
});
