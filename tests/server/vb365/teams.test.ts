import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPoint } from '#tests/fakes/vb365/restore-state.ts';
import {
  addChannel,
  addPost,
  addTab,
  addTeam,
  addTeamFile,
} from '#tests/fakes/vb365/team-state.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Bench, type Listed, startBench } from './bench.ts';

const MINUTE = 60_000;
interface TaskOut {
  readonly state: string;
  readonly result: string | null;
  readonly counts: object;
}

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let bench: Bench;
    let base = '';
    let team = '';
    let teams: readonly Listed[] = [];
    let [general, secret, plans] = ['', '', ''];

    const find = async (path: string, wanted: string): Promise<string> =>
      (await bench.list(path)).find(({ name }) => name === wanted)?.id ?? '';
    const names = async (path: string): Promise<string[]> =>
      (await bench.list(path)).map(({ name }) => name);
    const files = (): Promise<string> => find(`${team}/folders?parentId=${general}`, 'Files');
    const tabs = (): Promise<string> => find(`${team}/folders?parentId=${general}`, 'Tabs');

    beforeAll(async () => {
      bench = await startBench(version, await open(), ({ content }, organization, now) => {
        const flight = addTeam(content, organization, 'Flight');
        addTeam(content, organization, 'Other');
        const main = addChannel(flight, 'General');
        const hidden = addChannel(flight, 'Secret', 'Private');
        const folder = addTeamFile(flight, main, 'Plans', null);
        const parentId = folder.id;
        addTeamFile(flight, main, 'a.txt', Buffer.from('content of a.txt'), {
          parentId,
          present: 'changed',
        });
        addTeamFile(flight, main, 'b.txt', Buffer.from('content of b.txt'), { parentId });
        addTeamFile(flight, main, 'top.txt', Buffer.from('at the top'));
        addTeamFile(flight, main, 'same.txt', Buffer.from('as it is'), { present: 'same' });
        addTeamFile(flight, main, 'later.txt', Buffer.from('later'), { from: now + 60 * MINUTE });
        addTeamFile(flight, hidden, 'secret.txt', Buffer.from('hidden'));
        for (let n = 1; n <= 5; n += 1) addPost(flight, main, `Post ${n}`, now - n * MINUTE);
        addPost(flight, main, 'Gone', now - 6 * MINUTE, { isDeleted: true });
        for (const n of [1, 2])
          addPost(flight, main, `Reply ${n}`, now - n * 1_000, {
            parentId: now - 5 * MINUTE,
            author: 'Ben Dover',
            text: `Reply number ${n}`,
          });
        // The same id as a post of the other channel.
        addPost(flight, hidden, 'Hidden', now - 5 * MINUTE, { text: 'Nobody may read this' });
        addTab(flight, main, 'Wiki');
        addTab(flight, main, 'Board', 'changed');
        addPoint(content, organization, now);
      });
      base = `${await bench.openSession('Vet')}/teams`;
      teams = await bench.list(base);
      team = `${base}/${teams[0]?.id ?? ''}`;
      [general = '', secret = ''] = (await bench.list(`${team}/channels`)).map(({ id }) => id);
      plans = await find(`${team}/folders?parentId=${await files()}`, 'Plans');
    });
    afterAll(() => bench.stop());

    const finish = async (taskId: string): Promise<TaskOut> => {
      for (let n = 0; n < 10; n += 1) {
        await bench.jobs.tick();
        const task = await bench.ask<TaskOut>(
          `tasks/${taskId}?organizationId=${bench.organizationId}`,
        );
        if (task.state === 'done') return task;
        bench.fixture.pass(5_000);
      }
      throw new Error('the restore does not end');
    };

    test('VB365-28: teams and their channels are listed, and each channel with its files and tabs', async () => {
      expect(teams.map(({ kind, name }) => [kind, name])).toEqual([
        ['team', 'Flight'],
        ['team', 'Other'],
      ]);
      expect(await names(`${base}?search=LIG`)).toEqual(['Flight']);
      const channels = await bench.list(`${team}/channels`);
      expect(channels).toMatchObject([
        { kind: 'channel', name: 'General', membership: 'standard' },
        // Version 7 doesn't say it.
        { kind: 'channel', name: 'Secret', membership: version === 'v8' ? 'private' : 'standard' },
      ]);
      expect(await bench.list(`${team}/folders?parentId=${general}`)).toMatchObject([
        { kind: 'dir', name: 'Files', holds: 'files' },
        { kind: 'dir', name: 'Tabs', holds: 'tabs' },
      ]);
      expect(await names(`${base}/${teams[1]?.id ?? ''}/channels`)).toEqual([]);
    });

    test('VB365-28: files are read page by page without the folders among them, also in folders', async () => {
      const top = await files();
      expect(await names(`${team}/folders?parentId=${top}`)).toEqual(['Plans']);
      const first = await bench.ask<{ rows: Listed[]; next: string | null }>(
        `${team}/items?parentId=${top}&limit=1`,
      );
      expect(first.rows.map(({ name }) => name)).toEqual(['top.txt']);
      expect(await names(`${team}/items?parentId=${top}&cursor=${first.next ?? ''}`)).toEqual([
        'same.txt',
      ]);
      expect(await names(`${team}/items?parentId=${plans}`)).toEqual(['a.txt', 'b.txt']);
      expect(await names(`${team}/channels/${secret}/files`)).toEqual(['secret.txt']);
      const parts = [0, 1, 2].map((n) =>
        names(`${team}/channels/${general}/files?offset=${n}&limit=1`),
      );
      expect((await Promise.all(parts)).flat()).toEqual(['Plans', 'top.txt', 'same.txt']);
      expect(await bench.list(`${team}/channels/${general}/tabs`)).toMatchObject([
        { kind: 'tab', name: 'Wiki', app: 'Website' },
        { kind: 'tab', name: 'Board', app: 'Website' },
      ]);
      // Another team has none of it.
      const other = await bench.admin(
        'GET',
        `o365/restore/${base}/${teams[1]?.id ?? ''}/items?parentId=${plans}`,
      );
      expect(other.status).toBe(404);
      // Nor has another channel: with its own folder it lists that.
      const list = async (channel: string, parent: string): Promise<number> => {
        const path = `${team}/channels/${channel}/files?parentId=${parent}`;
        return (await bench.admin('GET', `o365/restore/${path}`)).status;
      };
      expect(await list(general, plans)).toBe(200);
      for (const [channel, parent] of [
        [secret, plans],
        [secret, top],
        [secret, general],
        [top, plans],
        ['zzz', plans],
      ] as const)
        expect([channel, parent, await list(channel, parent)]).toEqual([channel, parent, 404]);
    });

    test('VB365-28: posts are listed without their replies, and shown with them, as clean as mails', async () => {
      const posts = await bench.list(`${team}/items?parentId=${general}`);
      expect(posts.map(({ name }) => name)).toEqual([
        ...[1, 2, 3, 4, 5].map((n) => `Post ${n}`),
        'Gone',
      ]);
      expect(posts[5]).toMatchObject({ kind: 'post', author: 'Ann Chovey', deleted: true });
      expect(posts[0]).toMatchObject({ deleted: false, replies: null });
      const preview = await bench.ask<{ url: string; replies: number }>(
        `${team}/posts/${posts[4]?.id ?? ''}/preview`,
        {},
      );
      expect(preview).toMatchObject({ subject: 'Post 5', author: 'Ann Chovey', replies: 2 });
      const shown = bench.fixture.context.mailPreviews.bodies.get(preview.url.slice(9))?.content;
      for (const text of ['The text of Post 5.', 'Reply number 1', 'Reply number 2', 'Ben Dover'])
        expect(shown).toContain(text);
      expect(shown).not.toContain('alert');
      // Neither that of the other channel with the same id, nor to another team.
      expect(shown).not.toContain('Nobody may read this');
      const [status] = await bench.refuse(
        `${base}/${teams[1]?.id ?? ''}/posts/${posts[4]?.id ?? ''}/preview`,
        {},
      );
      expect(status).toBe(404);
    });

    test('VB365-28: the same channel, file and post have the same address in each session', async () => {
      const again = `${await bench.openSession('Vet')}/teams/${teams[0]?.id ?? ''}`;
      const ids = async (path: string): Promise<string[]> =>
        (await bench.list(path)).map(({ id }) => id);
      expect(await ids(`${again}/channels`)).toEqual([general, secret]);
      for (const parent of [general, plans])
        expect(await ids(`${again}/items?parentId=${parent}`)).toEqual(
          await ids(`${team}/items?parentId=${parent}`),
        );
    });

    test('VB365-29: a team, a channel, files and tabs are restored to their place, changed and missing ones as chosen', async () => {
      const { content } = bench.server;
      expect(await bench.refuse(`${team}/restore`, {})).toEqual([
        403,
        expect.stringContaining('Sign in with a code'),
      ]);
      base = `${await bench.openSession('Vet')}/teams`;
      team = `${base}/${teams[0]?.id ?? ''}`;
      await bench.signIn('Vet');
      const inPlans = await bench.list(`${team}/items?parentId=${plans}`);
      const [a, b] = inPlans.map(({ id }) => id);
      const wiki = await find(`${team}/channels/${general}/tabs`, 'Wiki');
      const posts = [1, 2, 3, 4, 5].map((n) => `Post ${n}`);
      const inGeneral = ['a.txt', 'b.txt', 'top.txt', ...posts, 'Gone', 'Reply 1', 'Reply 2'];
      const inMain = [...inGeneral, 'Wiki', 'Board'];
      const onlyChanged = { restoreMissingItems: false };
      const onlyMissing = { restoreChangedItems: false };
      for (const [path, body, titles] of [
        ['restore', {}, [...inMain, 'secret.txt', 'Hidden']],
        ['restore', { ...onlyChanged, restoreMembers: true }, ['a.txt', 'Board', 'Members']],
        [
          'restore',
          { ...onlyChanged, restoreSettings: true, restoreMembers: true },
          ['a.txt', 'Board', 'Members', 'Settings'],
        ],
        [`channels/${general}/restore`, {}, inMain],
        [`channels/${secret}/restore`, onlyChanged, []],
        ['files/restore', { files: [await files()] }, ['a.txt', 'b.txt', 'top.txt']],
        ['files/restore', { files: [plans], ...onlyMissing }, ['b.txt']],
        ['files/restore', { files: [a, b] }, ['a.txt', 'b.txt']],
        ['files/restore', { files: [a], fileVersion: 'All' }, ['a.txt']],
        ['tabs/restore', { tabs: [await tabs()] }, ['Wiki', 'Board']],
        ['tabs/restore', { tabs: [wiki] }, ['Wiki']],
        ['tabs/restore', { tabs: [await tabs()], ...onlyMissing }, ['Wiki']],
      ] as const) {
        content.restored.splice(0);
        const { taskId } = await bench.ask<{ taskId: string }>(`${team}/${path}`, body);
        const task = await finish(taskId);
        expect([path, body, task.result]).toEqual([path, body, 'success']);
        expect([path, body, content.restored.map(({ title }) => title).toSorted()]).toEqual([
          path,
          body,
          [...titles].toSorted(),
        ]);
      }
    });

    test('VB365-29: what the tenant refuses is named', async () => {
      const { content } = bench.server;
      content.refusedItems.add('b.txt');
      const { taskId } = await bench.ask<{ taskId: string }>(`${team}/files/restore`, {
        files: [plans],
      });
      expect(await finish(taskId)).toMatchObject({
        result: 'warning',
        counts: { restored: 1, failed: 1 },
      });
      const results = await bench.list(
        `tasks/${taskId}/results?organizationId=${bench.organizationId}`,
      );
      expect(results).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            name: 'b.txt',
            outcome: 'failed',
            message: 'The quota is exceeded.',
          }),
        ]),
      );
      content.refusedItems.clear();
    });

    test('VB365-29: what the server does not offer is refused before anything is sent', async () => {
      const [post] = await bench.list(`${team}/items?parentId=${general}`);
      const top = await files();
      const hidden = await find(`${team}/channels/${secret}/files`, 'secret.txt');
      const { length } = bench.server.outside.asked;
      for (const [path, body, status, words] of [
        ['posts/restore', { posts: [post?.id] }, 409, 'with their channel only'],
        ['files/restore', { files: [plans], onConflict: 'skip' }, 400, 'replaces changed items'],
        ['restore', { onConflict: 'keep-both' }, 400, 'replaces changed items'],
        ['restore', { fileVersion: 'All' }, 400, 'the latest version of each file'],
        ['files/restore', { files: [plans, hidden] }, 400, 'of one channel'],
        ['files/restore', { files: [plans, top] }, 400, 'of one channel'],
        ['files/restore', { files: [plans], dryRun: true }, 409, 'no dry runs'],
        [
          'restore',
          { restoreChangedItems: false, restoreMissingItems: false, restoreMembers: true },
          409,
          'together with their team',
        ],
      ] as const)
        expect([path, body, await bench.refuse(`${team}/${path}`, body)]).toEqual([
          path,
          body,
          [status, expect.stringContaining(words)],
        ]);
      const requests = bench.server.outside.asked.slice(length);
      expect(requests.filter(({ path }) => /restore$/i.test(path))).toEqual([]);
    });

    test('VB365-30: files, folders and posts of a channel are downloaded; teams, channels and tabs are refused', async () => {
      const inPlans = (await bench.list(`${team}/items?parentId=${plans}`)).map(({ id }) => id);
      const posts = (await bench.list(`${team}/items?parentId=${general}`)).map(({ id }) => id);
      const load = async (nodes: readonly string[]): Promise<[string, Buffer]> => {
        const { id } = await bench.startDownload(`${team}/files/download`, { files: nodes });
        const download = await bench.finishDownload(id);
        return [download.parts[0]?.name ?? '', await bench.readFile(download)];
      };
      const [name, single] = await load(inPlans.slice(0, 1));
      expect([name, single.toString()]).toEqual(['a.txt', 'content of a.txt']);
      for (const nodes of [inPlans, [plans], [await files()]]) {
        const [archive, bytes] = await load(nodes);
        expect(archive).toMatch(/\.zip$/);
        expect(bytes.includes('content of b.txt')).toBe(true);
        expect(bytes.includes('at the top')).toBe(nodes.length === 1 && nodes[0] !== plans);
      }
      const [message, msg] = await load(posts.slice(0, 1));
      expect(message).toBe('Post 1.msg');
      expect(msg.subarray(0, 8).toString('hex')).toBe('d0cf11e0a1b11ae1');
      const [several, zip] = await load(posts.slice(0, 2));
      expect(several).toMatch(/\.zip$/);
      expect(zip.includes(Buffer.from('Post 2', 'utf16le'))).toBe(true);
      for (const nodes of [[general], [teams[0]?.id], [await tabs()], [inPlans[0], posts[0]]])
        expect([nodes, await bench.refuse(`${team}/files/download`, { files: nodes })]).toEqual([
          nodes,
          [409, expect.stringContaining('Open a channel to choose them')],
        ]);
      expect(await bench.ask<object>(`${base}/download-size`, { nodes: [plans] })).toEqual({
        items: 2,
        bytes: 32,
        isExact: true,
      });
      // Posts have no sizes.
      expect(await bench.ask<object>(`${base}/download-size`, { nodes: [general] })).toEqual({
        items: 6 + 4 + 2,
        bytes: 32 + 10 + 8,
        isExact: false,
      });
      expect(bench.problems).toEqual([]);
    });
  });
});
