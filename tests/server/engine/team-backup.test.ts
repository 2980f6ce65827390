import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EngineScope, Node } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant } from '../db/drafts.ts';
import { makeFixture } from '../http/fixtures.ts';
import { connectWithSecret, createBackup } from './organization.ts';
import { getValue, makeFolder, PASSWORD } from './restic/fixtures.ts';
import { expectNoErrors, readWithEach } from './restic/restic-reader.ts';

const ROLES = [
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
  'TeamMember.Read.All',
  'ChannelMember.Read.All',
  'ChannelMessage.Read.All',
  'Files.Read.All',
  'Sites.Read.All',
];

/** The first team of a tenant with a job that backs it up, and a server that runs it. */
async function aBackedUpTeam(store: Store) {
  const folder = makeFolder();
  const fixture = await makeFixture({ repositoriesDir: folder }, store, { skipsShortWaits: true });
  const { context } = fixture;
  const tenant = await aTenant(store);
  const office = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 3, minMails: 1, maxMails: 1, minFiles: 1, maxFiles: 1, maxFileBytes: 20_000 },
  });
  context.cloud.connectTo((request) => office.fetch(request));
  const scope: EngineScope = { tenant, organization: randomUUID(), user: randomUUID() };
  const engine = context.embeddedEngine;
  const application = office.admin.registerApplication('Backup', ROLES);
  getValue(await engine.organizations.connect(scope, connectWithSecret(office, application)));
  const { teams } = office.admin;
  const [group] = teams.list();
  if (!group) throw new Error('no team');
  const { repository, job } = await createBackup(
    context,
    scope,
    { type: 'Periodically', periodicallyEvery: 'Hours12' },
    {
      password: PASSWORD,
      services: { isTeamsOnline: true, isTeamsChatsOnline: true },
      settings: {
        backupType: 'SelectedItems',
        selectedItems: [{ type: 'Team', id: group.id, parts: ['teams', 'teamsChats'] }],
      },
    },
  );
  const runner = makeJobRunner(context, { 'backup-session': allJobs(context)['backup-session'] });
  const backUp = async () => {
    const session = getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
    for (let turns = 0; turns < 20; turns++) {
      await runner.tick();
      const [now] = getValue(
        await engine.jobs.listSessions(scope, { job, session, cursor: null, limit: 1 }),
      ).rows;
      if (now?.state === 'done') return now;
      fixture.pass(60_000);
    }
    throw new Error('The session does not end.');
  };
  const open = async (showDeleted = false) => {
    const explorer = getValue(
      await engine.openExplorer(scope, {
        workload: 'teams',
        job: null,
        at: context.clock.now(),
        showDeleted,
      }),
    );
    return async (parent: string | null, only: 'folders' | 'items'): Promise<readonly Node[]> =>
      getValue(
        await engine.listChildren(scope, {
          explorer: explorer.id,
          parent,
          only,
          text: null,
          sort: 'date',
          descending: true,
          cursor: null,
          limit: 1_000,
        }),
      ).rows;
  };
  return { fixture, office, teams, group, backUp, open, folder: join(folder, repository) };
}

eachDatabase((kind, open) => {
  test(`ENG-69, ENG-12: a team is backed up, its channels, posts, files and tabs are listed, deleted ones too, and restic reads all of it (${kind})`, async () => {
    const made = await aBackedUpTeam(await open());
    const { teams, group, backUp, fixture } = made;
    const first = await backUp();
    expect([first.result, first.message]).toEqual(['success', null]);
    expect(first.objects.map(({ kind: of, name }) => [of, name])).toEqual([['team', group.name]]);

    const list = await made.open();
    const [team] = await list(null, 'folders');
    expect(team).toMatchObject({ kind: 'team', name: group.name });
    const top = await list(team?.id ?? '', 'folders');
    expect(
      top.map((node) => [node.kind, node.name, 'membership' in node && node.membership]),
    ).toEqual([
      ['channel', 'Budget', 'private'],
      ['channel', 'Deliveries', 'standard'],
      ['channel', 'General', 'standard'],
      ['channel', 'Other files', 'none'],
    ]);
    for (const channel of teams.listChannels(group.id)) {
      const node = top.find(({ name }) => name === channel.name);
      const posts = await list(node?.id ?? '', 'items');
      expect(posts.map(({ kind: of, at }) => [of, at])).toEqual(
        teams.listPosts(group.id, channel.id).map((post) => ['post', post.created_at]),
      );
      const below = await list(node?.id ?? '', 'folders');
      const files = below.find((one) => 'holds' in one && one.holds === 'files');
      expect(
        new Map(
          (await list(files?.id ?? '', 'items')).map(({ name, sizeBytes }) => [name, sizeBytes]),
        ),
      ).toEqual(
        new Map(teams.listFiles(group.id, channel.id).map(({ name, size }) => [name, size])),
      );
      const tabs = below.find((one) => 'holds' in one && one.holds === 'tabs');
      expect(await list(tabs?.id ?? '', 'items')).toMatchObject([
        { kind: 'tab', name: 'Weather', app: 'Website' },
      ]);
    }

    fixture.pass(60_000);
    const [general] = teams.listChannels(group.id);
    const [post] = teams.listPosts(group.id, general?.id ?? '');
    for (const reply of post ? teams.listReplies(post) : [])
      teams.deletePost(group.id, general?.id ?? '', post?.id ?? '', reply.id);
    teams.deletePost(group.id, general?.id ?? '', post?.id ?? '');
    expect((await backUp()).result).toBe('success');
    const [shown, all] = [await made.open(), await made.open(true)];
    const node = top.find(({ name }) => name === 'General')?.id ?? '';
    expect((await shown(node, 'items')).filter(({ at }) => at === post?.created_at)).toEqual([]);
    expect((await all(node, 'items')).filter(({ at }) => at === post?.created_at)).toMatchObject([
      { kind: 'post', deleted: true },
    ]);

    const place = { folder: made.folder, password: PASSWORD };
    await expectNoErrors(place);
    for (const names of await readWithEach(place, 'ls', 'latest')) {
      expect(names).toMatch(/^\/teams\/[^/]+\/team\/General\/Files\/Notes\.md$/m);
      expect(names).toMatch(/^\/teams\/[^/]+\/team\/General\/[^/]+\.html$/m);
      expect(names).toMatch(/^\/teams\/[^/]+\/team\/General\/Tabs\/Weather ~\d+\.json$/m);
    }
    made.office.close();
  });
});
