import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import { readPostProps } from '#server/demo/tenant/team-store.ts';
import { eachDatabase, freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice } from './random/random-office.ts';
import { aTeam, ROLES } from './team-bench.ts';
import { NO_FLAGS } from './no-flags.ts';

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

  test(`RES-47, RES-4: a channel that was removed comes back with posts of authors who have left, and undo takes it away again with all in it (${kind})`, async () => {
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
    // Posts go with the channel; files, also those beside its folder, and tabs before.
    expect([undone.counts.failed, undone.counts.restored, undone.message]).toEqual([
      0,
      done.counts.restored,
      null,
    ]);
    expect(teams.listChannels(team).map(({ name }) => name)).not.toContain('Budget');
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

  test(`RES-47, RES-5: a channel that looked closed while another post was written isn't opened under the next one (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, office, teams, team, restore, list, getThreads, top } = bench;
    const [channel] = teams.listChannels(team);
    const general = channel?.id ?? '';
    const threads = getThreads(general);
    fixture.pass(60_000);
    for (const post of teams.listPosts(team, general).slice(0, 2))
      teams.deletePost(team, general, post.id);
    const node = (await list(top, 'folders')).find(({ name }) => name === channel?.name);
    const posts = await list(node?.id ?? '', 'items');
    const [started, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let lists = 0;
    let isOpening = false;
    const order: string[] = [];
    fixture.context.cloud.connectTo(async (request) => {
      const step = /(channels|startMigration|completeMigration|messages)$/.exec(request.url)?.[1];
      const isPost = step === 'messages' && request.method === 'POST';
      // The one that looked opens it only when the other has closed it for its post.
      if (step === 'completeMigration' && order.length === 0) {
        isOpening = true;
        await started.promise;
      }
      if (isPost && isOpening) await opened.promise;
      if (step === 'startMigration' || step === 'completeMigration') order.push(step);
      const response = await office.fetch(request);
      if (step === 'startMigration') started.resolve();
      if (step === 'completeMigration') opened.resolve();
      if (step !== 'channels' || request.method !== 'GET' || (lists += 1) > 1) return response;
      const body = (await response.json()) as { value: { id: string; migrationMode?: string }[] };
      for (const one of body.value) if (one.id === general) one.migrationMode = 'inProgress';
      return Response.json(body);
    });
    const { done, results } = await restore(posts.map(({ id }) => id));
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(done.counts).toMatchObject({ restored: 2, failed: 0 });
    expect(getThreads(general)).toEqual(threads);
    const turn = ['startMigration', 'completeMigration'];
    expect(order).toEqual([...turn, ...turn]);
    office.close();
  });

  test(`RES-48: links to files come back with a post, and what is not imported is said before and after (${kind})`, async () => {
    const file = {
      id: '153fa47d-18c9-4179-be08-9879815a9f90',
      contentType: 'reference',
      contentUrl: 'https://demo.sharepoint.com/sites/projects/General/Notes.md',
      name: 'Notes.md',
    };
    const card = {
      id: 'c1',
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: '{}',
    };
    const bench = await aTeam(await open(), ROLES, (admin, id) => {
      const [channel] = admin.listChannels(id);
      const [first] = admin.listPosts(id, channel?.id ?? '');
      admin.decoratePost(id, channel?.id ?? '', first?.id ?? '', {
        content: `<p>See <at id="0">Kim Ash</at><attachment id="${file.id}"></attachment><attachment id="c1"></attachment></p>`,
        attachments: [file, card],
        mentions: [{ id: 0, mentionText: 'Kim Ash' }],
      });
    });
    const { fixture, office, teams, team, restore, list, top } = bench;
    const [general] = teams.listChannels(team);
    fixture.pass(60_000);
    const [post] = teams.listPosts(team, general?.id ?? '');
    teams.deletePost(team, general?.id ?? '', post?.id ?? '');
    for (const reply of post ? teams.listReplies(post) : [])
      teams.deletePost(team, general?.id ?? '', post?.id ?? '', reply.id);
    const node = (await list(top, 'folders')).find(({ name }) => name === general?.name)?.id ?? '';
    const loss = "Without 1 card, which Microsoft 365 doesn't import. 1 mention becomes text.";
    for (const dryRun of [true, false]) {
      const { results } = await restore([node], { dryRun });
      expect(
        results.filter(({ outcome }) => outcome === 'restored').map(({ message }) => message),
      ).toEqual([expect.stringContaining(loss)]);
    }
    const [restored] = teams
      .listPosts(team, general?.id ?? '')
      .filter(({ deleted_at: deletedAt }) => deletedAt === null);
    const props = restored && readPostProps(restored);
    expect(props?.attachments).toEqual([file]);
    expect(props?.content).toBe(`<p>See Kim Ash<attachment id="${file.id}"></attachment></p>`);
    office.close();
  });

  for (const lacksReply of [false, true])
    test(`RES-48, RES-1, RES-2: a thread differs in which somebody edited ${lacksReply ? 'the post and deleted a reply' : 'a reply'}, and "keep both" writes the former one beside it, once (${kind})`, async () => {
      const bench = await aTeam(await open());
      const { fixture, office, teams, team, restore, list, getThreads, top } = bench;
      const [general] = teams.listChannels(team);
      const channel = general?.id ?? '';
      const post = teams.listPosts(team, channel).find((one) => teams.listReplies(one).length > 0);
      const [reply] = post ? teams.listReplies(post) : [];
      if (!post || !reply) throw new Error('no reply');
      const threads = getThreads(channel);
      fixture.pass(60_000);
      const changed = lacksReply ? undefined : reply.id;
      teams.editPost(team, channel, post.id, '<p>Somebody changed this.</p>', changed);
      if (lacksReply) teams.deletePost(team, channel, post.id, reply.id);
      const edited = getThreads(channel);
      const folders = await list(top, 'folders');
      const node = folders.find(({ name }) => name === general?.name)?.id ?? '';
      if (!lacksReply) {
        const [skipped] = (await restore([node], { onConflict: 'replace' })).results.filter(
          ({ message }) => message !== 'The target already has this item.',
        );
        expect(skipped).toMatchObject({ outcome: 'skipped' });
        expect(getThreads(channel)).toHaveLength(threads.length);
      }
      for (const restored of [1, 0]) {
        const { done } = await restore([node], { onConflict: 'keep-both' });
        expect(done.counts).toMatchObject({ restored, merged: 0, failed: 0 });
        const now = getThreads(channel);
        expect(now).toHaveLength(threads.length + 1);
        for (const thread of [...threads, ...edited]) expect(now).toContainEqual(thread);
      }
      office.close();
    });

  test(`RES-3: what a clean-up removes from the index while a restore runs is reported as failed (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, tenant, office, cloud, teams, team, restore, top } = bench;
    const [general] = teams.listChannels(team);
    fixture.pass(60_000);
    for (const { id } of teams.listTabs(team, general?.id ?? ''))
      teams.removeTab(team, general?.id ?? '', id);
    cloud.isLossy = true;
    // The response to the first write is lost, so the tab is looked up again.
    cloud.onWrite = () =>
      fixture.context.store.tenant(tenant, async ({ sql }) => {
        await sql
          .deleteFrom('item')
          .where('tenant_id', '=', tenant)
          .where('kind', '=', 'tab')
          .execute();
      });
    const { done, results } = await restore([top]);
    expect(results.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThan(0);
    expect(done.result).toBe('warning');
    expect(results).toHaveLength(done.items.total ?? 0);
    office.close();
  });
});

const KEEP_BOTH = { onConflict: 'keep-both' } as const;

/** Replies that were not deleted. */
const countReplies = (rows: readonly string[]): number =>
  rows.filter((one) => one.startsWith('false true')).length;

test('RES-2, RES-47: a thread whose first message was deleted is there, and only its missing replies come back', async () => {
  const bench = await aTeam(await freshStore(ONE), ROLES, (admin, id) => {
    const [general] = admin.listChannels(id);
    const post = admin
      .listPosts(id, general?.id ?? '')
      .find((one) => admin.listReplies(one).length > 1);
    admin.deletePost(id, general?.id ?? '', post?.id ?? '');
  });
  const { fixture, office, teams, team, restore, top } = bench;
  const [general] = teams.listChannels(team);
  if (!general) throw new Error('no channel');
  const list = () =>
    teams
      .listPosts(team, general.id)
      .flatMap((post) => [post, ...teams.listReplies(post)])
      .map((one) => `${one.root_id === null} ${one.deleted_at === null} ${one.created_at}`);
  const before = list();
  const all = { restored: 0, merged: 0, failed: 0 };
  expect((await restore([top], KEEP_BOTH)).done.counts).toMatchObject(all);
  expect(list()).toEqual(before);
  fixture.pass(60_000);
  const deleted = teams.listPosts(team, general.id).find((post) => post.deleted_at !== null);
  const [reply] = deleted ? teams.listReplies(deleted) : [];
  teams.deletePost(team, general.id, deleted?.id ?? '', reply?.id ?? '');
  const counts = { ...all, restored: 1 };
  expect((await restore([top], { dryRun: true })).done.counts).toMatchObject(counts);
  expect((await restore([top])).done.counts).toMatchObject(counts);
  expect(countReplies(list())).toBe(countReplies(before));
  expect((await restore([top])).done.counts).toMatchObject(all);
  office.close();
});

test('RES-2, RES-4, RES-47: members, settings and tabs that differ come back once if both are kept, and an undo takes that back', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 4, 'team');
  const { team } = office.targets;
  const { teams } = office.admin;
  const [general] = teams.listChannels(team);
  const [tab] = teams.listTabs(team, general?.id ?? '');
  const leaver = teams.listMembers(team).find(({ isOwner }) => !isOwner);
  if (!general || !tab || !leaver) throw new Error('The team is too small.');
  const look = () => [
    teams.listMembers(team),
    teams.readSettings(team).description,
    teams.listTabs(team, general.id).map(({ configuration }) => configuration),
  ];
  const { at } = await office.backUp();
  const [members, description, tabs] = look();
  teams.removeMember(team, leaver.personId);
  const [left] = look();
  teams.changeSettings(team, { description: 'Changed' });
  const path = `/teams/${team}/channels/${encodeURIComponent(general.id)}/tabs/${tab.id}`;
  await office.send('PATCH', path, { configuration: { contentUrl: 'https://changed.example' } });
  const changed = look();
  const explorer = await office.open('teams', at);
  const nodes = (await office.walk(explorer)).filter(
    ({ node, path: [channel] }) =>
      node.kind === 'settings' || (node.kind === 'tab' && channel === general.name),
  );
  for (const [parts, expected] of [
    [{ members: true, settings: false }, [members, 'Changed']],
    [{ members: false, settings: true }, [left, description]],
  ] as const) {
    const input: RestoreInput = {
      explorer,
      nodes: nodes.map(({ node }) => node.id),
      target: { kind: 'original' },
      select: 'both',
      onConflict: 'keep-both',
      versions: 'last',
      flags: { ...NO_FLAGS, team: parts },
      dryRun: true,
      reason: null,
    };
    const counts = { restored: 1, merged: 1, skipped: 0, failed: 0 };
    expect((await office.restore(input)).done.counts).toEqual(counts);
    const { task, done } = await office.restore({ ...input, dryRun: false });
    expect(done.counts).toEqual(counts);
    const [nowMembers, nowDescription, nowTabs] = look();
    expect([nowMembers, nowDescription]).toEqual(expected);
    expect(nowTabs).toHaveLength(2);
    expect(nowTabs).toContain(tabs?.[0]);
    const again = await office.restore({ ...input, dryRun: false });
    expect(again.done.counts).toEqual({ restored: 0, merged: 0, skipped: 2, failed: 0 });
    expect([(await office.undo(task)).done.result, look()]).toEqual(['success', changed]);
  }
});

test('RES-1, RES-2, RES-47: files that a removed channel left in the site are not written again, and the channel comes back', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 4, 'team');
  const { team } = office.targets;
  const { teams } = office.admin;
  const find = () => teams.listChannels(team).find(({ name }) => name === 'Deliveries');
  const removed = find();
  const [file, other] = teams.listFiles(team, removed?.id ?? '');
  if (!removed || !file || !other) throw new Error('The team is too small.');
  const { at } = await office.backUp();
  const list = () =>
    teams
      .listFiles(team, find()?.id ?? '')
      .map(({ name, size }) => `${name} ${size}`)
      .toSorted();
  const before = list();
  teams.changeFile(team, removed.id, file.id);
  const path = `/drives/${other.drive_id}/items/${other.id}`;
  await office.send('PATCH', path, { name: 'Renamed.txt' });
  teams.removeChannel(team, removed.id);
  const explorer = await office.open('teams', at);
  const nodes = (await office.walk(explorer)).filter(
    ({ node, path: names }) => node.kind === 'file' && names[0] === 'Deliveries',
  );
  const input: RestoreInput = {
    explorer,
    nodes: nodes.map(({ node }) => node.id),
    target: { kind: 'original' },
    select: 'both',
    onConflict: 'replace',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: true,
    reason: null,
  };
  const counts = { restored: 0, merged: 2, skipped: nodes.length - 2, failed: 0 };
  expect((await office.restore(input)).done.counts).toEqual(counts);
  expect(find()).toBe(undefined);
  expect((await office.restore({ ...input, dryRun: false })).done.counts).toEqual(counts);
  expect(list()).toEqual(before);
  // Of a channel of which nothing else is missing, its files bring it back.
  teams.removeChannel(team, find()?.id ?? '');
  const again = await office.restore({ ...input, dryRun: false });
  expect([again.done.counts.skipped, list()]).toEqual([nodes.length, before]);
});

test('RES-2, RES-47: content of a channel that was renamed comes back into that channel', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 4, 'team');
  const { team } = office.targets;
  const { teams } = office.admin;
  const { at } = await office.backUp();
  const channels = teams.listChannels(team);
  for (const channel of channels.slice(1)) {
    const [post] = teams.listPosts(team, channel.id);
    for (const reply of post ? teams.listReplies(post) : [])
      teams.deletePost(team, channel.id, post?.id ?? '', reply.id);
    teams.deletePost(team, channel.id, post?.id ?? '');
    teams.deleteFile(team, channel.id, teams.listFiles(team, channel.id)[0]?.id ?? '');
    teams.renameChannel(team, channel.id, `New ${channel.name}`);
  }
  const names = teams.listChannels(team).map(({ name }) => name);
  const explorer = await office.open('teams', at);
  const top = (await office.walk(explorer)).find(({ path }) => path.length === 0);
  const input: RestoreInput = {
    explorer,
    nodes: [top?.node.id ?? ''],
    target: { kind: 'original' },
    select: 'both',
    onConflict: 'replace',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: true,
    reason: null,
  };
  const counts = { restored: 4, merged: 0, failed: 0 };
  const dry = await office.restore(input);
  expect(dry.done.counts).toMatchObject(counts);
  expect(
    dry.results.filter(({ message }) =>
      message?.includes('The channel “Deliveries” is named “New Deliveries” now.'),
    ),
  ).toHaveLength(2);
  expect((await office.restore({ ...input, dryRun: false })).done.counts).toMatchObject(counts);
  expect(teams.listChannels(team).map(({ name }) => name)).toEqual(names);
  const again = await office.restore({ ...input, dryRun: false });
  expect(again.done.counts).toMatchObject({ restored: 0, merged: 0, failed: 0 });
});
