import type { NewEvent } from '#contract/events.ts';
import type { RowId } from '#contract/fold.ts';
import type { CompanyN, JobN, Ms, RunN, UserId } from '#contract/ids.ts';
import { decideChange, type Target } from '#contract/runs/change.ts';
import { getDay } from '#contract/time/day.ts';
import { getExpectation } from '#contract/problems/expectation.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { Tables } from '#contract/tables.ts';
import { HOUR_MS, MINUTE_MS } from '#contract/time/durations.ts';
import { decide, type TasksOf } from '../features/ingest/decide.ts';
import {
  addNames,
  type DecidedResults,
  type DecisionState,
  makeDeciding,
  type NameMaps,
} from '../features/ingest/decision-state.ts';
import { jobChange } from '../features/ingest/job-changes.ts';
import { getMissedUid, miss } from '../features/ingest/overdue.ts';
import { type EventMeta, byClock } from '../platform/db/store.ts';
import { type ScriptedAction, morning } from './simulated-operators.ts';
import { type SimulatedEvent, simulateRuns } from './simulate-runs.ts';
import type { ProviderPlan } from './plan.ts';
import { makePayload, sampled, getJobFields, seen } from './ingest-payloads.ts';
import { getLocalMoment, plainCronNext, getWeekday } from './times.ts';

/**
 * What the generated history needs besides the plan. `companies`: by their index in the plan;
 * `heard`: keys that have posted before.
 */
export interface SeedActors {
  readonly since: Ms;
  /** The end of the whole history. Technicians haven't reviewed the failures shortly before it. */
  readonly until: Ms;
  /** Runs that were due before this time don't count as missed. */
  readonly bootedAt: Ms;
  readonly companies: readonly CompanyN[];
  readonly keys: readonly IngestKeyRow[];
  readonly technicians: readonly UserId[];
  readonly heard: Set<string>;
}

/**
 * Events in order, each with its own time and actor; logs and objects of runs; the number of runs.
 */
export interface History {
  readonly drafts: readonly NewEvent[];
  readonly by: readonly EventMeta[];
  readonly logs: readonly { readonly run: RunN; readonly body: string }[];
  readonly tasks: readonly TasksOf[];
  readonly runs: number;
}

/** The decision state of a whole provider, which its history updates. */
export type WholeState = NameMaps & {
  readonly [T in (typeof TABLES)[number]]: Map<RowId, Tables[T]>;
} & { readonly key: DecisionState['key']; readonly logged: DecisionState['logged'] } & {
  next: DecisionState['next'];
  /** The ids of missed runs, also of those that were marked live. */
  readonly missed: Set<string>;
};
const TABLES = ['job', 'stat', 'run', 'problem', 'cause'] as const;

/**
 * Returns what happened in [from, to), minute by minute, decided by the rules for ingested results
 * and missed runs (RUN-3, RUN-5, RUN-6). Pure except for `context`, which it updates.
 */
export function generateHistory(
  plan: ProviderPlan,
  cast: SeedActors,
  context: WholeState,
  from: Ms,
  to: Ms,
): History {
  const drafts: NewEvent[] = [];
  const by: EventMeta[] = [];
  const logs: { run: RunN; body: string }[] = [];
  const tasks: TasksOf[] = [];
  const dues = new Map<number, JobN[]>();
  const actions = new Map<number, ScriptedAction[]>();
  const planned = new Map(plan.jobs.map((job) => [job.uid, job]));
  const simulatedRuns = simulateRuns(plan, cast.since, from, to, 'few');
  const mornings = pickMornings(plan, cast, from, to);
  let runs = 0;

  const put = (draft: NewEvent, who: EventMeta): void => {
    drafts.push(draft);
    by.push(who);
  };
  /** Adds what was decided to the history, and to the state for what follows. */
  const keep = ({ folded, names, state }: DecidedResults, who: EventMeta): void => {
    for (const { event, company, entity } of folded.events) put({ event, company, entity }, who);
    for (const table of TABLES)
      for (const [id, row] of folded.changes.rows[table]?.after ?? [])
        (context[table] as Map<RowId, typeof row>).set(id, row);
    addNames(context, names);
    context.next = state.next;
  };
  const say = ({ event, company, entity }: NewEvent, who: EventMeta): void => {
    const deciding = makeDeciding(context, who);
    deciding.emit(company, entity, event);
    keep(deciding.decided(), who);
  };
  const expect = (job: JobN, at: Ms): void => {
    const minute = Math.ceil(at / MINUTE_MS);
    const list = dues.get(minute);
    if (list) list.push(job);
    else dues.set(minute, [job]);
  };

  function due(n: JobN, at: Ms): void {
    const job = context.job.get(n);
    const stat = context.stat.get(n);
    if (!job || !stat) return;
    const expected = getExpectation(job, stat, cast.bootedAt, plainCronNext);
    if (expected === null) expect(n, at + 12 * HOUR_MS);
    else if (expected.dueAt > at) expect(n, expected.dueAt);
    // A late result can restore an expected time that was already marked.
    else if (context.missed.has(getMissedUid(n, expected.at))) expect(n, at + HOUR_MS);
    else {
      context.missed.add(getMissedUid(n, expected.at));
      const deciding = makeDeciding(context, byClock(at));
      miss(deciding, job, expected.at, stat.lastStart);
      keep(deciding.decided(), byClock(at));
      runs += 1;
      expect(n, at + HOUR_MS);
    }
  }

  function happen(one: SimulatedEvent): void {
    if (one.kind === 'start' || one.kind === 'finish') return result(one);
    const place =
      one.kind === 'sample' ? one.repository : one.kind === 'seen' ? one.machine : one.job;
    const key = cast.keys[place.key];
    const company = cast.companies[place.company];
    if (!key || company === undefined) return;
    if (one.kind === 'sample')
      put(sampled(plan, one.repository, key.id, company, one.at), bySource(key, one.at));
    else if (one.kind === 'seen') put(seen(one.machine, key.id, company), bySource(key, one.at));
    else {
      const job = context.job.get(context.jobByUid.get(one.job.uid) ?? 0);
      const data = job ? jobChange(job, { ...getJobFields(one.job), enabled: false }) : null;
      if (data)
        say(
          { company, entity: `job:${data.n}`, event: { type: 'job.updated@1', data } },
          bySource(key, one.at),
        );
    }
  }

  function result(one: Extract<SimulatedEvent, { kind: 'start' | 'finish' }>): void {
    const key = cast.keys[one.job.key];
    if (!key) return;
    const fresh = !context.jobByUid.has(one.job.uid);
    const by = bySource(key, one.at);
    const decision = decide(context, key, [makePayload(one)], by);
    keep(decision, by);
    logs.push(...decision.logs);
    tasks.push(...decision.tasks);
    if (one.kind === 'finish') runs += decision.accepted; // a reported start is the same run
    if (!cast.heard.has(key.id)) {
      cast.heard.add(key.id);
      put(
        {
          company: key.company,
          entity: `key:${key.id}`,
          event: { type: 'key.firstResultReceived@1', data: { id: key.id } },
        },
        bySource(key, one.at),
      );
    }
    const n = fresh ? context.jobByUid.get(one.job.uid) : undefined;
    if (n !== undefined) expect(n, one.at + HOUR_MS);
  }

  function round(at: Ms): void {
    const [first, ...rest] = cast.technicians;
    if (first === undefined) return;
    const pending = [...context.problem.values()]
      .filter(
        (one) =>
          one.closedAt === null &&
          one.review === null &&
          (one.snooze === null || one.snooze.until <= at),
      )
      .sort((a, b) => a.n - b.n);
    const shift = {
      at,
      technicians: [first, ...rest],
      last: at > cast.until - 44 * HOUR_MS,
      jobOf: (one: { readonly job: JobN }) => planned.get(context.job.get(one.job)?.uid ?? ''),
      causeOf: (one: { readonly cause: number }) => context.cause.get(one.cause),
    } as const;
    for (const action of morning(plan, shift, pending)) {
      const minute = Math.floor(action.at / MINUTE_MS);
      actions.set(minute, [...(actions.get(minute) ?? []), action]);
    }
  }

  function act({ at, by: user, problems, change }: ScriptedAction): void {
    const targets = new Map<RunN, Target>(
      problems.flatMap((n) => {
        const problem = context.problem.get(n);
        return problem
          ? [
              [
                problem.lastRun,
                {
                  run: context.run.get(problem.lastRun) ?? {
                    n: problem.lastRun,
                    job: problem.job,
                    company: problem.company,
                  },
                  problem,
                },
              ] as const,
            ]
          : [];
      }),
    );
    for (const draft of decideChange(
      change,
      [...targets.keys()],
      targets,
      user,
      at,
      () => 'somebody else',
    ).drafts)
      say(draft, { actor: { kind: 'user', id: user }, subject: null, commandId: null, at });
  }

  for (const n of context.job.keys()) due(Number(n), from);
  let next = 0;
  for (let minute = Math.floor(from / MINUTE_MS); minute * MINUTE_MS < to; minute += 1) {
    const at = minute * MINUTE_MS;
    for (const n of dues.get(minute) ?? []) due(n, at);
    dues.delete(minute);
    if (mornings.has(minute)) round(at);
    for (const action of actions.get(minute) ?? []) act(action);
    for (
      let one = simulatedRuns[next];
      one !== undefined && one.at < at + MINUTE_MS;
      one = simulatedRuns[next]
    ) {
      happen(one);
      next += 1;
    }
  }
  return { drafts, by, logs, tasks, runs };
}

/** Technicians do no reviews this long before the end. */
const UNTOUCHED: Ms = 20 * HOUR_MS;

/**
 * The minutes at which a technician starts the daily checks: half past eight, later on weekends.
 */
function pickMornings(plan: ProviderPlan, { until }: SeedActors, from: Ms, to: Ms): Set<number> {
  const { timeZone } = plan.branding;
  const minutes = new Set<number>();
  for (let day = getDay(from, timeZone, 0); day <= getDay(to, timeZone, 0); day += 1) {
    const weekend = getWeekday(day) % 6 === 0;
    const at = getLocalMoment(day, weekend ? 600 : 510, timeZone);
    if (at <= until - UNTOUCHED) minutes.add(Math.floor(at / MINUTE_MS));
  }
  return minutes;
}

const bySource = ({ id }: IngestKeyRow, at: Ms): EventMeta => ({
  actor: { kind: 'source', id },
  subject: null,
  commandId: null,
  at,
});
