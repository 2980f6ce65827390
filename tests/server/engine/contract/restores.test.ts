import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { eachDatabase } from '../../db/databases.ts';
import { type EngineCase, ENGINES } from './engines.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly sizeBytes: number | null;
}
interface Page {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly count: number | null;
}
type Background = OutputOf<'getBackgroundDownload'>;
interface Opened {
  readonly id: string;
  readonly point: { readonly id: string; readonly jobId: string; readonly backupTime: number };
  readonly endsAt: number;
}

// What every engine promises of reading backups. The tests of a group follow each other.
eachDatabase((database, open) => {
  describe.each(ENGINES)(`$name on ${database}`, ({ start }) => {
    let engine: EngineCase;
    let session = '';
    beforeAll(async () => {
      engine = await start(await open());
      await ask(`jobs/${engine.jobId}/start`, {});
      engine.pass(60_000);
      await engine.finish();
    });
    afterAll(() => engine.stop());

    const ask = async <T>(path: string, body?: object): Promise<T> => {
      const answer = await engine.admin<T>(
        body === undefined ? 'GET' : 'POST',
        `o365/${path}`,
        body,
      );
      expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
      return answer.body.data;
    };
    const openSession = (sessionType: string, at = engine.context.clock.now()) =>
      ask<Opened>('restore/restoresessions', {
        organizationId: engine.organizationId,
        datetime: at,
        sessionType,
      });
    const download = async (path: string, body: object): Promise<Background> => {
      const { id } = await ask<{ id: string }>(`restore/restoresessions/${session}/${path}`, {
        ...body,
        downloadInBackground: true,
      });
      await engine.settle();
      return ask(`restore/background-downloads/${id}`);
    };
    const list = (path: string): Promise<Page> => ask(`restore/restoresessions/${session}/${path}`);

    test('VB365-14: a restore point is listed, and its session opened and read from top to bottom', async () => {
      const points = await ask<{ rows: Opened['point'][] }>(
        `restore/restorepoints?organizationId=${engine.organizationId}&sessionType=Vex`,
      );
      expect(points.rows).toHaveLength(1);
      const before = await engine.admin('POST', 'o365/restore/restoresessions', {
        organizationId: engine.organizationId,
        datetime: (points.rows[0]?.backupTime ?? 0) - 1,
        sessionType: 'Vex',
      });
      expect(before.status).toBe(404);
      const opened = await openSession('Vex');
      expect(opened.point).toEqual(points.rows[0]);
      expect(opened.point.jobId).toBe(engine.jobId);
      expect(opened.endsAt - engine.context.clock.now()).toBe(3_600_000);
      session = opened.id;

      const mailboxes = await list('mailboxes');
      expect(mailboxes.rows.map(({ kind }) => kind)).toContain('mailbox');
      const found = await list(
        `mailboxes?search=${encodeURIComponent(mailboxes.rows[0]?.name.slice(1) ?? '')}`,
      );
      expect(found.rows.map(({ id }) => id)).toContain(mailboxes.rows[0]?.id);
      const mailbox = mailboxes.rows[0]?.id ?? '';
      const folders = await list(`mailboxes/${mailbox}/folders`);
      const inbox = folders.rows.find(({ name }) => name === 'Inbox')?.id ?? '';
      const whole = await list(`mailboxes/${mailbox}/items?parentId=${inbox}`);
      expect(whole.rows.length).toBeGreaterThan(0);
      // Page by page, each row once.
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: Page = await list(
          `mailboxes/${mailbox}/items?parentId=${inbox}&limit=1${next && `&cursor=${next}`}`,
        );
        seen.push(...page.rows.map(({ id }) => id));
        ({ next } = page);
      }
      expect(seen.toSorted()).toEqual(whole.rows.map(({ id }) => id).toSorted());
      expect(
        (await list(`mailboxes/${mailbox}/items?parentId=${inbox}&offset=1`)).rows,
      ).toHaveLength(whole.rows.length - 1);
      // A search finds it by a word of its name, and nothing by one that nothing has.
      const [first] = whole.rows;
      const one = await list(
        `mailboxes/${mailbox}/items?parentId=${inbox}&search=${encodeURIComponent(first?.name ?? '')}`,
      );
      expect(one.rows.map(({ id }) => id)).toContain(first?.id);
      const none = await list(`mailboxes/${mailbox}/items?parentId=${inbox}&search=zyxwvut`);
      expect([none.rows, none.next]).toEqual([[], null]);
      const other = mailboxes.rows[1]?.id ?? '';
      const path = `restore/restoresessions/${session}/mailboxes/${other}/items?parentId=${inbox}`;
      expect((await engine.admin('GET', `o365/${path}`)).status).toBe(404);

      const [mail] = whole.rows;
      const preview = await ask<{ subject: string; sentAt: number | null; from: object | null }>(
        `restore/restoresessions/${session}/mailboxes/${mailbox}/items/${mail?.id ?? ''}/preview`,
        {},
      );
      expect(preview.subject).toBe(mail?.name);
      expect(preview.from).not.toBeNull();
      expect(preview.sentAt).toBeLessThan(engine.context.clock.now());
    });

    test('VB365-14: a drive has its folders and files, also when it is opened again', async () => {
      const ids: string[][] = [];
      for (const _ of [1, 2]) {
        ({ id: session } = await openSession('Veod'));
        const [drive] = (await list('onedrives')).rows;
        expect(drive?.kind).toBe('drive');
        const folders = (await list(`onedrives/${drive?.id ?? ''}/folders`)).rows;
        const top = (await list(`onedrives/${drive?.id ?? ''}/folders/documents`)).rows;
        const inFolders = await Promise.all(
          folders.map(({ id }) => list(`onedrives/${drive?.id ?? ''}/folders/${id}/documents`)),
        );
        const files = [...top, ...inFolders.flatMap(({ rows }) => rows)];
        expect(files.map(({ kind }) => kind)).toContain('file');
        for (const { sizeBytes } of files) expect(sizeBytes).toBeGreaterThan(0);
        ids.push([drive?.id ?? '', ...files.map(({ id }) => id)]);
      }
      expect(ids[0]).toEqual(ids[1]);
    });

    test('VB365-20: a file and a mail are downloaded byte for byte; nobody else has the download', async () => {
      ({ id: session } = await openSession('Veod'));
      const [drive] = (await list('onedrives')).rows;
      const base = `onedrives/${drive?.id ?? ''}`;
      const folders = (await list(`${base}/folders`)).rows.map(({ id }) => `folders/${id}`);
      const pages = await Promise.all(
        ['folders', ...folders].map((path) => list(`${base}/${path}/documents`)),
      );
      const [file] = pages.flatMap(({ rows }) => rows);
      const whole = await download(`${base}/documents/download`, { documents: [file?.id] });
      expect(whole).toMatchObject({
        state: 'ready',
        name: file?.name,
        bytes: { total: file?.sizeBytes },
      });
      const [part] = whole.parts;
      expect([part?.bytes, part?.sha256.length]).toEqual([file?.sizeBytes, 64]);

      ({ id: session } = await openSession('Vex'));
      const [mailbox] = (await list('mailboxes')).rows;
      const inbox = (await list(`mailboxes/${mailbox?.id ?? ''}/folders`)).rows.find(
        ({ name }) => name === 'Inbox',
      );
      const [mail] = (
        await list(`mailboxes/${mailbox?.id ?? ''}/items?parentId=${inbox?.id ?? ''}`)
      ).rows;
      const path = `mailboxes/${mailbox?.id ?? ''}`;
      const msg = await download(`${path}/items/download`, { items: [mail?.id], format: 'msg' });
      expect(msg).toMatchObject({ state: 'ready', format: 'msg' });
      expect(msg.name).toMatch(/\.msg$/);
      const pst = await download(`${path}/folders/${inbox?.id ?? ''}/download`, { format: 'pst' });
      expect(pst).toMatchObject({ state: 'ready', format: 'pst' });
      const other = await engine.office.as('another', ['o365_admin'], [2]);
      expect((await other('GET', `o365/restore/background-downloads/${pst.id}`)).status).toBe(404);
    });

    test('VB365-14: a session is its user’s own, and ends when it is stopped or an hour old', async () => {
      const { id } = await openSession('Vex');
      const path = `o365/restore/restoresessions/${id}`;
      const other = await engine.office.as('reader', ['o365_admin']);
      expect((await other('GET', `${path}/mailboxes`)).status).toBe(404);
      expect((await other('POST', `${path}/stop`, {})).status).toBe(404);
      expect((await engine.admin('POST', `${path}/stop`, {})).status).toBe(200);
      expect((await engine.admin('POST', `${path}/stop`, {})).status).toBe(200);
      const ended = await engine.admin('GET', `${path}/mailboxes`);
      expect([ended.status, ended.text]).toEqual([409, expect.stringContaining('has ended')]);
      ({ id: session } = await openSession('Vex'));
      engine.pass(60 * 60_000 + 1);
      const again = await engine.office.signIn('admin');
      const idle = await again('GET', `o365/restore/restoresessions/${session}/mailboxes`);
      expect(idle.status).toBe(409);
    });
  });
});
