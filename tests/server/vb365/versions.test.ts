import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
  addRow,
} from '#tests/fakes/vb365/restore-state.ts';
import { addChannel, addTeam, addTeamFile } from '#tests/fakes/vb365/team-state.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Bench, startBench } from './bench.ts';

const MINUTE = 60_000;
interface Version {
  readonly id: string;
  readonly name: string;
  readonly at: number;
  readonly sizeBytes: number | null;
}

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let bench: Bench;
    let began = 0;

    beforeAll(async () => {
      bench = await startBench(version, await open(), ({ content }, organization, now) => {
        began = now;
        // The server doesn't say in which order it lists them.
        const earlier = [2, 1, 3].map((n) => ({
          version: `${n}.0`,
          versionId: n * 512,
          at: now - (10 - n) * MINUTE,
          bytes: Buffer.from(`text of version ${n}`),
        }));
        const drive = addObject(content, organization, 'onedrives', 'Ann Chovey');
        const file = (
          place: Parameters<typeof addFile>[0],
          folder: Parameters<typeof addFile>[1],
        ) =>
          Object.assign(
            addFile(
              place,
              folder,
              'plan.txt',
              now - MINUTE,
              Buffer.from('the present text'),
              earlier,
            ).row,
            { version: '4.0', versionId: 2_048 },
          );
        file(drive, addFolder(drive, 'Plans'));
        const site = addObject(content, organization, 'sites', 'Site');
        file(site, addFolder(site, 'Documents', null, 'library'));
        const row = addRow(site, addFolder(site, 'Tasks', null, 'list'), 'A task', now - MINUTE);
        Object.assign(row, { versions: [{ ...earlier[1], bytes: Buffer.alloc(0) }] });
        const team = addTeam(content, organization, 'Flight');
        addTeamFile(
          team,
          addChannel(team, 'General'),
          'plan.txt',
          Buffer.from('the present text'),
          {
            versions: earlier.map((one) => ({ ...one, versionId: one.versionId + 1 })),
          },
        );
        const mailbox = addObject(content, organization, 'mailboxes', 'Ann Chovey');
        addMail(mailbox, addFolder(mailbox, 'Inbox'), 'A mail', now - MINUTE);
        addPoint(content, organization, now);
      });
    });
    afterAll(() => bench.stop());

    const first = async (path: string): Promise<string> => (await bench.list(path))[0]?.id ?? '';
    const getVersions = async (session: string, item: string): Promise<readonly Version[]> =>
      (await bench.ask<{ rows: Version[] }>(`${session}/versions?itemId=${item}`)).rows;
    const openDrive = async () => {
      const session = await bench.openSession('Veod');
      const drive = `${session}/onedrives/${await first(`${session}/onedrives`)}`;
      const folder = await first(`${drive}/folders`);
      const item = await first(`${drive}/folders/${folder}/documents`);
      return { session, drive, item };
    };
    const openSite = async () => {
      const session = await bench.openSession('Vesp');
      const site = `${session}/sites/${await first(`${session}/sites`)}`;
      const [library, list] = (await bench.list(`${site}/content`)).map(({ id }) => id);
      const item = await first(`${site}/documents?parentId=${library ?? ''}`);
      const row = await first(`${site}/items?parentId=${list ?? ''}`);
      return { session, site, item, row };
    };
    const finish = async (taskId: string): Promise<string | null> => {
      for (let n = 0; n < 10; n += 1) {
        await bench.jobs.tick();
        const task = await bench.ask<{ state: string; result: string | null }>(
          `tasks/${taskId}?organizationId=${bench.organizationId}`,
        );
        if (task.state === 'done') return task.result;
        bench.fixture.pass(5_000);
      }
      throw new Error('the restore does not end');
    };
    const restore = async (path: string, body: object): Promise<void> => {
      const { taskId } = await bench.ask<{ taskId: string }>(path, body);
      expect(await finish(taskId)).toBe('success');
    };

    test('VB365-52: files have the present version and the earlier ones, the newest first', async () => {
      for (const { session, item } of [await openDrive(), await openSite()]) {
        const versions = await getVersions(session, item);
        expect(versions[0]?.id).toBe(item);
        expect(versions.map(({ at }) => began - at)).toEqual([1, 7, 8, 9].map((n) => n * MINUTE));
        expect(new Set(versions.map(({ id }) => id)).size).toBe(4);
        expect(versions.map(({ sizeBytes }) => sizeBytes)).toEqual([16, 17, 17, 17]);
        // Those of a version are those of its item.
        expect(await getVersions(session, versions[2]?.id ?? '')).toEqual(versions);
      }
      const { session, row } = await openSite();
      expect(await getVersions(session, row)).toHaveLength(2);
    });

    test('VB365-52: two versions are compared, and one is downloaded byte for byte', async () => {
      for (const { session, item, ...place } of [await openDrive(), await openSite()]) {
        const [, third, second] = await getVersions(session, item);
        const compared = await bench.ask<{ isSameContent: boolean; lines: object[] }>(
          `${session}/versions/compare?beforeId=${second?.id ?? ''}&afterId=${third?.id ?? ''}`,
        );
        expect(compared).toMatchObject({
          isSameContent: false,
          lines: [
            { kind: 'removed', text: 'text of version 2' },
            { kind: 'added', text: 'text of version 3' },
          ],
        });
        const base = 'drive' in place ? place.drive : place.site;
        const started = await bench.startDownload(`${base}/documents/download`, {
          documents: [second?.id],
          downloadInBackground: true,
        });
        const download = await bench.finishDownload(started.id);
        expect([download.state, download.name]).toEqual(['ready', 'plan.txt']);
        expect(String(await bench.readFile(download))).toBe('text of version 2');
      }
    });

    test('VB365-52: the server restores one version, and no other', async () => {
      const { restored } = bench.server.content;
      const { session, drive, item } = await openDrive();
      await bench.signIn('Veod');
      const [present, third, second] = await getVersions(session, item);
      restored.length = 0;
      await restore(`${drive}/documents/restore`, {
        documents: [second?.id],
        documentAction: 'Overwrite',
      });
      expect(restored.map(({ title }) => title)).toEqual(['plan.txt 2.0']);
      const both = await bench.refuse(`${drive}/documents/restore`, {
        documents: [present?.id, third?.id],
        documentAction: 'Overwrite',
      });
      expect(both).toEqual([400, expect.stringContaining('one version at a time')]);

      const { session: inSite, site, item: document, row } = await openSite();
      await bench.signIn('Vesp');
      restored.length = 0;
      const [, newest] = await getVersions(inSite, document);
      await restore(`${site}/documents/restore`, { documents: [newest?.id] });
      const [, task] = await getVersions(inSite, row);
      await restore(`${site}/items/restore`, { items: [task?.id] });
      expect(restored.map(({ title }) => title)).toEqual(['plan.txt 3.0', 'A task 1.0']);
    });

    test('VB365-52: files of teams have versions that are only listed; mails have none', async () => {
      const session = await bench.openSession('Vet');
      const team = `${session}/teams/${await first(`${session}/teams`)}`;
      const channel = await first(`${team}/channels`);
      const files = await first(`${team}/folders?parentId=${channel}`);
      const item = await first(`${team}/items?parentId=${files}`);
      const versions = await getVersions(session, item);
      expect(versions).toHaveLength(4);
      const refused = await bench.refuse(`${team}/files/download`, {
        files: [versions[1]?.id],
        downloadInBackground: true,
      });
      expect(refused).toEqual([409, expect.stringContaining("Single versions aren't available")]);
      const mails = await bench.openSession('Vex');
      const mailbox = `${mails}/mailboxes/${await first(`${mails}/mailboxes`)}`;
      const inbox = await first(`${mailbox}/folders`);
      const mail = await first(`${mailbox}/items?parentId=${inbox}`);
      const none = await bench.admin('GET', `o365/restore/${mails}/versions?itemId=${mail}`);
      expect([none.status, none.text]).toEqual([
        409,
        expect.stringContaining('files and rows only'),
      ]);
    });

    test('VB365-52: nobody else has them, and each request is one that the version publishes', async () => {
      const { session, item } = await openDrive();
      const other = await bench.office.as('reader', ['o365_admin']);
      const foreign = await other('GET', `o365/restore/${session}/versions?itemId=${item}`);
      expect(foreign.status).toBe(404);
      expect(bench.problems).toEqual([]);
    });
  });
});
