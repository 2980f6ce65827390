import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allJobs } from '#server/jobs.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import {
  addJob,
  addJobItem,
  addOrganization,
  addSession,
  type Vb365Job,
  type Vb365Organization,
} from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { anyDatabase } from '../db/databases.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { getTicks, type Ticks } from '../jobs/ticks.ts';
import { HERE, json } from '../outbound/listen.ts';
import { anOffice, type Office } from '../sync/fixtures.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A random number below `end`, the same in each run. */
function getRandom(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let fixture: Fixture;
    let office: Office;
    let server: Vb365Server;
    let problems: readonly string[];
    let jobs: Ticks;
    let one: Vb365Organization;
    let two: Vb365Organization;
    /** Called at the end of each transaction that writes: if it throws, nothing was written. */
    let beforeCommit: (tx: TenantTx) => Promise<void>;

    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      beforeCommit = () => Promise.resolve();
      fixture = await makeFixture(HERE, store);
      office = await anOffice(fixture);
      server = await startVb365(version, now);
      problems = checkTraffic(server);
      one = addOrganization(server.content, 'One');
      two = addOrganization(server.content, 'Two');
      for (const name of ['Mail', 'Files'])
        addSession(server.content, addJob(server.content, one, name), now() - 6 * HOUR);
      addJob(server.content, two, 'Teams');
      const admin = await office.as('admin', ['o365_admin']);
      const { status, text } = await admin('POST', 'o365/organizations/from-api', {
        apiUrl: server.outside.url,
        username: USER.name,
        password: USER.secret,
        companyId: 1,
      });
      if (status !== 200) throw new Error(text);
      const { context } = fixture;
      const mortal: AppContext = {
        ...context,
        store: {
          ...context.store,
          tenant: (tenant, work, how) =>
            context.store.tenant(
              tenant,
              async (tx) => {
                const done = await work(tx);
                if (how?.readOnly !== true) await beforeCommit(tx);
                return done;
              },
              how,
            ),
        },
      };
      jobs = getTicks(
        {
          ...context,
          store: { ...context.store, tenants: () => Promise.resolve([office.tenant]) },
        },
        { 'vb365-server': allJobs(mortal)['vb365-server'] },
      );
      await read();
    });
    afterEach(async () => {
      await jobs.stop();
      await server.outside.stop();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    });

    const now = (): number => fixture.context.clock.now();
    /** Five minutes pass, and the server is read. Returns what was asked, in order. */
    async function read(): Promise<string[]> {
      fixture.pass(5 * MINUTE);
      const before = server.outside.asked.length;
      await jobs.tick();
      return server.outside.asked
        .slice(before)
        .map(({ path }) => path.toLowerCase().split('?')[0]?.slice(`/${version}/`.length) ?? '')
        .filter((path) => path !== 'token');
    }
    /** What is stored of jobs, repositories, sessions and their logs. */
    const getStored = () =>
      fixture.context.store.tenant(office.tenant, async (tx) => {
        const sessions = await tx.sql
          .selectFrom('backup_session')
          .select(['id', 'job_id', 'state', 'result', 'started_at', 'ended_at', 'message'])
          .select('progress')
          .where('tenant_id', '=', tx.tenant)
          .execute();
        const log = await tx.sql
          .selectFrom('backup_log')
          .select(['session_id', 'n', 'at', 'message'])
          .where('tenant_id', '=', tx.tenant)
          .orderBy('session_id')
          .orderBy('n')
          .execute();
        const present = <T extends { id: string; removedAt: number | null }>(rows: readonly T[]) =>
          rows.filter(({ removedAt }) => removedAt === null).toSorted(byId);
        return {
          jobs: present(await tx.all('backupJob')),
          repositories: present(await tx.all('backupRepository')),
          sessions: sessions.toSorted(byId),
          log,
        };
      });
    const getServerRow = () =>
      fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .selectFrom('vb365_server')
          .selectAll()
          .where('tenant_id', '=', tenant)
          .executeTakeFirstOrThrow(),
      );
    /** Forgets up to where the feed was read, so the next reading is a whole one. */
    const forgetFeed = () =>
      fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('vb365_server')
          .set({ feed: null })
          .where('tenant_id', '=', tenant)
          .execute(),
      );
    const getJob = (name: string): Vb365Job => {
      const job = server.content.jobs.find((found) => found.name === name);
      if (!job) throw new Error(`there is no job ${name}`);
      return job;
    };
    const countSessions = async (): Promise<number> => (await getStored()).sessions.length;

    const FEED = version === 'v8' ? 'events' : 'jobsessions/changes';
    const IDLE = [
      FEED,
      'backuprepositories',
      'organizations',
      ...(version === 'v7' ? ['jobs'] : []),
    ];

    test('VB365-70: while nothing changes, a reading asks the same few things of any number of jobs', async () => {
      const before = await getStored();
      expect(await read()).toEqual(IDLE);
      for (let n = 0; n < 40; n += 1) {
        const job = addJob(server.content, n % 2 === 0 ? one : two, `More ${n}`);
        addSession(server.content, job, now() - HOUR);
      }
      expect((await read()).length).toBeGreaterThan(40);
      expect(await countSessions()).toBe(42);
      expect(await read()).toEqual(IDLE);
      expect(await read()).toEqual(IDLE);
      expect((await getStored()).jobs).toHaveLength(before.jobs.length + 40);
      expect((await getServerRow()).read_at).toBe(now());
    });

    test('VB365-70: a session that runs and ends is asked for with its log alone, and shown as it is', async () => {
      const job = getJob('Mail');
      const session = addSession(server.content, job, now(), { status: 'Running', endTime: null });
      const own = `jobsessions/${session.id}`;
      const details = version === 'v8' ? [own] : [];
      const requests = await read();
      expect(requests.filter((path) => path.startsWith(own))).toEqual([
        ...details,
        `${own}/logitems`,
      ]);
      expect(requests.filter((path) => path.startsWith('organizations/'))).toEqual([]);
      // It goes on without a word in the feed.
      const { feed } = await getServerRow();
      server.failure = (_, path) =>
        path === FEED ? json({ nextChangeToken: feed?.token, limit: 2_000, results: [] }) : null;
      session.log.push({ at: now(), type: 'Success', message: 'Processed another mailbox' });
      expect(await read()).toContain(`${own}/logitems`);
      expect((await getStored()).log.map(({ message }) => message)).toContain(
        'Processed another mailbox',
      );
      server.failure = () => null;
      Object.assign(session, { status: 'Failed', endTime: now(), details: 'It failed.' });
      job.lastStatus = 'Failed';
      const last = await read();
      expect(last).toContain(`${own}/processedobjects`);
      expect(last).not.toContain('serviceinstance');
      expect((await getStored()).sessions.find(({ id }) => id === session.id)).toMatchObject({
        state: 'done',
        result: 'failed',
        ended_at: session.endTime,
      });
      await read();
      expect(await read()).toEqual(IDLE);
    });

    test('VB365-70: after any changes, a reading by the feed shows what a whole reading shows', async () => {
      const random = getRandom(version === 'v8' ? 8 : 7);
      const { content } = server;
      const foreign = addOrganization(content, 'Foreign');
      await read();
      const pick = <T>(rows: readonly T[]): T | undefined => rows[random(rows.length)];
      let made = 0;
      const change = (): void => {
        const job = pick(content.jobs);
        made += 1;
        const isRunning = content.sessions.some(
          ({ jobId, endTime }) => jobId === job?.id && endTime === null,
        );
        switch (random(10)) {
          case 0:
            addJob(content, pick([one, two, foreign]) ?? one, `Made ${made}`);
            return;
          case 1:
            if (job && !isRunning && content.jobs.length > 3)
              content.jobs.splice(content.jobs.indexOf(job), 1);
            return;
          case 2:
            if (job) Object.assign(job, { name: `Renamed ${made}`, eTag: job.eTag + 1 });
            return;
          case 3:
            if (job) Object.assign(job, { isEnabled: !job.isEnabled, eTag: job.eTag + 1 });
            return;
          case 4:
            if (job)
              addJobItem(content, job, 'excludedItems', {
                type: 'PartialOrganization',
                oneDrive: true,
              });
            return;
          case 5:
            if (content.repositories[0] && content.repositories.length < 3)
              content.repositories[0] = { ...content.repositories[0], name: `Vault ${made}` };
            return;
          case 6:
          case 7:
            if (job && !isRunning)
              addSession(content, job, now() - made * 1_000, { status: 'Running', endTime: null });
            return;
          default: {
            const session = pick(content.sessions.filter(({ endTime }) => endTime === null));
            if (!session) return;
            const status = pick(['Success', 'Warning', 'Failed'] as const) ?? 'Success';
            Object.assign(session, { status, endTime: now(), details: `It was ${status}.` });
            const own = content.jobs.find(({ id }) => id === session.jobId);
            if (own) own.lastStatus = status;
          }
        }
      };
      let fed = 0;
      for (let round = 0; round < 18; round += 1) {
        for (let n = random(4); n >= 0; n -= 1) change();
        const requests = await read();
        if (!requests.includes('serviceinstance')) fed += 1;
        const shown = await getStored();
        if (round % 3 !== 2) continue;
        await forgetFeed();
        expect(await read()).toContain('serviceinstance');
        expect(shown).toEqual(await getStored());
      }
      expect(fed).toBeGreaterThan(3);
    });

    test('VB365-71: a reading that ends before it has stored anything is repeated from the same place', async () => {
      const before = await getServerRow();
      const session = addSession(server.content, getJob('Files'), now() - HOUR, {
        status: 'Warning',
      });
      let kills = 0;
      beforeCommit = async ({ sql, tenant }) => {
        const row = await sql
          .selectFrom('backup_session')
          .select('id')
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.id as never)
          .executeTakeFirst();
        if (!row) return;
        kills += 1;
        throw new Error('killed');
      };
      await read();
      expect(kills).toBe(1);
      expect(await countSessions()).toBe(2);
      expect((await getServerRow()).feed).toEqual(before.feed);
      beforeCommit = () => Promise.resolve();
      await read();
      expect(await countSessions()).toBe(3);
      expect((await getServerRow()).feed).not.toEqual(before.feed);
      expect(await read()).toEqual(IDLE);
    });

    test('VB365-71: a token that is out of date, of another server or refused, and a server without a feed, are read as a whole', async () => {
      const { content, feed } = server;
      const hurdles: (() => void)[] = [
        () => feed.forget(),
        () => feed.reinstall(),
        ...[400, 403, 404, 500].map((status) => () => {
          server.failure = (_, path) =>
            path === FEED ? { ...json({ message: 'No.' }), status } : null;
        }),
      ];
      for (const [n, hurdle] of hurdles.entries()) {
        server.failure = () => null;
        await read();
        expect(await read()).toEqual(IDLE);
        addSession(content, getJob('Mail'), now() - MINUTE * (20 - n));
        content.jobs[1] = { ...getJob('Files'), isEnabled: n % 2 === 0, eTag: n + 10 };
        hurdle();
        expect(await read()).toContain('serviceinstance');
        const { jobs: rows } = await getStored();
        expect(rows.find(({ name }) => name === 'Files')?.enabled).toBe(n % 2 === 0);
        expect((await getServerRow()).problem).toBeNull();
      }
      // Without a feed, it goes on as a whole.
      addSession(content, getJob('Mail'), now() - MINUTE);
      expect(await read()).toContain('serviceinstance');
      expect(await countSessions()).toBe(2 + hurdles.length + 1);
    });

    test('VB365-71, VB365-11: a feed that is busy is a problem, and everything is read after it', async () => {
      server.failure = (_, path) =>
        path === FEED ? { ...json({ message: 'Busy.' }), status: 503 } : null;
      await read();
      expect((await getServerRow()).problem).not.toBeNull();
      server.failure = () => null;
      fixture.pass(HOUR);
      expect(await read()).toContain('serviceinstance');
      expect((await getServerRow()).problem).toBeNull();
      expect(await read()).toEqual(IDLE);
    });

    test('VB365-71: what a feed never names is found by the whole reading of the day', async () => {
      const job = getJob('Mail');
      server.failure = (_, path) =>
        path === FEED ? json({ nextChangeToken: 'same', limit: 2_000, results: [] }) : null;
      addSession(server.content, job, now() - MINUTE);
      expect(await read()).toEqual(IDLE);
      expect(await countSessions()).toBe(2);
      let readings = 0;
      for (; (await countSessions()) === 2; readings += 1) {
        if (readings > (24 * HOUR) / (5 * MINUTE)) throw new Error('it was not found in a day');
        await read();
      }
      expect(readings).toBeGreaterThan(12);
    });
  });
});
