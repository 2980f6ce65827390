import type { KeyId, Ms } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { recordComputers, recordRepositories } from '../features/ingest/inventory.ts';
import { recordResults } from '../features/ingest/pipeline.ts';
import { repeat } from './repeat.ts';
import type { RepeatedTask } from './repeat.ts';
import type { AppContext } from '../platform/app-context.ts';
import { type SimulatedEvent, simulateRuns } from './simulate-runs.ts';
import { markAt, getHistoryKey } from './load-history.ts';
import type { DemoPlan, ProviderPlan } from './plan.ts';
import { getComputer, makePayload, getSample } from './ingest-payloads.ts';
import { getHistoryStart } from './provision.ts';

const EVERY: Ms = 4_000;
/** How far ahead runs are planned. */
const AHEAD: Ms = 30 * 60_000;
/** Results per key and request. */
const BATCH_SIZE = 500;

/** The simulation of one provider. */
interface Course {
  readonly plan: ProviderPlan;
  reportedUntil: Ms;
  agenda: readonly SimulatedEvent[];
  next: number;
  planned: Ms;
}

/**
 * Continues the demo live: runs start and end by their schedules and go through the normal ingest.
 * After a pause (the machine slept), the next tick catches up. Stopping waits for the tick in
 * progress. No technician is simulated: the visitor does the reviews.
 */
export async function startLiveSimulation(
  context: AppContext,
  { providers }: DemoPlan,
): Promise<RepeatedTask> {
  const courses: Course[] = [];
  for (const plan of providers) {
    const mark = (await markAt(context, plan)) ?? context.clock.now();
    courses.push({ plan, reportedUntil: mark, agenda: [], next: 0, planned: mark });
  }
  return repeat(context, EVERY, 'the demo estate could not go on', async (now, over) => {
    for (const course of courses) if (!over()) await live(context, course, now);
  });
}

async function live(context: AppContext, course: Course, now: Ms): Promise<void> {
  if (now <= course.reportedUntil) return;
  const due = listDueEvents(course, now);
  try {
    if (due.length > 0) await tellAll(context, course.plan, due, now);
    course.reportedUntil = now;
  } catch (error) {
    // Start over from the last written moment. Ingest recognizes the results it already has by
    // their ids.
    [course.agenda, course.next, course.planned] = [[], 0, course.reportedUntil];
    throw error;
  }
}

/** Returns the events due since the last call, in order. */
function listDueEvents(course: Course, now: Ms): SimulatedEvent[] {
  const due: SimulatedEvent[] = [];
  for (;;) {
    if (course.planned <= now && course.next >= course.agenda.length) {
      const from = course.planned;
      course.agenda = simulateRuns(
        course.plan,
        getHistoryStart(course.plan),
        from,
        from + AHEAD,
        'all',
      );
      [course.next, course.planned] = [0, from + AHEAD];
    }
    const one = course.agenda[course.next];
    if (one !== undefined && one.at < now) {
      due.push(one);
      course.next += 1;
    } else if (one !== undefined || course.planned > now) break;
  }
  return due;
}

async function tellAll(
  context: AppContext,
  plan: ProviderPlan,
  due: readonly SimulatedEvent[],
  now: Ms,
): Promise<void> {
  const byKey = new Map<number, SimulatedEvent[]>();
  for (const one of due) {
    const key =
      one.kind === 'sample'
        ? one.repository.key
        : one.kind === 'seen'
          ? one.machine.key
          : one.job.key;
    const list = byKey.get(key);
    if (list) list.push(one);
    else byKey.set(key, [one]);
  }
  const ids = [...byKey.keys()].flatMap((place): KeyId[] => {
    const id = plan.keys[place]?.id;
    return id === undefined ? [] : [id];
  });
  const keys = await context.store.tenant(plan.id, (tx) => tx.rows('key', ids), { readOnly: true });
  for (const [place, list] of byKey) {
    const key = keys.get(plan.keys[place]?.id ?? '');
    // A revoked key sends nothing.
    if (key && key.revokedAt === null)
      for (let from = 0; from < list.length; from += BATCH_SIZE)
        await postResults(context, plan, key, list.slice(from, from + BATCH_SIZE), now);
  }
  const value = String(now);
  await context.store.system((sql) =>
    sql
      .insertInto('server_setting')
      .values({ name: getHistoryKey(plan), value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute(),
  );
}

async function postResults(
  context: AppContext,
  plan: ProviderPlan,
  key: IngestKeyRow,
  due: readonly SimulatedEvent[],
  now: Ms,
): Promise<void> {
  const results = due.flatMap((one, index) =>
    one.kind === 'start' || one.kind === 'finish' ? [makePayload(one, index)] : [],
  );
  if (results.length > 0) await recordResults(context, plan.id, key, results, now);
  await recordRepositories(
    context,
    plan.id,
    key,
    due.flatMap((one, index) =>
      one.kind === 'sample' ? [{ index, value: getSample(plan, one.repository, one.at) }] : [],
    ),
    now,
  );
  await recordComputers(
    context,
    plan.id,
    key,
    due.flatMap((one, index) =>
      one.kind === 'seen' ? [{ index, value: getComputer(one.machine) }] : [],
    ),
    now,
  );
}
