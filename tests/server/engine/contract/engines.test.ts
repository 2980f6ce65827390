import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOB_ITEM_PARTS } from '#contract/backup/jobs.ts';
import { eachDatabase } from '../../db/databases.ts';
import { type EngineCase, ENGINES } from './engines.ts';

interface Job {
  readonly id: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly repositoryName: string;
  readonly lastStatus: string | null;
  readonly lastRun: number | null;
  readonly lastBackup: number | null;
  readonly nextRun: number | null;
  readonly recent: readonly { readonly result: string }[];
}
interface Latest {
  readonly session: {
    readonly id: string;
    readonly state: string;
    readonly status: string;
    readonly reason: string;
    readonly creationTime: number;
    readonly endTime: number | null;
  } | null;
  readonly logs: readonly { readonly n: number; readonly message: string }[];
}

/** After this, a server is read again. */
const SOON_MS = 6_000;
/** No part of an item. */
const NO_PARTS = Object.fromEntries(JOB_ITEM_PARTS.map((part) => [part, false]));

// What every engine promises, whatever makes the backups. The tests of a group follow each other.
eachDatabase((database, open) => {
  describe.each(ENGINES)(`$name on ${database}`, ({ start }) => {
    let engine: EngineCase;
    beforeAll(async () => {
      engine = await start(await open());
    });
    afterAll(() => engine.stop());

    const ask = async <T>(path: string, body?: object): Promise<T> => {
      const {
        status,
        text,
        body: answer,
      } = await engine.admin<T>(body === undefined ? 'GET' : 'POST', `o365/${path}`, body);
      expect([path, status, text]).toEqual([path, 200, text]);
      return answer.data;
    };
    const loadJob = () => ask<Job>(`jobs/${engine.jobId}`);
    const loadLatest = () => ask<Latest>(`jobs/${engine.jobId}/detail/latest`);
    const command = async (action: string): Promise<number> =>
      (await engine.admin('POST', `o365/jobs/${engine.jobId}/${action}`, {})).status;

    test('VB365-10: an organization has its engine, its job and the repository of it', async () => {
      const found = await ask<{ engine: string; jobs: number; companyN: number }>(
        `organizations/${engine.organizationId}`,
      );
      expect(found).toMatchObject({ engine: engine.kind, jobs: 1, companyN: 1 });
      const job = await loadJob();
      expect(job).toMatchObject({ name: 'Mail', isEnabled: true, lastStatus: null, lastRun: null });
      const { rows } = await ask<{ rows: { repository: string; jobs: number }[] }>(
        `repositories?organizationId=${engine.organizationId}`,
      );
      expect(rows).toMatchObject([{ repository: job.repositoryName, jobs: 1 }]);
      // At 22:00 of the day, whatever the time is now.
      expect(new Date(job.nextRun ?? 0).toISOString().slice(11)).toMatch(/:00:00\.000Z$/);
    });

    test('VB365-10: a picker lists each user once, page by page, and finds a part of a name', async () => {
      const path = `organizations/${engine.organizationId}/users`;
      const names: string[] = [];
      let next: string | null = null;
      do {
        const query = new URLSearchParams({
          limit: '2',
          ...(next === null ? {} : { cursor: next }),
        });
        const page: { rows: { name: string }[]; next: string | null } = await ask(
          `${path}?${query.toString()}`,
        );
        expect(page.rows.length).toBeLessThanOrEqual(2);
        names.push(...page.rows.map(({ name }) => name));
        ({ next } = page);
      } while (next !== null);
      expect([names.length, new Set(names).size]).toEqual([3, 3]);
      const [first = ''] = names;
      const part = encodeURIComponent(first.slice(0, -1).toLowerCase());
      const { rows } = await ask<{ rows: { name: string }[] }>(`${path}?search=${part}`);
      expect(rows.map(({ name }) => name)).toContain(first);
      expect((await engine.admin('GET', `o365/${path}?cursor=nonsense`)).status).toBe(400);
    });

    test('VB365-10: a job is started once, runs, is stopped, and its session was canceled', async () => {
      expect(await command('stop')).toBe(409);
      const { sessionId } = await ask<{ sessionId: string }>(`jobs/${engine.jobId}/start`, {});
      expect(await command('start')).toBe(409);
      expect(await loadJob()).toMatchObject({ lastStatus: 'Running' });
      const { session } = await loadLatest();
      expect(session).toMatchObject({ id: sessionId, status: 'Running', reason: 'manual' });
      expect(session?.endTime).toBeNull();
      engine.pass(60_000);
      expect(await command('stop')).toBe(200);
      await engine.settle();
      expect(await loadLatest()).toMatchObject({
        session: { id: sessionId, state: 'done', status: 'Error' },
      });
      expect(await loadJob()).toMatchObject({
        lastStatus: 'Error',
        lastBackup: null,
        recent: [{ id: sessionId, result: 'cancelled' }],
      });
    });

    test('VB365-10: a session that ended has its times and its log, page by page', async () => {
      engine.pass(60_000);
      const startedAt = engine.context.clock.now();
      const { sessionId } = await ask<{ sessionId: string }>(`jobs/${engine.jobId}/start`, {});
      engine.pass(60_000);
      await engine.finish();
      const { session, logs } = await loadLatest();
      expect(session).toMatchObject({ id: sessionId, state: 'done', status: 'Success' });
      expect(session?.creationTime).toBe(startedAt);
      expect(session?.endTime).toBeGreaterThanOrEqual(startedAt + 60_000);
      expect(logs.length).toBeGreaterThan(1);
      const lines: { n: number; message: string }[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: { rows: { n: number; message: string }[]; next: string | null } = await ask(
          `jobs/${engine.jobId}/detail/${sessionId}/logs?limit=1${next && `&cursor=${next}`}`,
        );
        lines.push(...page.rows);
        ({ next } = page);
      }
      expect(lines).toEqual(logs);
      const tail = await ask(`jobs/${engine.jobId}/detail/${sessionId}/logs?offset=1&limit=1000`);
      expect(tail).toMatchObject({ rows: lines.slice(1), next: null });
      const job = await loadJob();
      expect(job.recent.map(({ result }) => result)).toEqual(['success', 'cancelled']);
      expect(job).toMatchObject({ lastStatus: 'Success', lastBackup: session?.endTime });
      // What is known is not told again.
      await engine.settle();
      expect((await loadJob()).recent).toEqual(job.recent);
    });

    test('VB365-10: a schedule is switched off and on', async () => {
      expect(await command('disable')).toBe(200);
      await engine.settle();
      expect(await loadJob()).toMatchObject({ isEnabled: false, nextRun: null });
      expect(await command('enable')).toBe(200);
      await engine.settle();
      expect(await loadJob()).toMatchObject({ isEnabled: true });
    });

    test('VB365-40: a job is created, changed and deleted, and the answers show it at once and later', async () => {
      const { repositoryId } = await ask<{ repositoryId: string }>(`jobs/${engine.jobId}`);
      const [user] = (
        await ask<{ rows: { id: string }[] }>(`organizations/${engine.organizationId}/users`)
      ).rows;
      const item = { type: 'User', id: user?.id, ...NO_PARTS, mailbox: true };
      const fields = {
        name: 'Second',
        description: 'Two people',
        backupType: 'SelectedItems',
        selectedItems: [item],
        repositoryId,
        schedulePolicy: {
          schedule: { type: 'Daily', dailyType: 'Workdays', dailyTime: '06:30' },
          backupWindow: null,
          retryNumber: 2,
          retryWaitInterval: 15,
        },
      };
      const change = (method: string, path: string, body?: object) =>
        engine.admin<{ id: string }>(method, `o365/jobs${path}`, body);
      const make = () => change('POST', '', { organizationId: engine.organizationId, ...fields });
      const made = await make();
      expect([made.status, made.text]).toEqual([200, made.text]);
      const { id } = made.body.data;
      const expectJob = async (more: object): Promise<string> => {
        const { repositoryId: _, ...shown } = { ...fields, ...more };
        const job = await ask<{ version: string }>(`jobs/${id}`);
        expect(job).toMatchObject({ ...shown, isEnabled: true });
        engine.pass(SOON_MS);
        await engine.settle();
        expect(await ask(`jobs/${id}`)).toMatchObject(shown);
        expect((await ask<{ count: number }>('jobs')).count).toBe(2);
        return job.version;
      };
      const version = await expectJob({});
      expect((await make()).status).toBe(409);

      const changes = {
        ...fields,
        name: 'Second of all',
        description: '',
        selectedItems: [{ ...item, oneDrive: true }],
        schedulePolicy: {
          schedule: { type: 'Periodically', periodicallyEvery: 'Hours4' },
          backupWindow: '1'.repeat(100) + '0'.repeat(68),
          retryNumber: 0,
          retryWaitInterval: 15,
        },
      };
      expect((await change('PUT', `/${id}`, { ...changes, version })).status).toBe(200);
      await expectJob(changes);
      // From a page that was opened before.
      expect((await change('PUT', `/${id}`, { ...fields, version })).status).toBe(409);
      expect((await change('PUT', `/${id}`, { ...changes, name: 'Mail' })).status).toBe(409);
      await expectJob(changes);

      expect((await change('DELETE', `/${id}`)).status).toBe(200);
      for (let times = 0; times < 2; times += 1) {
        expect((await change('GET', `/${id}`)).status).toBe(404);
        expect((await ask<{ count: number }>('jobs')).count).toBe(1);
        engine.pass(SOON_MS);
        await engine.settle();
      }
      expect((await change('DELETE', `/${id}`)).status).toBe(404);
    });

    test('VB365-10: users of another company see nothing of it and command nothing', async () => {
      const other = await engine.office.as('other', ['o365_admin'], [2]);
      for (const [method, path] of [
        ['GET', `organizations/${engine.organizationId}`],
        ['GET', `organizations/${engine.organizationId}/users`],
        ['GET', `jobs/${engine.jobId}/detail/latest`],
        ['POST', `jobs/${engine.jobId}/start`],
        ['POST', `jobs/${engine.jobId}/disable`],
        ['DELETE', `jobs/${engine.jobId}`],
        ['DELETE', `organizations/${engine.organizationId}`],
      ] as const) {
        const body = method === 'POST' ? {} : undefined;
        expect([path, (await other(method, `o365/${path}`, body)).status]).toEqual([path, 404]);
      }
      expect(await loadJob()).toMatchObject({ isEnabled: true });
    });

    test('VB365-10: a deleted organization is gone with its jobs', async () => {
      const path = `o365/organizations/${engine.organizationId}`;
      // A deletion needs a recent sign-in.
      const fresh = await engine.office.as('fresh', ['o365_admin']);
      expect((await fresh('DELETE', path)).status).toBe(200);
      expect((await engine.admin('GET', path)).status).toBe(404);
      expect((await ask<{ count: number }>('jobs')).count).toBe(0);
      await engine.settle();
      expect((await ask<{ count: number }>('jobs')).count).toBe(0);
    });
  });
});
