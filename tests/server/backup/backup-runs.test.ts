import { expect, test } from 'vitest';
import {
  DAILY_TYPES,
  MONTHLY_DAYS,
  MONTHLY_NUMBERS,
  nextRuns,
  PERIODICALLY_EVERY,
  type SchedulePolicy,
} from '#contract/backup/schedule.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import { backupRuns } from '#server/features/backup/backup-runs.ts';
import { expectedSchedule } from '#server/features/backup/monitoring-schedule.ts';
import { missedRuns } from '#server/features/ingest/missed-runs-job.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { cronNext } from '#server/platform/jobs/cron.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase, freshStore, ONE } from '../db/databases.ts';
import { memoryObject, type MemoryObject } from '../engine/memory-source.ts';
import { makeSessionBench, type SessionBench } from '../engine/session-bench.ts';
import { failure } from '../sync/fixtures.ts';
import { aSuite, makeAll } from './fixtures.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PROOF = Number(process.env['PROOF'] ?? 1);
const HALF_HOURLY: SchedulePolicy = {
  schedule: { type: 'Periodically', periodicallyEvery: 'Minutes30' },
  backupWindow: null,
  retryNumber: 0,
  retryWaitInterval: 10,
};

function makeObjects(): MemoryObject[] {
  const objects = ['ann', 'bob', 'cleo'].map((name) => memoryObject('mailbox', name));
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 3; n += 1) memory.putItem(`i${n}`, 'top', `content ${n}`);
  }
  return objects;
}

const record = (context: AppContext, tenant: string) =>
  backupRuns(context)({
    tenant,
    payload: null,
    now: context.clock.now(),
    signal: new AbortController().signal,
  });
const follow = ({ ground: fixture, tenant }: SessionBench, store?: Store) =>
  record({ ...fixture.context, ...(store && { store }) }, tenant);

async function backUp(bench: SessionBench, job: string): Promise<string> {
  bench.ground.pass(MINUTE);
  const session = (await bench.start(job, 'schedule')) ?? '';
  for (;;) {
    const next = await bench.run(session);
    if (next === null) return session;
    bench.ground.pass(Math.max(1, next - bench.ground.context.clock.now()));
  }
}

const loadRows = <T extends TableName>(
  { store }: Pick<AppContext, 'store'>,
  tenant: string,
  table: T,
): Promise<Tables[T][]> => store.tenant(tenant, (tx) => tx.all(table), { readOnly: true });
const all = <T extends TableName>({ ground: fixture, tenant }: SessionBench, table: T) =>
  loadRows(fixture.context, tenant, table);

const loadTasks = ({ ground: fixture, tenant }: SessionBench, run: number) =>
  fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('run_task')
      .select('tasks')
      .where('tenant_id', '=', tenant)
      .where('run_n', '=', run)
      .executeTakeFirst(),
  );

anyDatabase((name, open) => {
  test(`SUITE-30: each finished session is one result in Monitoring, with its objects as tasks and their message as its cause (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    const job = await bench.addJob({ schedulePolicy: HALF_HOURLY });
    const first = await backUp(bench, job);
    await follow(bench);
    expect(await all(bench, 'key')).toMatchObject([
      { organization: bench.organization, company: 1, tool: 'office365', revokedAt: null },
    ]);
    const [row] = (await bench.job(job)).recent;
    expect(await all(bench, 'run')).toMatchObject([
      {
        uid: first,
        company: 1,
        status: 'Success',
        startedAt: row?.startedAt,
        endedAt: row?.endedAt,
        bytes: row?.bytesStored,
        bytesProcessed: row?.bytesRead,
        message: null,
        problem: null,
        hasLog: true,
      },
    ]);
    expect(await all(bench, 'job')).toMatchObject([
      {
        uid: job,
        name: 'Mail and files',
        source: 'office365',
        type: 'M365',
        group: 'office365',
        server: 'Saltmarsh Marine',
        enabled: true,
        schedule: { type: 'cron', cron: '*/30 * * * *', tz: 'UTC', kind: 'Periodically' },
      },
    ]);

    for (const memory of objects.slice(1)) {
      memory.putItem('new', 'top', 'more');
      memory.trouble.cutAfter = 1;
    }
    const second = await backUp(bench, job);
    objects[2]?.trouble.unreadable.add('new');
    for (const memory of objects) memory.trouble.cutAfter = null;
    const third = await backUp(bench, job);
    await follow(bench);
    const runs = await all(bench, 'run');
    expect(runs).toMatchObject([
      { uid: first },
      {
        uid: second,
        status: 'Warning',
        errorCount: 2,
        message: 'The tenant does not answer.',
        detail: { objects: 9, summary: '2 of 9 objects failed.' },
      },
      { uid: third, status: 'Warning', warningCount: 1, problem: expect.any(Number) as number },
    ]);
    expect((await loadTasks(bench, runs[1]?.n ?? 0))?.tasks.slice(0, 3)).toMatchObject([
      { name: 'Person bob (mailbox)', status: 'Failed', message: 'The tenant does not answer.' },
      { name: 'Person cleo (mailbox)', status: 'Failed', message: 'The tenant does not answer.' },
      { name: 'Person ann (mailbox)', status: 'Success', message: null },
    ]);
    expect((await all(bench, 'cause')).map(({ template }) => template)).toContain(
      'The tenant does not answer.',
    );
    for (const memory of objects) memory.trouble.unreadable.clear();
    await backUp(bench, job);
    await follow(bench);
    expect((await all(bench, 'problem')).map(({ closedBy }) => closedBy)).toEqual([
      'changed',
      'success',
    ]);
  });

  test(`SUITE-30: a stopped session is an error, and one that ends with its deleted job is no result (${name})`, async () => {
    const bench = await makeSessionBench(await open(), makeObjects());
    const [stopped, deleted] = [await bench.addJob(), await bench.addJob()];
    for (const job of [stopped, deleted]) {
      const session = (await bench.start(job)) ?? '';
      await bench.stop(job);
      if (job === deleted)
        await bench.append({ type: 'backupjob.deleted@1', data: { id: deleted } });
      await bench.run(session);
    }
    await follow(bench);
    expect(await all(bench, 'run')).toMatchObject([
      { status: 'Error', message: 'The session was stopped.', bytes: null },
    ]);
    expect(await all(bench, 'cause')).toMatchObject([{ kind: 'cancelled' }]);
    expect(await all(bench, 'job')).toMatchObject([{ uid: stopped, schedule: null }]);
  });

  test(`SUITE-30: a process that is killed at any step records every session once, in order (${name})`, async () => {
    const expected = await recordWithKills(await open(), Infinity);
    expect(expected.runs).toHaveLength(3);
    for (let cut = 1; cut <= expected.steps; cut += 1) {
      const { runs, jobs, keys } = await recordWithKills(await open(), cut);
      expect({ runs, jobs, keys }, `killed after step ${cut}`).toEqual({
        runs: expected.runs,
        jobs: expected.jobs,
        keys: expected.keys,
      });
    }
  });
});

/** Records three sessions by processes of which each is killed after `cut` transactions. */
async function recordWithKills(store: Store, cut: number) {
  const bench = await makeSessionBench(store, makeObjects());
  const job = await bench.addJob({ schedulePolicy: HALF_HOURLY });
  const sessions = [await backUp(bench, job), await backUp(bench, job)];
  let steps = 0;
  for (let left = cut, tries = 0; ; left = cut + tries) {
    tries += 1;
    const killed = Object.assign(Object.create(store) as Store, {
      async tenant(...args: Parameters<Store['tenant']>) {
        const done = await store.tenant(...args);
        steps += 1;
        left -= 1;
        if (left <= 0) throw new Error('killed');
        return done;
      },
    });
    const isDone = await follow(bench, killed).then(
      () => true,
      () => false,
    );
    if (tries === 1 && sessions.length === 2) {
      sessions.push(await backUp(bench, job));
      continue;
    }
    if (isDone) break;
  }
  const runs = await all(bench, 'run');
  expect(runs.map(({ uid }) => uid)).toEqual(sessions);
  return {
    steps,
    runs: runs.map(({ status, bytes, hasLog }) => ({ status, bytes, hasLog })),
    jobs: (await all(bench, 'job')).map((row) => row.name),
    keys: (await all(bench, 'key')).length,
  };
}

test('SUITE-31: the job in Monitoring follows its name, schedule, state and organization, and ends with it', async () => {
  const bench = await makeSessionBench(await freshStore(ONE), makeObjects());
  const job = await bench.addJob({ schedulePolicy: HALF_HOURLY });
  const inMonitoring = async () => {
    await follow(bench);
    const [row] = await all(bench, 'job');
    return row;
  };
  // Before its first session too.
  expect(await inMonitoring()).toMatchObject({ name: 'Mail and files', enabled: true });
  const row = await bench.job(job);
  await bench.append({
    type: 'backupjob.updated@1',
    data: {
      id: job,
      name: 'All mail',
      description: '',
      isTeamsChatsEnabled: false,
      backupType: 'EntireOrganization',
      selectedItems: [],
      excludedItems: [],
      proxy: null,
      repository: row.repository,
      schedulePolicy: {
        ...HALF_HOURLY,
        schedule: { type: 'Daily', dailyType: 'Workdays', dailyTime: '22:30' },
      },
    },
  });
  expect(await inMonitoring()).toMatchObject({
    name: 'All mail',
    schedule: { cron: '30 22 * * 1-5', kind: 'Daily' },
  });
  await bench.append({ type: 'backupjob.disabled@1', data: { id: job } });
  expect(await inMonitoring()).toMatchObject({ enabled: false });
  await bench.append({ type: 'backupjob.enabled@1', data: { id: job } });
  expect(await inMonitoring()).toMatchObject({ enabled: true });
  await bench.append({ type: 'backupjob.deleted@1', data: { id: job } });
  expect(await inMonitoring()).toMatchObject({ name: 'All mail', enabled: false });
  await bench.append({
    type: 'organization.deleted@1',
    data: { id: bench.organization, dataUntil: bench.ground.context.clock.now() },
  });
  await follow(bench);
  expect((await all(bench, 'key')).map(({ revokedAt }) => revokedAt === null)).toEqual([false]);
  const { seq } = await bench.ground.context.store.tenant(bench.tenant, (tx) => tx.head());
  await follow(bench);
  expect(await bench.ground.context.store.tenant(bench.tenant, (tx) => tx.head())).toMatchObject({
    seq,
  });
});

test('SUITE-31, RUN-3: a job did not run if its own schedule is overdue, not while a session runs or waits for its window', async () => {
  const bench = await makeSessionBench(await freshStore(ONE), makeObjects());
  const { ground: fixture, tenant } = bench;
  const [plain, windowed, running] = [
    await bench.addJob({ schedulePolicy: HALF_HOURLY }),
    // Open on Sundays from 0 to 1 only.
    await bench.addJob({
      schedulePolicy: { ...HALF_HOURLY, backupWindow: `1${'0'.repeat(167)}` },
    }),
    await bench.addJob({ schedulePolicy: HALF_HOURLY }),
  ];
  const handler = missedRuns(fixture.context);
  const check = async () => {
    await follow(bench);
    await handler({
      tenant,
      payload: null,
      now: fixture.context.clock.now(),
      signal: new AbortController().signal,
    });
    const jobs = await all(bench, 'job');
    return (await all(bench, 'run'))
      .filter(({ status }) => status === 'Missed')
      .map(({ job }) => jobs.find(({ n }) => n === job)?.uid);
  };
  // The first session waits until Sunday. After the second one, the window closes.
  await backUp(bench, windowed);
  fixture.pass(45 * MINUTE);
  for (const job of [windowed, plain, running]) await backUp(bench, job);
  await bench.start(running);
  expect(await check()).toEqual([]);
  fixture.pass(2 * HOUR);
  expect(await check()).toEqual([plain]);
  expect(await all(bench, 'problem')).toMatchObject([{ state: 'Missed', closedAt: null }]);
  expect(await check()).toEqual([plain]);
  await backUp(bench, plain);
  await follow(bench);
  expect(await all(bench, 'problem')).toMatchObject([{ state: 'Missed', closedBy: 'success' }]);
});

test('PLAN-5, SUITE-31, RUN-3: a job whose chain never starts it did not run, after the longest wait of the chain, and says why', async () => {
  const bench = await makeSessionBench(await freshStore(ONE), makeObjects());
  const { ground: fixture, tenant } = bench;
  const addAfter = (chainedAfter: string) =>
    bench.addJob({
      schedulePolicy: { ...HALF_HOURLY, schedule: { type: 'Chained', chainedAfter } },
    });
  const first = await bench.addJob({ schedulePolicy: HALF_HOURLY });
  const second = await addAfter(first);
  const third = await addAfter(second);
  for (const job of [first, second, third]) await backUp(bench, job);
  const context = { ...fixture.context };
  const [recorded, missed] = [backupRuns(context), missedRuns(context)];
  const check = async () => {
    const now = context.clock.now();
    const step = { tenant, payload: null, now, signal: new AbortController().signal };
    await recorded(step);
    await missed(step);
    const jobs = await all(bench, 'job');
    return (await all(bench, 'run'))
      .filter(({ status }) => status === 'Missed')
      .map(({ job, message }) => [
        [first, second, third].indexOf(jobs.find(({ n }) => n === job)?.uid ?? ''),
        message?.split('. ').slice(1).join('. '),
      ]);
  };
  expect(await check()).toEqual([]);
  expect(
    (await all(bench, 'job')).filter(({ uid }) => uid !== first).map(({ schedule }) => schedule),
  ).toEqual([
    { type: 'every', everySec: 1_800, kind: 'Chained' },
    { type: 'every', everySec: 1_800, kind: 'Chained' },
  ]);
  // The followers wait for the first job, which is late: only that one did not run.
  fixture.pass(2 * HOUR);
  expect(await check()).toEqual([[0, '']]);
  await bench.append({ type: 'backupjob.deleted@1', data: { id: first } });
  fixture.pass(HOUR);
  const deleted =
    'The job Mail and files, which this job follows, was deleted. Choose another schedule for this job.';
  expect(await check()).toEqual([
    [0, ''],
    [1, deleted],
    [2, deleted],
  ]);
  // Once a day, not every half hour.
  fixture.pass(2 * HOUR);
  expect(await check()).toHaveLength(3);
});

test("SUITE-32: nobody sees, changes or posts with an organization's key, and another key can't report its jobs", async () => {
  const { ground: fixture, office } = await aSuite(await freshStore(ONE));
  const cloud = await office.as('cloud', ['o365_admin']);
  const admin = await office.as('admin', ['admin']);
  const { job } = await makeAll(cloud, 1, 'Calloway');
  await record(fixture.context, office.tenant);
  const key = (await loadRows(fixture.context, office.tenant, 'key')).find(
    ({ organization }) => organization !== undefined,
  );
  expect(key).toMatchObject({ name: 'Calloway', company: 1 });
  const listed = await admin<{ name: string }[]>('GET', 'monitoring/sources');
  expect(listed.body.data.map(({ name }) => name).sort()).toEqual(['Key 1', 'Key 2']);
  const path = `monitoring/sources/${key?.id}`;
  expect((await admin('POST', `${path}/rotate`, {})).status).toBe(404);
  expect((await admin('DELETE', path)).status).toBe(404);
  await office.post(1, [failure('Forged', '2026-03-02T10:00:00Z', { jobInstanceUid: job })]);
  const own = (await loadRows(fixture.context, office.tenant, 'job')).filter(
    ({ key: owner }) => owner === key?.id,
  );
  expect(own).toMatchObject([{ uid: job, name: 'Calloway mail', problem: null }]);
});

test('SUITE-31: the times in Monitoring are the times at which jobs start', async () => {
  const schedules = [
    ...PERIODICALLY_EVERY.map((periodicallyEvery) => ({
      type: 'Periodically' as const,
      periodicallyEvery,
    })),
    ...DAILY_TYPES.map((dailyType) => ({ type: 'Daily' as const, dailyType, dailyTime: '07:05' })),
    ...MONTHLY_NUMBERS.flatMap((monthlyNumber) =>
      MONTHLY_DAYS.map((monthlyDay) => ({
        type: 'Monthly' as const,
        monthlyNumber,
        monthlyDay,
        monthlyTime: '23:30',
      })),
    ),
  ];
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/Phoenix'])
    for (const schedule of schedules) {
      const after = Date.parse('2026-01-14T09:17:00Z');
      const expected = expectedSchedule(
        { id: 'job', schedulePolicy: { schedule, backupWindow: null } },
        zone,
        new Map(),
      );
      if (expected?.type !== 'cron') throw new Error('a schedule without times');
      const times: number[] = [];
      while (times.length < 8 * PROOF)
        times.push(cronNext(expected.cron, expected.tz, times.at(-1) ?? after) ?? 0);
      expect(times, `${expected.cron} in ${zone}`).toEqual(
        nextRuns({ schedule, backupWindow: null }, after, zone, 8 * PROOF),
      );
    }
});
