import { expect, test } from 'vitest';
import type { ChannelRow } from '#server/demo/tenant/team-store.ts';
import { allJobs } from '#server/jobs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase, freshStore, ONE } from '../../db/databases.ts';
import { Killed } from '../killed.ts';
import { aTeam, ROLES } from './team-bench.ts';

type Bench = Awaited<ReturnType<typeof aTeam>>;

/** Waits before another attempt take none of the test. */
const LONG_MS = 40_000;
const STAYS = "posts, tabs or files that the restore didn't write, or that changed since then.";
const list = ({ teams, team }: Bench) => teams.listChannels(team).map(({ name }) => name);
const findChannel = ({ teams, team }: Bench, name: string): ChannelRow => {
  const channel = teams.listChannels(team).find((one) => one.name === name);
  if (channel === undefined) throw new Error(`no channel ${name}`);
  return channel;
};

/** People delete a channel of the backup, and a restore creates it again. */
async function restoreChannel(bench: Bench, name: string) {
  const { fixture, teams, team, restore, top } = bench;
  fixture.pass(60_000);
  teams.removeChannel(team, findChannel(bench, name).id);
  fixture.pass(60_000);
  const node = (await bench.list(top, 'folders')).find((one) => one.name === name);
  const { task, done, results } = await restore([node?.id ?? '']);
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(done.result).toBe('success');
  const channel = findChannel(bench, name);
  expect(teams.listPosts(team, channel.id).length).toBeGreaterThan(0);
  fixture.pass(60_000);
  return { task, channel };
}

eachDatabase((kind, open) => {
  for (const name of ['Budget', 'Deliveries'])
    test(`RES-4, RES-47: an undo deletes a channel that the restore created, with its posts, and nothing else (${name}, ${kind})`, async () => {
      const bench = await aTeam(await open());
      const { office, teams, team, undo, listResults } = bench;
      const listFiles = ({ id }: ChannelRow) =>
        teams.listFiles(team, id).map((file) => `${file.id} ${file.size}`);
      const { membership } = findChannel(bench, name);
      const files = listFiles(findChannel(bench, name));
      const { task, channel } = await restoreChannel(bench, name);
      const posts = teams.listPosts(team, channel.id).length;
      const undone = await undo(task);
      expect([undone.result, undone.message, undone.counts.failed]).toEqual(['success', null, 0]);
      expect(list(bench)).not.toContain(name);
      const said = (await listResults(undone.id)).map(({ message }) => message);
      expect(said.filter((one) => one === 'Removed with its channel.')).toHaveLength(posts);
      // Files of a standard channel were there before: they stay when people delete it.
      const next = teams.addChannel(team, name, membership);
      expect(files.length).toBeGreaterThan(0);
      expect(listFiles(next)).toEqual(membership === 'private' ? [] : files);
      office.close();
    });
});

test('RES-48, RES-1: the dry run says that an undo deletes posts with the channel that the restore creates, and no others', async () => {
  const bench = await aTeam(await freshStore(ONE));
  const { fixture, office, teams, team, restore, undo, getThreads, top } = bench;
  fixture.pass(60_000);
  const [general, deliveries, budget] = ['General', 'Deliveries', 'Budget'].map((name) =>
    findChannel(bench, name),
  );
  if (!general || !deliveries || !budget) throw new Error('no channels');
  const posts = teams.listPosts(team, budget.id).length;
  teams.removeChannel(team, budget.id);
  for (const { id } of [general, deliveries]) {
    const [post] = teams.listPosts(team, id);
    for (const reply of post ? teams.listReplies(post) : [])
      teams.deletePost(team, id, post?.id ?? '', reply.id);
    teams.deletePost(team, id, post?.id ?? '');
  }
  // A channel that has another name now is still there.
  teams.renameChannel(team, deliveries.id, 'Shipping');
  const before = getThreads(deliveries.id).length;

  const dry = await restore([top], { dryRun: true });
  const said = dry.results.flatMap(
    ({ message }) => /An undo [^.]*\./.exec(message ?? '')?.[0] ?? [],
  );
  const withChannel =
    'An undo deletes it with its channel, which this restore creates, unless others have used the channel since.';
  expect(said.toSorted()).toEqual([
    "An undo can't remove it.",
    "An undo can't remove it.",
    ...Array.from({ length: posts }, () => withChannel),
  ]);
  const { task } = await restore([top]);
  const undone = await undo(task);
  expect([undone.counts.failed, list(bench).toSorted()]).toEqual([2, ['General', 'Shipping']]);
  expect(getThreads(deliveries.id)).toHaveLength(before + 1);
  office.close();
});

/** What somebody does in the channel before the undo. */
const OTHERS: Readonly<Record<string, (bench: Bench, channel: ChannelRow) => unknown>> = {
  'a post': ({ teams, team }, { id }) => teams.addPost(team, id),
  'a reply': ({ teams, team }, { id }) => teams.addPost(team, id, teams.listPosts(team, id)[0]),
  'a changed post': ({ teams, team }, { id }) =>
    teams.editPost(team, id, teams.listPosts(team, id)[0]?.id ?? '', '<p>New words</p>'),
  'a file': ({ teams, team }, { id }) => teams.addFile(team, id, 'Later.docx'),
  'a changed file': ({ teams, team }, { id }) =>
    teams.changeFile(team, id, teams.listFiles(team, id)[0]?.id ?? ''),
};

for (const name of ['Budget', 'Deliveries'])
  for (const [what, change] of Object.entries(OTHERS))
    test(`RES-4, RES-47: a channel that the restore created stays with ${what} of somebody else, and the undo says so (${name})`, async () => {
      const bench = await aTeam(await freshStore(ONE));
      const { office, teams, team, undo, listFailed } = bench;
      const { task, channel } = await restoreChannel(bench, name);
      change(bench, channel);
      const read = () => bench.getThreads(channel.id);
      const threads = read();
      const undone = await undo(task);
      expect(undone.message).toBe(
        `The restore created this, and it stays: “${name}”. There are ${STAYS}`,
      );
      expect(list(bench)).toContain(name);
      expect(read()).toEqual(threads);
      expect(await listFailed(undone.id)).toContain(
        "Microsoft 365 doesn't let applications delete posts. Delete it in Teams.",
      );
      const files = teams.listFiles(team, channel.id).length;
      if (what.endsWith('file')) expect(files).toBeGreaterThan(0);
      office.close();
    });

test('RES-4, RES-47: the folder of a channel goes with it if it came with it, and an older one stays', async () => {
  for (const isOlder of [true, false]) {
    const bench = await aTeam(await freshStore(ONE));
    const { office, teams, team, undo } = bench;
    const { id, folder_id: folder } = findChannel(bench, 'Deliveries');
    for (const { id: file } of teams.listFiles(team, id)) teams.deleteFile(team, id, file);
    if (!isOlder) teams.deleteFile(team, id, folder);
    const { task, channel } = await restoreChannel(bench, 'Deliveries');
    expect((await undo(task)).counts.failed).toBe(0);
    // A new channel takes the folder of its name.
    const next = teams.addChannel(team, 'Deliveries');
    expect([channel.folder_id === folder, next.folder_id === folder]).toEqual([isOlder, isOlder]);
    expect(next.folder_id === channel.folder_id).toBe(isOlder);
    office.close();
  }
});

test('RES-4, RES-47: a channel that somebody deletes before the undo is gone, and without the permission to delete it stays', async () => {
  const without = ROLES.filter((role) => role !== 'Channel.Delete.All');
  const bench = await aTeam(await freshStore(ONE), without);
  const { office, teams, team, undo, listResults } = bench;
  const denied = await restoreChannel(bench, 'Budget');
  expect((await undo(denied.task)).message).toBe(
    'The restore created this, and it stays: “Budget”. To delete channels, an undo needs the permission Channel.Delete.All. You can also delete them in Teams.',
  );
  expect(list(bench)).toContain('Budget');
  const gone = await restoreChannel(bench, 'Budget');
  teams.removeChannel(team, gone.channel.id);
  const undone = await undo(gone.task);
  expect([undone.result, undone.message, undone.counts.failed]).toEqual(['success', null, 0]);
  const said = (await listResults(undone.id)).map(({ message }) => message);
  expect(said).not.toContain('Removed with its channel.');
  office.close();
});

test('RES-5, RES-4: an undo that loses the response when it deletes a channel ends as without loss', async () => {
  const bench = await aTeam(await freshStore(ONE), ROLES, undefined, LONG_MS);
  const { fixture, office, undo, listResults } = bench;
  const { task } = await restoreChannel(bench, 'Budget');
  let isLost = false;
  let downUntil = 0;
  const { clock, cloud } = fixture.context;
  cloud.connectTo(async (request) => {
    if (clock.now() < downUntil) throw new TypeError('fetch failed');
    const response = await office.fetch(request);
    const isChannel = request.method === 'DELETE' && /\/channels\/[^/]+$/.test(request.url);
    if (!isChannel || isLost) return response;
    isLost = true;
    downUntil = clock.now() + 300_000;
    throw new TypeError('fetch failed');
  });
  const undone = await undo(task);
  expect([isLost, undone.result, undone.message, undone.counts.failed]).toEqual([
    true,
    'success',
    null,
    0,
  ]);
  expect(list(bench)).not.toContain('Budget');
  const said = (await listResults(undone.id)).map(({ message }) => message);
  expect(said).toContain('Removed with its channel.');
  office.close();
});

/** A restore has created a channel whose folder came with it. */
async function aChannelWithFolder() {
  const bench = await aTeam(await freshStore(ONE), ROLES, undefined, LONG_MS);
  const { teams, team } = bench;
  const { id, folder_id: folder } = findChannel(bench, 'Deliveries');
  for (const { id: file } of teams.listFiles(team, id)) teams.deleteFile(team, id, file);
  teams.deleteFile(team, id, folder);
  return { ...bench, ...(await restoreChannel(bench, 'Deliveries')) };
}
type Scene = Awaited<ReturnType<typeof aChannelWithFolder>>;

/** Whether a request deletes the channel, or its folder. */
const DELETES = {
  'the channel': ({ pathname }: URL) => /\/channels\/[^/]+$/.test(pathname),
  'its folder': ({ pathname }: URL, folder: string) => pathname.endsWith(`/items/${folder}`),
} as const;
type Deleted = keyof typeof DELETES;

/** Undoes the restore in a process that is killed when it deletes something, before it or after it. */
async function undoUntil(
  { fixture, office, tenant, startUndo, task, channel }: Scene,
  what: Deleted,
  when: 'before' | 'after',
) {
  const undo = await startUndo(task);
  const { context } = fixture;
  let isDead = false;
  context.cloud.connectTo(async (request) => {
    if (isDead) throw new Killed('The process has ended.');
    isDead = request.method === 'DELETE' && DELETES[what](new URL(request.url), channel.folder_id);
    if (isDead && when === 'before') throw new Killed('The process has ended.');
    const response = await office.fetch(request);
    if (isDead) throw new Killed('The process has ended.');
    return response;
  });
  const store: Store = {
    ...context.store,
    tenant: (id, work, how) =>
      isDead
        ? Promise.reject(new Killed('The process has ended.'))
        : context.store.tenant(id, work, how),
  };
  const process = allJobs({ ...context, store })['restore-task']({
    tenant,
    payload: { task: undo },
    now: context.clock.now(),
    lease: context.chance.uuid(),
    signal: new AbortController().signal,
  });
  await expect(process).rejects.toThrow(Killed);
  context.cloud.connectTo((request) => office.fetch(request));
  return undo;
}

test('RES-5, RES-4: an undo that is killed before or after it deletes a channel or its empty folder deletes both', async () => {
  for (const what of ['the channel', 'its folder'] as const)
    for (const when of ['before', 'after'] as const) {
      const scene = await aChannelWithFolder();
      const { office, teams, team, end, listResults, channel } = scene;
      const undone = await end(await undoUntil(scene, what, when));
      const about = `${when} ${what}`;
      expect([about, undone.result, undone.message, undone.counts.failed]).toEqual([
        about,
        'success',
        null,
        0,
      ]);
      expect(list(scene)).not.toContain('Deliveries');
      const said = (await listResults(undone.id)).map(({ message }) => message);
      expect(said).toContain('Removed with its channel.');
      // A new channel takes the folder of its name.
      const next = teams.addChannel(team, 'Deliveries');
      expect([about, next.folder_id === channel.folder_id]).toEqual([about, false]);
      office.close();
    }
});

test('RES-5, RES-4: an undo leaves the folder of a channel to one that somebody has created since it was killed', async () => {
  const scene = await aChannelWithFolder();
  const { office, teams, team, end, channel } = scene;
  const undo = await undoUntil(scene, 'the channel', 'after');
  const other = teams.addChannel(team, 'Deliveries');
  expect(other.folder_id).toBe(channel.folder_id);
  expect((await end(undo)).result).toBe('success');
  teams.removeChannel(team, other.id);
  expect(teams.addChannel(team, 'Deliveries').folder_id).toBe(channel.folder_id);
  office.close();
});

test('RES-5, RES-4: an undo whose tenant is away when it deletes the folder of a channel deletes it later', async () => {
  const scene = await aChannelWithFolder();
  const { fixture, office, teams, team, undo, task, channel } = scene;
  const { clock, cloud } = fixture.context;
  let downUntil = 0;
  cloud.connectTo(async (request) => {
    const isFolder = DELETES['its folder'](new URL(request.url), channel.folder_id);
    if (request.method === 'DELETE' && isFolder && downUntil === 0)
      downUntil = clock.now() + 300_000;
    if (clock.now() < downUntil) throw new TypeError('fetch failed');
    return office.fetch(request);
  });
  const undone = await undo(task);
  expect([downUntil > 0, undone.result, undone.message]).toEqual([true, 'success', null]);
  expect(teams.addChannel(team, 'Deliveries').folder_id).not.toBe(channel.folder_id);
  office.close();
});
