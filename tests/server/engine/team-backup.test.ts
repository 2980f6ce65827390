import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EngineScope, Node } from '#contract/engine/engine.ts';
import type { TenantId } from '#contract/ids.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { migration0137 } from '#server/platform/db/migrations/0137_post_keys.ts';
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
  return { fixture, tenant, office, teams, group, backUp, open, folder: join(folder, repository) };
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

  test(`ENG-141: posts that channels have at the same moment are all backed up, also where the index had only one of them (${kind})`, async () => {
    const store = await open();
    const {
      teams,
      group,
      backUp,
      open: openTeam,
      fixture,
      tenant,
      office,
    } = await aBackedUpTeam(store);
    const [first, second] = teams.listChannels(group.id);
    if (!first || !second) throw new Error('too few channels');
    const at = fixture.context.clock.now();
    const posts = [first, second].map(({ id }) => teams.addPost(group.id, id, undefined, at));
    expect(posts.map(({ id }) => id)).toEqual([String(at), String(at)]);
    /** Per channel, what the newest restore point has of that moment. */
    const find = async (): Promise<(string | null)[]> => {
      const list = await openTeam();
      const [top] = await list(null, 'folders');
      const nodes = await list(top?.id ?? '', 'folders');
      return Promise.all(
        [first, second].map(async ({ name }) => {
          const node = nodes.find((one) => one.name === name);
          const found = (await list(node?.id ?? '', 'items')).filter((one) => one.at === at);
          return found.length === 1 ? (found[0]?.kind ?? null) : null;
        }),
      );
    };
    expect((await backUp()).result).toBe('success');
    expect(await find()).toEqual(['post', 'post']);

    // The index as it was when the id of a message was the key of a post.
    await store.tenant(tenant, async ({ sql: db }) => {
      await sql`delete from item where tenant_id = ${tenant} and kind = 'post' and at = ${at} and folder_key = ${second.id}`.execute(
        db,
      );
      await sql`update item set key = split_part(key, '/', 2) where tenant_id = ${tenant} and kind = 'post'`.execute(
        db,
      );
    });
    const before = await countPosts(store, tenant);
    await store.system(async (db) => {
      await sql`reset role`.execute(db);
      for (const statement of migration0137.statements) await sql.raw(statement).execute(db);
    });
    fixture.pass(60_000);
    expect((await backUp()).result).toBe('success');
    expect(await find()).toEqual(['post', 'post']);
    expect(await countPosts(store, tenant)).toBe(before + 1);

    teams.deletePost(group.id, first.id, String(at));
    fixture.pass(60_000);
    expect((await backUp()).result).toBe('success');
    expect(await find()).toEqual([null, 'post']);
    office.close();
  });
});

/** Returns how many states of posts the index has. */
const countPosts = (store: Store, tenant: TenantId): Promise<number> =>
  store.tenant(tenant, async ({ sql: db }) => {
    const rows = await db
      .selectFrom('item')
      .select('n')
      .where('tenant_id', '=', tenant)
      .where('kind', '=', 'post')
      .execute();
    return rows.length;
  });
