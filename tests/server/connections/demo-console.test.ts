import { afterEach, beforeAll, expect, test } from 'vitest';
import { getDay } from '#contract/time/day.ts';
import { firstLine } from '#contract/runs/first-line.ts';
import { makePlan } from '#server/demo/make-plan.ts';
import { loadHistory } from '#server/demo/load-history.ts';
import { provision } from '#server/demo/provision.ts';
import type { ProviderPlan } from '#server/demo/plan.ts';
import { isOn, getLocalMoment } from '#server/demo/times.ts';
import { cronNext } from '#server/platform/jobs/cron.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyStore } from '../db/databases.ts';
import { DAY, HOUR, NOON } from '../ingest/fixtures.ts';
import { atMost, serveDemo } from './fakes/demo-console.ts';
import { aConsole, aField, type Field } from './fakes/fixtures.ts';
import { uid } from './fakes/vspc.ts';

let store: Store;
let field: Field;
beforeAll(async () => {
  store = await anyStore();
});
afterEach(async () => {
  await field.collectors.stop();
});

/** The second provider of the small estate: 120 jobs of every kind. */
function harbour(seed: number): ProviderPlan {
  const [, plan] = makePlan(seed, 'small', NOON - DAY).providers;
  if (!plan) throw new Error('an estate without its second provider');
  return plan;
}

/**
 * What a provider has, by names that two of them share: jobs and whether they are on; results, each
 * by its job and second.
 */
async function loadDemo(
  tenant: string,
  since: number,
): Promise<{
  readonly jobs: readonly string[];
  readonly results: readonly string[];
  readonly days: Readonly<Record<string, number>>;
}> {
  const [companies, jobs, runs] = await store.tenant(
    tenant,
    async (tx) => [await tx.all('company'), await tx.all('job'), await tx.all('run')] as const,
    { readOnly: true },
  );
  const company = new Map(companies.map(({ n, name }) => [n, name]));
  const job = new Map(jobs.map((one) => [one.n, `${company.get(one.company) ?? ''}: ${one.name}`]));
  const office = new Set(jobs.flatMap(({ n, group }) => (group === 'office365' ? [n] : [])));
  const newest = new Map<number, number>();
  for (const run of runs)
    if (run.status !== 'Missed')
      newest.set(run.job, Math.max(newest.get(run.job) ?? 0, run.startedAt));
  // A console has no word for an error of the tool itself, tells of a week, and of each job its
  // last session.
  const details = runs
    .filter(
      (run) =>
        run.status !== 'Missed' &&
        (run.startedAt >= since || run.startedAt === newest.get(run.job)),
    )
    .map(({ job: of, status, startedAt, durationSec, message }) =>
      // Of a success nothing is said there; what is unusual here, thirty days have shown the
      // estate.
      ({
        of,
        status: status === 'Error' ? 'Failed' : status,
        startedAt,
        durationSec,
        message: status === 'Success' ? '' : firstLine(message ?? ''),
      }),
    );
  return {
    jobs: jobs.map((one) => `${job.get(one.n) ?? ''} ${one.enabled ? 'on' : 'off'}`).toSorted(),
    // The last session of a job of Microsoft 365 is told without its length.
    results: details
      .map(
        ({ of, status, startedAt, durationSec, message }) =>
          `${job.get(of) ?? ''} ${new Date(startedAt).toISOString()} ${status} ${office.has(of) ? '' : (durationSec ?? '')} ${message}`,
      )
      .toSorted(),
    days: Object.fromEntries(
      [
        ...Map.groupBy(
          details,
          ({ startedAt, status }) => `${new Date(startedAt).toISOString().slice(0, 10)} ${status}`,
        ),
      ]
        .map(([day, all]) => [day, all.length] as const)
        .toSorted(([a], [b]) => a.localeCompare(b)),
    ),
  };
}

test("COLLECT-9: a console's data arrives here as it is there: the same jobs, states and results of each day, in pages, at the console's pace", async () => {
  const plan = harbour(31);
  const vspc = await aConsole();
  field = await aField(store);
  const { context } = field;
  const limit = atMost(12, () => context.clock.now());
  vspc.console.maxPage = 25;
  vspc.console.fault = limit.fault;
  let late = 0;
  vspc.console.later = (_requested, path) =>
    path === 'infrastructure/backupAgents/jobs' && late++ === 0;
  for (const { name } of plan.companies) await field.company(name, uid(`company ${name}`));
  await provision(context, { ...plan, host: 'harbour.example' }, () =>
    Promise.resolve('the password of the estate'),
  );
  await field.connect(vspc.outside.url);
  for (const hours of [0, 7, 31]) {
    field.place.ground.at(NOON + hours * HOUR);
    serveDemo(vspc.console, plan, context.clock.now());
    await loadHistory(context, plan, context.clock.now(), () => undefined);
    const began = context.clock.now();
    for (let minutes = 0; minutes < 40; minutes += 1) await field.round(60_000);
    field.place.ground.at(began);
    const [theirs, ours] = [
      await loadDemo(plan.id, began - 7 * DAY),
      await loadDemo(field.tenant, began - 7 * DAY),
    ];
    expect(ours.jobs).toEqual(theirs.jobs);
    expect(ours.days).toEqual(theirs.days);
    expect(ours.results).toEqual(theirs.results);
    expect(ours.results.length).toBeGreaterThan(500);
  }
  // What was read of the schedules says when the next run is due, on the estate's own wall.
  const planned = new Map(plan.jobs.map((job) => [job.uid, job]));
  const from = NOON + 32 * HOUR;
  const next = (await field.place.all('job')).flatMap(({ uid: id, schedule }) => {
    const when = planned.get(id)?.when;
    if (schedule?.type !== 'cron' || !when) return [];
    const starts = [0, 1, 2, 3]
      .map((more) => getDay(from, when.tz, 0) + more)
      .filter((day) => isOn(when, day))
      .map((day) => getLocalMoment(day, when.times[0] ?? 0, when.tz))
      .filter((at) => at > from);
    return starts.length === 0
      ? []
      : [[cronNext(schedule.cron, schedule.tz, from), starts[0]] as const];
  });
  expect(next.length).toBeGreaterThan(20);
  for (const [read, meant] of next) expect(read).toBe(meant);
  const listed = await field.listConnections();
  expect(listed.ok && listed.value[0]?.collections.map(({ status }) => status)).toEqual(
    Array.from({ length: 11 }, () => 'succeeded'),
  );
  expect([limit.refusals > 0, late > 1]).toEqual([true, true]);
  expect((await rebuild(store, { only: [field.tenant] }))[0]?.differences).toEqual([]);
});
