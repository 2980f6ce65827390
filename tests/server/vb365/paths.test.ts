import { describe, expect, test } from 'vitest';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
  addRow,
} from '#tests/fakes/vb365/restore-state.ts';
import {
  addChannel,
  addPost,
  addTab,
  addTeam,
  addTeamFile,
} from '#tests/fakes/vb365/team-state.ts';
import { anyDatabase } from '../db/databases.ts';
import { checkPaths, OBJECT_PARAMETERS } from '../restore/paths.ts';
import { startBench } from './bench.ts';

const MINUTE = 60_000;

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    test('RES-20: no call reaches beyond the mailbox, drive, site or team that its path names', async () => {
      const bench = await startBench(version, await open(), ({ content }, organization, now) => {
        for (const name of ['Ann Chovey', 'Ben Dover']) {
          const mailbox = addObject(content, organization, 'mailboxes', name);
          addMail(mailbox, addFolder(mailbox, 'Inbox'), `Mail for ${name}`, now - MINUTE);
          const drive = addObject(content, organization, 'onedrives', name);
          addFile(drive, addFolder(drive, 'Plans'), 'a.txt', now - MINUTE, Buffer.from(name));
        }
        for (const name of ['Plans', 'Yard']) {
          const site = addObject(content, organization, 'sites', name);
          const documents = addFolder(site, 'Documents', null, 'library');
          addFile(
            site,
            addFolder(site, 'Old', documents),
            'a.txt',
            now - MINUTE,
            Buffer.from('old'),
          );
          addFile(site, documents, 'top.txt', now - MINUTE, Buffer.from('at the top'));
          addRow(site, addFolder(site, 'Tasks', null, 'list'), 'Task', now - MINUTE);
          const team = addTeam(content, organization, name);
          const channel = addChannel(team, 'General');
          addTeamFile(team, channel, 'top.txt', Buffer.from('at the top'));
          addPost(team, channel, 'Post', now - MINUTE);
          addTab(team, channel, 'Wiki');
        }
        addPoint(content, organization, now);
      });
      const names: string[] = [];
      const check = async (
        sessionType: keyof typeof OBJECT_PARAMETERS,
        list: string,
        getBelow: (
          find: (path: string, wanted?: string) => Promise<string>,
        ) => Promise<Readonly<Record<string, string | readonly string[]>>>,
      ): Promise<void> => {
        const session = await bench.openSession(sessionType);
        const [first, ...others] = (await bench.list(`${session}/${list}`)).map(({ id }) => id);
        const object = first ?? '';
        const find = async (path: string, wanted?: string): Promise<string> => {
          const rows = await bench.list(`${session}/${list}/${object}/${path}`);
          const row = rows.find(({ name }) => wanted === undefined || name === wanted);
          if (row === undefined) throw new Error(`Nothing is listed by ${path}.`);
          return row.id;
        };
        const parameter = OBJECT_PARAMETERS[sessionType];
        const shown = { options: {}, object, others, below: await getBelow(find) };
        const id = session.replace('restoresessions/', '');
        names.push(...(await checkPaths(bench.admin, id, parameter, shown)));
      };
      await check('Vex', 'mailboxes', async (find) => {
        const folder = await find('folders');
        const item = await find(`items?parentId=${folder}`);
        return { items: [item], itemId: item, folderId: folder, parentId: folder };
      });
      await check('Veod', 'onedrives', async (find) => {
        const folder = await find('folders');
        const file = await find(`folders/${folder}/documents`);
        return { documents: [file], folderId: folder, parentId: folder };
      });
      await check('Vesp', 'sites', async (find) => {
        const library = await find('content', 'Documents');
        const list = await find('content', 'Tasks');
        const row = await find(`items?parentId=${list}`);
        return {
          documents: [await find(`documents?parentId=${library}`)],
          items: [row],
          itemId: row,
          libraryId: library,
          listId: list,
          folderId: await find(`folders?parentId=${library}`),
          parentId: library,
        };
      });
      await check('Vet', 'teams', async (find) => {
        const channel = await find('channels');
        const post = await find(`channels/${channel}/posts`);
        return {
          posts: [post],
          postId: post,
          files: [await find(`channels/${channel}/files`)],
          tabs: [await find(`channels/${channel}/tabs`)],
          channelId: channel,
          parentId: await find(`folders?parentId=${channel}`, 'Files'),
        };
      });
      // Every call of the specification that names an object.
      expect(names.length).toBeGreaterThan(35);
      expect(bench.problems).toEqual([]);
      await bench.stop();
    });
  });
});
