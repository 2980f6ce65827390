import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allJobs } from '#server/jobs.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
} from '#tests/fakes/vb365/restore-state.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addDirectoryObject, addJob, addOrganization } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { getTicks, type Ticks } from '../jobs/ticks.ts';
import { HERE } from '../outbound/listen.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

const MINUTE = 60_000;

interface TaskOut {
  readonly state: string;
  readonly result: string | null;
  readonly message: string | null;
  readonly counts: object;
  readonly items: { readonly done: number; readonly total: number | null };
  readonly canUndo: boolean;
  readonly workload: string;
}

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let fixture: Fixture;
    let office: Office;
    let admin: Asker;
    let server: Vb365Server;
    let problems: readonly string[];
    let jobs: Ticks;
    let organizationId = '';
    let userId = '';
    let session = '';
    let mailbox = '';
    let inbox = '';
    let mails: readonly { readonly id: string; readonly name: string }[] = [];

    beforeAll(async () => {
      fixture = await makeFixture(HERE, await open());
      const now = fixture.context.clock.now();
      server = await startVb365(version, () => fixture.context.clock.now());
      problems = checkTraffic(server);
      const { content } = server;
      const found = addOrganization(content, 'Calloway Freight');
      addJob(content, found, 'Nightly');
      const box = addObject(content, found, 'mailboxes', 'Ann Chovey');
      const folder = addFolder(box, 'Inbox');
      for (const n of [1, 2, 3]) addMail(box, folder, `Mail ${n}`, now - n * MINUTE);
      const drive = addObject(content, found, 'onedrives', 'Ann Chovey');
      const plans = addFolder(drive, 'Plans');
      for (const name of ['a.txt', 'b.txt', 'c.txt'])
        addFile(drive, plans, name, now - MINUTE, Buffer.from(name));
      addObject(content, found, 'onedrives', 'Ben Dover');
      userId = addDirectoryObject(content, found, 'users', 'Ben Dover').id;
      addPoint(content, found, now);
      office = await anOffice(fixture);
      admin = await office.as('admin', ['o365_admin']);
      const imported = await admin<{ rows: { id: string }[] }>(
        'POST',
        'o365/organizations/from-api',
        { apiUrl: server.outside.url, username: USER.name, password: USER.secret, companyId: 1 },
      );
      organizationId = imported.body.data.rows[0]?.id ?? '';
      jobs = makeTicks();
      await jobs.tick();
      session = await openSession('Vex');
      [mailbox = ''] = (await list(`${session}/mailboxes`)).map(({ id }) => id);
      [inbox = ''] = (await list(`${session}/mailboxes/${mailbox}/folders`)).map(({ id }) => id);
      mails = await list(`${session}/mailboxes/${mailbox}/items?parentId=${inbox}`);
    });
    afterAll(async () => {
      await jobs.stop();
      await server.outside.stop();
    });

    const makeTicks = (): Ticks => {
      const handlers = allJobs(fixture.context);
      const alone = { ...fixture.context.store, tenants: () => Promise.resolve([office.tenant]) };
      return getTicks(
        { ...fixture.context, store: alone },
        {
          'vb365-server': handlers['vb365-server'],
          'vb365-restore': handlers['vb365-restore'],
        },
      );
    };
    const ask = async <T>(path: string, body?: object): Promise<T> => {
      const answer = await admin<T>(
        body === undefined ? 'GET' : 'POST',
        `o365/restore/${path}`,
        body,
      );
      expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
      return answer.body.data;
    };
    const refuse = async (path: string, body: object): Promise<[number, string]> => {
      const { status, text } = await admin('POST', `o365/restore/${path}`, body);
      return [status, text];
    };
    const list = async (path: string) =>
      (await ask<{ rows: { id: string; name: string }[] }>(path)).rows;
    const openSession = async (sessionType: string): Promise<string> => {
      fixture.pass(1_000);
      const { id } = await ask<{ id: string }>('restoresessions', {
        organizationId,
        datetime: fixture.context.clock.now(),
        sessionType,
      });
      return `restoresessions/${id}`;
    };
    const getTask = (id: string) => ask<TaskOut>(`tasks/${id}?organizationId=${organizationId}`);
    /** The server and Daybook do all that they have to do. */
    const finish = async (id: string): Promise<TaskOut> => {
      for (let n = 0; n < 10; n += 1) {
        await jobs.tick();
        const task = await getTask(id);
        if (task.state === 'done') return task;
        fixture.pass(5_000);
      }
      throw new Error('the restore does not end');
    };
    const signIn = async (sessionType: string): Promise<void> => {
      const { userCode } = await ask<{ userCode: string }>('devicecode', {
        organizationId,
        sessionType,
      });
      server.content.codes.set(userCode, true);
      expect(await ask('token', { organizationId })).toMatchObject({ state: 'granted' });
    };
    const items = () => `${session}/mailboxes/${mailbox}/items/restore`;

    test('VB365-17: a restore needs the sign-in of an administrator with a code of its session', async () => {
      expect(await refuse(items(), { items: [mails[0]?.id] })).toEqual([
        403,
        expect.stringContaining('Sign in with a code'),
      ]);
      const rights = () =>
        ask<{ missing: string[]; expiresAt: number | null }>(
          `rights?organizationId=${organizationId}&sessionType=Vex`,
        );
      expect((await rights()).missing).toHaveLength(1);
      const code = await ask<{ userCode: string; verificationUrl: string; expiresAt: number }>(
        'devicecode',
        { organizationId, sessionType: 'Vex' },
      );
      expect(code).toMatchObject({ verificationUrl: 'https://microsoft.com/devicelogin' });
      expect(code.expiresAt - fixture.context.clock.now()).toBe(900_000);
      expect(await ask('token', { organizationId })).toMatchObject({ state: 'pending' });
      expect((await rights()).missing).toHaveLength(1);
      server.content.codes.set(code.userCode, true);
      expect(await ask('token', { organizationId })).toMatchObject({
        state: 'granted',
        expiresAt: code.expiresAt,
      });
      expect(await rights()).toMatchObject({ missing: [], expiresAt: code.expiresAt });
      // No table has the code as it is.
      const { rows } = await fixture.context.store.tenant(
        office.tenant,
        async ({ sql, tenant }) => ({
          rows: await sql
            .selectFrom('vb365_explorer')
            .select('code')
            .where('tenant_id', '=', tenant)
            .execute(),
        }),
      );
      expect(JSON.stringify(rows)).not.toContain(code.userCode);
    });

    test('VB365-17: mails are restored to their original location, and what the tenant refuses is named', async () => {
      server.content.refusedItems.add('Mail 2');
      const { taskId } = await ask<{ taskId: string }>(items(), {
        items: mails.slice(0, 2).map(({ id }) => id),
      });
      expect(await getTask(taskId)).toMatchObject({ state: 'queued', workload: 'outlook' });
      const task = await finish(taskId);
      expect(task).toMatchObject({
        result: 'warning',
        counts: { restored: 1, merged: 0, skipped: 0, failed: 1 },
        canUndo: false,
      });
      expect(server.content.restored.map(({ title, to }) => [title, to])).toEqual([
        ['Mail 1', null],
      ]);
      const results = await ask<{ rows: { outcome: string; message: string | null }[] }>(
        `tasks/${taskId}/results?organizationId=${organizationId}`,
      );
      expect(results.rows).toHaveLength(2);
      const refused = results.rows.find(({ outcome }) => outcome === 'failed');
      expect(refused?.message).toContain('The quota is exceeded.');
      expect((await list(`tasks?organizationId=${organizationId}`)).map(({ id }) => id)).toEqual([
        taskId,
      ]);
      expect(await refuse(`tasks/${taskId}/undo`, { organizationId })).toEqual([
        409,
        expect.stringContaining('undo'),
      ]);
      server.content.refusedItems.clear();
    });

    test('VB365-17: a folder and a mailbox are restored whole', async () => {
      for (const path of [`folders/${inbox}/restore`, 'restore']) {
        server.content.restored.splice(0);
        const { taskId } = await ask<{ taskId: string }>(
          `${session}/mailboxes/${mailbox}/${path}`,
          {},
        );
        expect(await finish(taskId)).toMatchObject({
          result: 'success',
          items: { done: 3, total: 3 },
        });
        expect(server.content.restored.map(({ title }) => title)).toEqual([
          'Mail 1',
          'Mail 2',
          'Mail 3',
        ]);
      }
    });

    test('VB365-18: to another mailbox, the choices and options of the request hold', async () => {
      admin = await office.signIn('admin');
      server.content.restored.splice(0);
      const { taskId } = await ask<{ taskId: string }>(items(), {
        items: [mails[0]?.id],
        mailbox: userId,
        folder: 'Restored',
        deletedItems: true,
        changedItems: false,
        markRestoredAsUnread: true,
        reason: 'Asked by phone',
      });
      expect(await finish(taskId)).toMatchObject({ result: 'success' });
      expect(server.content.restored).toMatchObject([
        { title: 'Mail 1', to: 'ben.dover@example.com' },
      ]);
      const sent = server.outside.asked.findLast(({ path }) => path.endsWith('/items/restoreTo'));
      expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({
        mailbox: 'ben.dover@example.com',
        folder: 'Restored',
        deletedItems: true,
        changedItems: false,
        markRestoredAsUnread: true,
        excludeDrafts: false,
      });
      const nobody = await ask<{ taskId: string }>(items(), {
        items: [mails[0]?.id],
        mailbox: '00000000-0000-4000-8000-000000000000',
        reason: 'A mistake',
      });
      expect(await finish(nobody.taskId)).toMatchObject({ result: 'failed' });
    });

    test('VB365-18: what the server does not offer is refused with a sentence and sends nothing', async () => {
      const { length } = server.outside.asked;
      for (const [more, words] of [
        [{ changedItems: false }, 'only available for another location'],
        [{ markRestoredAsUnread: true }, 'only available for another location'],
        [{ onConflict: 'skip' }, 'only available for another location'],
      ] as const)
        expect(await refuse(items(), { items: [mails[0]?.id], ...more })).toEqual([
          400,
          expect.stringContaining(words),
        ]);
      expect(await refuse(items(), { items: [mails[0]?.id], dryRun: true })).toEqual([
        409,
        expect.stringContaining('no dry runs'),
      ]);
      expect(
        server.outside.asked.slice(length).filter(({ path }) => path.includes('/restore')),
      ).toEqual([]);
    });

    test('VB365-19: a restore is followed by another process, stopped where the server can, and sent once', async () => {
      const { content } = server;
      content.restored.splice(0);
      content.restoreMs = 10 * MINUTE;
      const { taskId } = await ask<{ taskId: string }>(items(), { items: [mails[0]?.id] });
      await jobs.tick();
      if (version === 'v8') {
        expect(await getTask(taskId)).toMatchObject({ state: 'running', items: { done: 0 } });
        await jobs.stop();
        jobs = makeTicks();
        fixture.pass(5_000);
        await jobs.tick();
        expect(await getTask(taskId)).toMatchObject({ state: 'running', items: { total: 1 } });
        // The user leaves the session, which the restore still needs.
        expect((await refuse(`${session}/stop`, {}))[0]).toBe(200);
        const [first] = content.restoreSessions;
        expect(first?.endTime).toBeNull();
        await ask(`tasks/${taskId}/cancel`, { organizationId });
        fixture.pass(5_000);
        await jobs.tick();
        expect(await getTask(taskId)).toMatchObject({ state: 'done', result: 'cancelled' });
        expect(first?.endTime).not.toBeNull();
      } else {
        expect(await getTask(taskId)).toMatchObject({ state: 'done', result: 'success' });
        expect((await refuse(`tasks/${taskId}/cancel`, { organizationId }))[0]).toBe(409);
      }
      expect(content.restored).toHaveLength(1);
      content.restoreMs = 0;

      // One that was interrupted while it was sent is not sent a second time.
      session = await openSession('Vex');
      await signIn('Vex');
      const other = await ask<{ taskId: string }>(items(), { items: [mails[0]?.id] });
      await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('engine_task')
          .set({ state: 'running', progress: JSON.stringify({ isSent: true }) })
          .where('tenant_id', '=', tenant)
          .where('id', '=', other.taskId)
          .execute(),
      );
      expect(await finish(other.taskId)).toMatchObject({
        result: 'failed',
        message: expect.stringContaining('was lost while the restore started') as unknown,
      });
      expect(content.restored).toHaveLength(1);
    });

    test('VB365-17: files, a folder and a drive are restored to their place and to another OneDrive', async () => {
      const { content } = server;
      admin = await office.signIn('admin');
      const files = await openSession('Veod');
      await signIn('Veod');
      const [drive] = await list(`${files}/onedrives`);
      const base = `${files}/onedrives/${drive?.id ?? ''}`;
      const [folder] = await list(`${base}/folders`);
      const documents = await list(`${base}/folders/${folder?.id ?? ''}/documents`);
      for (const [path, body, count, to] of [
        ['documents/restore', { documents: documents.slice(0, 1).map(({ id }) => id) }, 1, null],
        ['documents/restore', { documents: documents.slice(0, 2).map(({ id }) => id) }, 2, null],
        [`folders/${folder?.id ?? ''}/restore`, { onConflict: 'keep-both' }, 3, null],
        ['restore', {}, 3, null],
        [
          'documents/restore',
          { documents: documents.map(({ id }) => id), onedrive: userId, reason: 'A move' },
          3,
          content.objects.find(({ name, list: of }) => name === 'Ben Dover' && of === 'onedrives')
            ?.id,
        ],
      ] as const) {
        content.restored.splice(0);
        const { taskId } = await ask<{ taskId: string }>(`${base}/${path}`, body);
        expect([path, await finish(taskId)]).toMatchObject([path, { result: 'success' }]);
        expect(content.restored.map((one) => one.to)).toEqual(Array(count).fill(to));
      }
      const stored = server.outside.asked.findLast(
        ({ path, method }) => method === 'POST' && /Folders\/[^/]+\/restore$/.test(path),
      );
      expect(JSON.parse(stored?.body ?? '{}')).toMatchObject({ documentAction: 'Keep' });
      const size = await ask<{ items: number; bytes: number }>(
        'restoresessions'.concat(
          base.slice(15).replace(/\/onedrives.*/, '/onedrives/download-size'),
        ),
        {
          nodes: [drive?.id],
        },
      );
      expect(size).toMatchObject({ items: 3, bytes: 15 });
      expect(problems).toEqual([]);
    });
  });
});
