import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TableName, Tables } from '#contract/tables.ts';
import { STATUSES } from '#contract/runs/vocabulary.ts';
import { seedDemo, chooseDemo, OtherDemo } from '#server/demo/demo.ts';
import { getUuid } from '#server/demo/random.ts';
import { startLiveSimulation } from '#server/demo/simulate-live.ts';
import { loadHistory, markAt } from '#server/demo/load-history.ts';
import type { ProviderPlan } from '#server/demo/plan.ts';
import { loadSeedActors, provision } from '#server/demo/provision.ts';
import { startDemo, whoIsWho } from '#server/demo/start-demo.ts';
import { firstStart } from '#server/first-start.ts';
import { recordRepositories } from '#server/features/ingest/inventory.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { providersFrom } from '#server/platform/tenancy/providers.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getApp, login, makeFixture } from '../http/fixtures.ts';
import { eachDatabase, freshStore, QUIET } from '../db/databases.ts';
import { BORN, DAY, HOUR, getPlan } from './fixtures.ts';

const MINUTE = 60_000;
const silent = (): void => undefined;
const password = async (): Promise<string> => 'the password of the estate';
const ofHarbour = (seed: number, bornAt = BORN): ProviderPlan => {
  const [, harbour] = getPlan('small', bornAt, seed).providers;
  if (!harbour) throw new Error('no second provider');
  return harbour;
};

/** A context whose clock stands where the test puts it, and that waits for nothing. */
async function contextAt(
  store: Store,
  now: number,
  dataDir = '',
): Promise<{
  readonly context: AppContext;
  readonly at: (ms: number) => void;
  readonly run: () => void;
}> {
  const { context } = await makeFixture({ dataDir }, store);
  let status = now;
  const waiting: (() => void)[] = [];
  const clock = {
    now: () => status,
    after: (_ms: number, work: () => void) => {
      waiting.push(work);
      return { cancel: () => void waiting.splice(0) };
    },
  };
  return {
    context: { ...context, clock, log: QUIET.log },
    at(ms) {
      status = ms;
    },
    run() {
      for (const work of waiting.splice(0)) work();
    },
  };
}

const all = <T extends TableName>(
  { store }: AppContext,
  plan: ProviderPlan,
  table: T,
): Promise<Tables[T][]> => store.tenant(plan.id, (tx) => tx.all(table), { readOnly: true });
const loadSeq = ({ store }: AppContext, plan: ProviderPlan): Promise<number> =>
  store.tenant(plan.id, async (tx) => (await tx.head()).seq, { readOnly: true });
/** What the rows say, without what chance gave (ids of people). */
const loadRows = async (context: AppContext, plan: ProviderPlan): Promise<unknown> => [
  (await all(context, plan, 'run')).map(({ n, uid, status, problem, startedAt }) => [
    n,
    uid,
    status,
    problem,
    startedAt,
  ]),
  (await all(context, plan, 'problem')).map(
    ({ n, job, state, runs, closedAt, review, note, ticket }) => [
      n,
      job,
      state,
      runs,
      closedAt,
      review?.comment,
      note?.content,
      ticket,
    ],
  ),
];

eachDatabase((name, open) => {
  test('EST-6: a history loaded twice is stored once, and rows folded again are the same', async () => {
    const store = await open();
    const { context } = await contextAt(store, BORN);
    const plan = ofHarbour(name === 'pglite' ? 21 : 22);
    await provision({ ...context }, { ...plan, host: `${name}-twice.example` }, password);
    expect(await loadHistory(context, plan, BORN, silent)).toBeGreaterThan(3_000);
    const [seq, before] = [await loadSeq(context, plan), await loadRows(context, plan)];
    await provision(context, plan, password);
    expect(await loadHistory(context, plan, BORN, silent)).toBe(0);
    expect([await loadSeq(context, plan), await loadRows(context, plan)]).toEqual([seq, before]);
    const [rebuilt] = await rebuild(store, { only: [plan.id] });
    expect([rebuilt?.differences, rebuilt?.quarantined]).toEqual([[], 0]);
  });

  test('EST-6, LOG-1: an interrupted load continues after the last complete part, with the same result; events keep their own times and actors', async () => {
    const store = await open();
    const { context } = await contextAt(store, BORN);
    const whole = ofHarbour(name === 'pglite' ? 31 : 32);
    const twin: ProviderPlan = { ...whole, id: getUuid('twin', whole.id) };
    for (const [place, plan] of [whole, twin].entries())
      await provision(context, { ...plan, host: `${name}-${place}.example` }, password);
    await loadHistory(context, whole, BORN, silent);
    let pieces = 0;
    await expect(
      loadHistory(context, twin, BORN, () => {
        if ((pieces += 1) === 2) throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    const mark = await markAt(context, twin);
    expect([mark !== null && mark < BORN, (await all(context, twin, 'run')).length > 0]).toEqual([
      true,
      true,
    ]);
    await loadHistory(context, twin, BORN, silent);
    expect(await loadRows(context, twin)).toEqual(await loadRows(context, whole));

    const events = await store.tenant(whole.id, (tx) => tx.eventsAfter(0, 5_000), {
      readOnly: true,
    });
    const finished = events.filter(({ event }) => event.type === 'run.finished@1');
    expect(finished.length).toBeGreaterThan(1_000);
    for (const { event, at, actor } of finished) {
      if (event.type !== 'run.finished@1') continue;
      expect([at >= event.data.endedAt, at - event.data.endedAt < 5_000, actor]).toEqual([
        true,
        true,
        { kind: 'source', id: event.data.key },
      ]);
    }
    expect(new Set(events.map(({ actor }) => actor.kind))).toEqual(
      new Set(['clock', 'source', 'user']),
    );
  });
});

test('EST-7: what happened while the server was stopped is generated at the next start, for at most thirty days', async () => {
  const { context, at } = await contextAt(await freshStore('pglite'), BORN);
  await chooseDemo(context, 'small');
  const plan = ofHarbour(20_260_301);
  const demoData = { seed: 0, size: 'small', bornAt: BORN, providers: [plan] } as const;
  const first = await seedDemo(context, demoData, password, silent);
  const there = await all(context, plan, 'run');
  const runs = there.length;
  // What is told of the load are results: a run whose start was told and whose end was, once.
  expect(first).toBe(there.filter(({ status }) => status !== 'Running').length);
  at(BORN + 2 * DAY);
  const brought = await seedDemo(context, demoData, password, silent);
  const later = await all(context, plan, 'run');
  expect([brought > 200, later.length - runs > 200]).toEqual([true, true]);
  expect(new Set(later.map(({ uid }) => uid)).size).toBe(later.length);
  expect(Math.max(...later.map(({ startedAt }) => startedAt))).toBeGreaterThan(
    BORN + 2 * DAY - 2 * HOUR,
  );
  // A running one of the first load has ended.
  expect(later.filter(({ status, startedAt }) => status === 'Running' && startedAt < BORN)).toEqual(
    [],
  );
  at(BORN + 60 * DAY);
  await seedDemo(context, demoData, password, silent);
  const starts = (await all(context, plan, 'run'))
    .filter(({ status }) => status !== 'Missed')
    .map(({ startedAt }) => startedAt);
  expect([
    starts.some((one) => one > BORN + 3 * DAY && one < BORN + 29 * DAY),
    starts.some((one) => one > BORN + 31 * DAY),
  ]).toEqual([false, true]);
});

test('EST-8: the demo continues through ingest: starts, then ends, once each, also after a stop', async () => {
  const store = await freshStore('pglite');
  const { context, at, run } = await contextAt(store, BORN);
  const plan = ofHarbour(41);
  const demoData = { seed: 0, size: 'small', bornAt: BORN, providers: [plan] } as const;
  await seedDemo(context, demoData, password, silent);
  const head = await loadSeq(context, plan);
  const life = await startLiveSimulation(context, demoData);
  for (let minute = 1; minute <= 90; minute += 1) {
    at(BORN + minute * MINUTE);
    await life.tick(BORN + minute * MINUTE);
  }
  const events = await store.tenant(plan.id, (tx) => tx.eventsAfter(head, 5_000), {
    readOnly: true,
  });
  const started = new Map(
    events.flatMap(({ event, seq }) =>
      event.type === 'run.started@1' ? [[event.data.n, seq] as const] : [],
    ),
  );
  const ended = events.flatMap(({ event, seq }) =>
    event.type === 'run.finished@1' ? [{ n: event.data.n, seq }] : [],
  );
  expect([started.size > 5, ended.length > 5]).toEqual([true, true]);
  expect(
    ended.filter(({ n, seq }) => started.has(n) && (started.get(n) ?? 0) < seq).length,
  ).toBeGreaterThanOrEqual(4);
  expect(new Set(ended.map(({ n }) => n)).size).toBe(ended.length);
  // At its own pace as well, and until it is stopped.
  const before = await loadSeq(context, plan);
  at(BORN + 200 * MINUTE);
  run();
  await expect.poll(() => loadSeq(context, plan), { timeout: 60_000 }).toBeGreaterThan(before);
  await life.stop();
  const still = await loadSeq(context, plan);
  at(BORN + 300 * MINUTE);
  run();
  await life.tick(BORN + 300 * MINUTE);
  expect(await loadSeq(context, plan)).toBe(still);
  // The next start tells the rest, and nothing of it again.
  await seedDemo(context, demoData, password, silent);
  const runs = await all(context, plan, 'run');
  expect(new Set(runs.map(({ uid }) => uid)).size).toBe(runs.length);
  expect(runs.some(({ startedAt }) => startedAt > BORN + 220 * MINUTE)).toBe(true);
  expect((await rebuild(store, { only: [plan.id] }))[0]?.differences).toEqual([]);
});

/** The store of a server that is killed in the middle of its first new results. */
function cutStore(store: Store): Store {
  let left = 2;
  return {
    ...store,
    tenant: (tenant, work, how) =>
      how?.readOnly !== true && (left -= 1) === 0
        ? Promise.reject(new Error('cut'))
        : store.tenant(tenant, work, how),
  };
}

test('EST-8: results that failed to post are posted again, once', async () => {
  const store = await freshStore('pglite');
  const { context, at } = await contextAt(store, BORN);
  const plan = ofHarbour(51);
  const demoData = { seed: 0, size: 'small', bornAt: BORN, providers: [plan] } as const;
  await seedDemo(context, demoData, password, silent);
  const life = await startLiveSimulation({ ...context, store: cutStore(store) }, demoData);
  at(BORN + 60 * MINUTE);
  await expect(life.tick(BORN + 60 * MINUTE)).rejects.toThrow('cut');
  await life.tick(BORN + 60 * MINUTE);
  await life.stop();
  const runs = (await all(context, plan, 'run')).filter(({ startedAt }) => startedAt > BORN);
  expect(runs.length).toBeGreaterThan(3);
  expect(new Set(runs.map(({ uid }) => uid)).size).toBe(runs.length);
});

test('EST-7, EST-8: a server that was killed while new results arrived starts again later, with each run once', async () => {
  const plan = ofHarbour(52);
  const demoData = { seed: 0, size: 'small', bornAt: BORN, providers: [plan] } as const;
  const play = async (isCut: boolean) => {
    const store = await freshStore('pglite');
    const { context, at } = await contextAt(store, BORN);
    await seedDemo(context, demoData, password, silent);
    const life = await startLiveSimulation(
      isCut ? { ...context, store: cutStore(store) } : context,
      demoData,
    );
    at(BORN + 60 * MINUTE);
    const tick = life.tick(BORN + 60 * MINUTE);
    if (isCut) await expect(tick).rejects.toThrow('cut');
    else await tick;
    await life.stop();
    const arrived = (await all(context, plan, 'run')).filter(({ startedAt }) => startedAt > BORN);
    expect(arrived.length).toBeGreaterThan(0);
    at(BORN + 5 * HOUR);
    await seedDemo(context, demoData, password, silent);
    const runs = (await all(context, plan, 'run')).map(({ uid, status }) => `${uid} ${status}`);
    return runs.toSorted();
  };
  expect(await play(true)).toEqual(await play(false));
});

test('EST-7: a missed run that the server has marked before it was stopped is not marked again', async () => {
  const plan = ofHarbour(53);
  const demoData = { seed: 0, size: 'small', bornAt: BORN, providers: [plan] } as const;
  const seed = async () => {
    const store = await freshStore('pglite');
    const { context, at } = await contextAt(store, BORN);
    await seedDemo(context, demoData, password, silent);
    return {
      context,
      goOn: () => (at(BORN + 2 * DAY), seedDemo(context, demoData, password, silent)),
    };
  };
  const listMissed = async (context: AppContext) =>
    (await all(context, plan, 'run')).filter(
      ({ startedAt, status }) => status === 'Missed' && startedAt > BORN,
    );
  const one = await seed();
  await one.goOn();
  const [missed, ...others] = await listMissed(one.context);
  if (missed === undefined) throw new Error('nothing was missed');
  // A late result can have reset what the job was marked for, but not the run.
  const other = await seed();
  const n = 1_000_000;
  await other.context.store.tenant(plan.id, ({ sql }) =>
    sql
      .insertInto('run')
      .values({
        tenant_id: plan.id,
        n,
        job_n: missed.job,
        company_n: missed.company,
        key_id: missed.key,
        uid: missed.uid,
        status: missed.status,
        started_at: missed.startedAt,
        problem_n: null,
        seq: 1,
        row: JSON.stringify({ ...missed, n }),
      })
      .execute(),
  );
  await other.goOn();
  expect((await listMissed(other.context)).map(({ uid }) => uid).toSorted()).toEqual(
    [missed, ...others].map(({ uid }) => uid).toSorted(),
  );
});

let store: Store;
let dataDir: string;
beforeAll(async () => {
  store = await freshStore('pglite');
  dataDir = mkdtempSync(join(tmpdir(), 'daybook-estate-'));
});
afterAll(() => {
  rmSync(dataDir, { recursive: true });
});

test('EST-5, EST-9, EST-10: the first start prints the small data set with its users, complete; another size is refused and nothing changes', async () => {
  const { context, at } = await contextAt(store, BORN, dataDir);
  const lines: string[] = [];
  const state = await startDemo(context, null, null, (line) => lines.push(line));
  if (state === null) throw new Error('no estate');
  expect(lines.length).toBeGreaterThan(0);
  const [own, harbour] = state.plan.providers;
  if (!own || !harbour) throw new Error('no providers');
  const made = /^password: (.*)$/m.exec(
    readFileSync(join(dataDir, 'administrator.txt'), 'utf8'),
  )?.[1];
  expect(state.password).toBe(made);
  const table = whoIsWho(state, (host) => `http://${host ?? 'localhost'}:4300/`);
  expect(table).toContain('http://harbour.localhost:4300/');
  for (const { username, name } of own.people)
    expect(table).toMatch(new RegExp(`^  ${username} +${name}`, 'm'));

  const app = getApp(context);
  for (const { username, roles } of own.people) {
    const answer = await login(app, 'localhost:4300', username, made);
    expect([answer.status, answer.body.data.user.roles]).toEqual([200, [...roles]]);
  }
  expect((await login(app, 'harbour.localhost:4300', 'operator', made)).status).toBe(200);
  expect((await login(app, 'harbour.localhost:4300', 'admin', made)).status).toBe(401);
  // The first provider manages the second one, which manages none.
  expect(await providersFrom(context, own.id)).toEqual([own.id, harbour.id]);
  expect(await providersFrom(context, harbour.id)).toEqual([harbour.id]);

  const runs = await all(context, own, 'run');
  expect([...STATUSES].filter((status) => !runs.some((one) => one.status === status))).toEqual([]);
  const pending = (await all(context, own, 'problem')).filter(
    ({ closedAt, review, snooze }) =>
      closedAt === null && review === null && (snooze === null || snooze.until <= BORN),
  );
  expect([pending.length >= 25, pending.length <= 80], `${pending.length} to clear`).toEqual([
    true,
    true,
  ]);
  expect((await all(context, own, 'job')).length).toBe(700);
  // Some of what technicians named are tickets, and problems show them; the next start makes no
  // more.
  const tickets = await all(context, own, 'ticket');
  const linkedTicket = (await all(context, own, 'problem')).filter((one) => one.linkedTicket);
  expect([
    tickets.filter(({ status }) => !status.closed).length > 3,
    tickets.some(({ status }) => status.closed),
    linkedTicket.length >= tickets.length,
  ]).toEqual([true, true, true]);
  await startDemo(context, null, null, () => undefined);
  expect((await all(context, own, 'ticket')).length).toBe(tickets.length);
  const computers = await all(context, own, 'computer');
  const backed = new Set((await all(context, own, 'job')).map(({ computer }) => computer));
  expect(computers.filter(({ hostName }) => !backed.has(hostName)).length).toBeGreaterThan(10);
  const repositories = await all(context, own, 'repository');
  expect(repositories.length).toBe(own.repositories.length);
  expect(Math.min(...repositories.map(({ days }) => days.length))).toBeGreaterThanOrEqual(29);
  // A past sample is what ingest would have kept: the same again is a duplicate.
  const [sample] = repositories;
  const cast = await loadSeedActors(context, own, BORN);
  const key = cast.keys.find(({ id }) => id === sample?.key);
  if (!sample || !key) throw new Error('no repository');
  const again = {
    name: sample.name,
    uid: sample.uid,
    at: new Date(sample.sampledAt).toISOString(),
  };
  expect(
    await recordRepositories(context, own.id, key, [{ index: 0, value: again }], BORN),
  ).toEqual({
    ok: true,
    value: { accepted: 0, duplicates: 1 },
  });

  const seq = await loadSeq(context, own);
  await expect(startDemo(context, 'large', null, silent)).rejects.toThrow(OtherDemo);
  await expect(startDemo(context, 'none', null, silent)).rejects.toThrow(
    'It has the demo size small. Start with --estate small',
  );
  at(BORN + MINUTE);
  expect((await startDemo(context, 'small', null, silent))?.plan.bornAt).toBe(BORN);
  expect(await loadSeq(context, own)).toBe(seq);
  rmSync(join(dataDir, 'administrator.txt'));
  expect((await startDemo(context, null, null, silent))?.password).toBeNull();
});

test('EST-9: size none leaves existing data alone, and a folder without demo data gets none later', async () => {
  const { context } = await contextAt(
    await freshStore('pglite'),
    BORN,
    mkdtempSync(join(dataDir, 'none-')),
  );
  expect(await startDemo(context, 'none', null, silent)).toBeNull();
  expect(await context.store.tenants()).toEqual([]);
  await firstStart(context, null);
  expect(await startDemo(context, null, null, silent)).toBeNull();
  await expect(startDemo(context, 'small', null, silent)).rejects.toThrow(
    'It has the demo size none. Start with --estate none',
  );
  expect((await context.store.tenants()).length).toBe(1);
});
