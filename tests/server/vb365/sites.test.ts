import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addFile,
  addFolder,
  addObject,
  addPoint,
  addRow,
} from '#tests/fakes/vb365/restore-state.ts';
import { addDirectoryObject } from '#tests/fakes/vb365/state.ts';
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
    let sites: readonly Listed[] = [];
    let site = '';
    let library = '';
    let tasks = '';
    let folder = '';
    let target = '';

    beforeAll(async () => {
      bench = await startBench(version, await open(), ({ content }, organization, now) => {
        const plans = addObject(content, organization, 'sites', 'Plans');
        const documents = addFolder(plans, 'Documents', null, 'library');
        addFolder(plans, 'Pictures', null, 'library');
        const old = addFolder(plans, 'Old', documents);
        addFile(plans, documents, 'top.txt', now - MINUTE, Buffer.from('at the top'));
        for (const name of ['a.txt', 'b.txt'])
          addFile(plans, old, name, now - MINUTE, Buffer.from(`content of ${name}`));
        const list = addFolder(plans, 'Tasks', null, 'list');
        for (let n = 1; n <= 5; n += 1) addRow(plans, list, `Task ${n}`, now - n * MINUTE);
        addRow(plans, addFolder(plans, 'Done', list), 'Task done', now - MINUTE);
        const below = addObject(content, organization, 'sites', 'Below', plans.id);
        addFile(
          below,
          addFolder(below, 'Documents', null, 'library'),
          'below.txt',
          now - MINUTE,
          Buffer.from('below'),
        );
        addObject(content, organization, 'sites', 'Other');
        target = addDirectoryObject(content, organization, 'sites', 'Other').id;
        addPoint(content, organization, now);
      });
      base = `${await bench.openSession('Vesp')}/sites`;
      sites = await bench.list(base);
      site = `${base}/${sites[0]?.id ?? ''}`;
      const parts = await bench.list(`${site}/content`);
      [library = ''] = parts.map(({ id }) => id);
      tasks = parts.find(({ name }) => name === 'Tasks')?.id ?? '';
      [folder = ''] = (await bench.list(`${site}/folders?parentId=${library}`)).map(({ id }) => id);
    });
    afterAll(() => bench.stop());

    const names = async (path: string): Promise<string[]> =>
      (await bench.list(path)).map(({ name }) => name);
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

    test('VB365-25: sites are listed at their level, with their libraries and lists, page by page', async () => {
      expect(sites.map(({ name }) => name)).toEqual(['Plans', 'Other']);
      expect(await names(`${base}?parentId=${sites[0]?.id ?? ''}`)).toEqual(['Below']);
      expect(await names(`${base}?search=elo`)).toEqual(['Below']);
      const parts: Listed[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: { rows: Listed[]; next: string | null } = await bench.ask(
          `${site}/content?limit=1${next && `&cursor=${next}`}`,
        );
        expect(page.rows.length).toBeLessThanOrEqual(1);
        parts.push(...page.rows);
        ({ next } = page);
      }
      expect(parts.map(({ kind, name }) => [kind, name])).toEqual([
        ['library', 'Documents'],
        ['library', 'Pictures'],
        ['list', 'Tasks'],
      ]);
    });

    test('RES-20: an offset leaves rows out, and a count is of all rows or unknown', async () => {
      for (const [path, all] of [
        ['content', 3],
        [`documents?parentId=${library}`, 1],
        [`items?parentId=${tasks}`, 5],
        [`documents?parentId=${tasks}`, 0],
        [`items?parentId=${library}`, 0],
      ] as const)
        for (let offset = 0; offset <= all + 2; offset += 1) {
          const range = `${path.includes('?') ? '&' : '?'}offset=${offset}`;
          const page = await bench.ask<{ rows: Listed[]; count: number | null }>(
            `${site}/${path}${range}`,
          );
          expect([path, offset, page.rows.length]).toEqual([
            path,
            offset,
            Math.max(0, all - offset),
          ]);
          expect([path, offset, page.count ?? all]).toEqual([path, offset, all]);
          if (offset === 0) expect([path, page.count]).toEqual([path, all]);
        }
    });

    test('VB365-25: libraries and lists are read to the last file and row, also in folders', async () => {
      expect(await names(`${site}/folders?parentId=${library}`)).toEqual(['Old']);
      expect(await names(`${site}/documents?parentId=${library}`)).toEqual(['top.txt']);
      expect(await names(`${site}/documents?parentId=${folder}`)).toEqual(['a.txt', 'b.txt']);
      const rows = await bench.list(`${site}/items?parentId=${tasks}`);
      expect(rows.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `Task ${n}`));
      const [done] = await bench.list(`${site}/folders?parentId=${tasks}`);
      expect(done).toMatchObject({ kind: 'list', name: 'Done' });
      expect(await names(`${site}/items?parentId=${done?.id ?? ''}`)).toEqual(['Task done']);
      const row = await bench.ask<{ title: string; fields: { label: string; value: string }[] }>(
        `${site}/items/${rows[0]?.id ?? ''}`,
      );
      expect(row.fields.map(({ label, value }) => [label, value])).toEqual(
        expect.arrayContaining([
          ['Title', 'Task 1'],
          ['Created by', 'Ann Chovey'],
          ['Modified by', 'Ben Dover'],
        ]),
      );
      // Another site has none of it.
      const other = await bench.admin(
        'GET',
        `o365/restore/${base}/${sites[1]?.id ?? ''}/documents?parentId=${folder}`,
      );
      expect(other.status).toBe(404);
    });

    test('VB365-25: the same library and file have the same address in each session', async () => {
      const again = `${await bench.openSession('Vesp')}/sites/${sites[0]?.id ?? ''}`;
      expect((await bench.list(`${again}/content`))[0]?.id).toBe(library);
      const files = await bench.list(`${again}/documents?parentId=${folder}`);
      expect(files).toEqual(
        (await bench.list(`${site}/documents?parentId=${folder}`)).map((file) =>
          expect.objectContaining({ id: file.id }),
        ),
      );
    });

    test('VB365-26: a site, a library, a list, a folder, files and rows are restored to their place', async () => {
      const { content } = bench.server;
      expect(await bench.refuse(`${site}/restore`, {})).toEqual([
        403,
        expect.stringContaining('Sign in with a code'),
      ]);
      base = `${await bench.openSession('Vesp')}/sites`;
      site = `${base}/${sites[0]?.id ?? ''}`;
      await bench.signIn('Vesp');
      const documents = (await bench.list(`${site}/documents?parentId=${folder}`)).map(
        ({ id }) => id,
      );
      const rows = (await bench.list(`${site}/items?parentId=${tasks}`)).map(({ id }) => id);
      const inLibrary = ['a.txt', 'b.txt', 'top.txt'];
      const inList = ['Task 1', 'Task 2', 'Task 3', 'Task 4', 'Task 5', 'Task done'];
      for (const [path, body, titles] of [
        ['restore', {}, [...inLibrary, ...inList]],
        ['restore', { restoreSubsites: true }, [...inLibrary, ...inList, 'below.txt']],
        [`libraries/${library}/restore`, {}, inLibrary],
        [`lists/${tasks}/restore`, { changedItems: false, restorePermissions: true }, inList],
        [`folders/${folder}/restore`, {}, inLibrary.slice(0, 2)],
        ['documents/restore', { documents: documents.slice(0, 1) }, ['a.txt']],
        ['documents/restore', { documents }, ['a.txt', 'b.txt']],
        ['items/restore', { items: rows.slice(0, 1) }, ['Task 1']],
        ['items/restore', { items: rows.slice(0, 2) }, ['Task 1', 'Task 2']],
      ] as const) {
        content.restored.splice(0);
        const { taskId } = await bench.ask<{ taskId: string }>(`${site}/${path}`, body);
        const task = await finish(taskId);
        expect([path, task.result]).toEqual([path, 'success']);
        expect(content.restored.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
        expect(content.restored.every(({ to }) => to === null)).toBe(true);
      }
      const sent = bench.server.outside.asked.findLast(({ path }) =>
        /Lists\/.*restore$/.test(path),
      );
      expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({
        changedItems: false,
        deletedItems: true,
        documentVersion: 'Last',
        documentLastVersionAction: 'Overwrite',
        restorePermissions: true,
      });
    });

    test('VB365-26: what the tenant refuses is named, and another site is written to by its URL or from the picker', async () => {
      const { content } = bench.server;
      content.refusedItems.add('Task 2');
      const { taskId } = await bench.ask<{ taskId: string }>(`${site}/lists/${tasks}/restore`, {});
      expect(await finish(taskId)).toMatchObject({
        result: 'warning',
        counts: { restored: 5, failed: 1 },
      });
      content.refusedItems.clear();
      bench.admin = await bench.office.signIn('admin');
      for (const [more, to] of [
        [
          { siteURL: 'https://example.sharepoint.com/sites/new' },
          'https://example.sharepoint.com/sites/new',
        ],
        [{ site: target }, `https://example.sharepoint.com/sites/${target}`],
      ] as const) {
        content.restored.splice(0);
        const answer = await bench.ask<{ taskId: string }>(`${site}/folders/${folder}/restore`, {
          ...more,
          reason: 'A move',
        });
        expect((await finish(answer.taskId)).result).toBe('success');
        expect(new Set(content.restored.map((one) => one.to))).toEqual(new Set([to]));
      }
      const { length } = bench.server.outside.asked;
      for (const [path, more, words] of [
        [`folders/${folder}/restore`, { changedItems: false }, 'restores all'],
        [
          'restore',
          { site: target, restorePermissions: true, reason: 'x' },
          'does not offer this here',
        ],
        ['restore', { onConflict: 'skip' }, "can't skip existing items"],
        ['restore', { site: target, folder: 'Sub', reason: 'x' }, 'Leave the folder empty'],
      ] as const)
        expect([path, await bench.refuse(`${site}/${path}`, more)]).toEqual([
          path,
          [400, expect.stringContaining(words)],
        ]);
      const restores = bench.server.outside.asked.slice(length).map(({ path }) => path);
      expect(restores.filter((path) => /restore(?:To)?$/i.test(path))).toEqual([]);
    });

    test('VB365-27: a library, a folder and files of a site are downloaded; sites, lists and rows are refused', async () => {
      const [file] = await bench.list(`${site}/documents?parentId=${folder}`);
      const single = await bench.startDownload(`${site}/documents/download`, {
        documents: [file?.id],
      });
      expect((await bench.readFile(await bench.finishDownload(single.id))).toString()).toBe(
        'content of a.txt',
      );
      const documents = (await bench.list(`${site}/documents?parentId=${folder}`)).map(
        ({ id }) => id,
      );
      for (const [path, body] of [
        [`libraries/${library}/download`, {}],
        [`folders/${folder}/download`, {}],
        ['documents/download', { documents }],
      ] as const) {
        const { id, name } = await bench.startDownload(`${site}/${path}`, body);
        expect(name).toMatch(/\.zip$/);
        const bytes = await bench.readFile(await bench.finishDownload(id));
        expect([path, bytes.includes('content of b.txt')]).toEqual([path, true]);
      }
      for (const path of [
        `libraries/${tasks}/download`,
        `libraries/${sites[0]?.id ?? ''}/download`,
      ])
        expect(await bench.refuse(`${site}/${path}`, {})).toEqual([
          409,
          expect.stringContaining('libraries, folders and files of sites only'),
        ]);
      const size = await bench.ask<object>(`${base}/download-size`, { nodes: [library] });
      expect(size).toEqual({ items: 3, bytes: 42, isExact: true });
      expect(bench.problems).toEqual([]);
    });
  });
});
