import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '../app-context.ts';
import type { Presence } from '../db/presence.ts';
import { StoreError } from '../db/retry.ts';
import { describeError } from '../http/serve-call.ts';
import {
  BACKGROUND_JOB_NAMES,
  BACKGROUND_JOB_TYPES,
  type BackgroundJobName,
  type JobHandlers,
  type LeaseHandler,
} from './job-types.ts';
import { beginHeartbeat, type Heartbeat, LOOK_PAUSE_MS, watchBeats } from './heartbeat.ts';
import { BUILT_IN, type Worker } from './places.ts';
import {
  addMissingJobs,
  endForgottenLeases,
  endLeases,
  endLeasesByOwner,
  failJob,
  finishJob,
  type FreePlaces,
  type JobId,
  leaseDueJobs,
  type LeasedJob,
  listLeaseOwners,
  RENEW_MS,
  renewLeases,
  scheduleAfterAppend,
} from './leases.ts';

export interface JobRunner {
  /** Adds the jobs that providers don't have yet, and runs due jobs from now on. */
  start(): void;
  /** Runs the jobs that are due at `now`, and what they schedule at once. Resolves at their end. */
  tick(now?: Ms): Promise<void>;
  /** Takes no more jobs, and waits a few seconds for those that run. */
  stop(): Promise<void>;
}

/** How often it looks for jobs that other servers scheduled. */
const POLL_MS: Ms = 5_000;
/** How long it waits after a look that failed. */
const FAILED_LOOK_MS: Ms = 1_000;
/** Log changes of this time are handled together. */
const GATHER_MS: Ms = 1_000;
/** How often a process looks for further work. */
const WATCH_MS: Ms = 5_000;
/** How long a job may take to end after its time is up. */
const GRACE_MS: Ms = 60_000;

/** Why a job is stopped that another server may take over. */
const GIVEN_UP = new Error('Other servers could not see that this server lives.');

interface Running extends JobId {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** How a run ended. `next`: when it is due again after a success, undefined after a failure. */
interface RunEnd {
  readonly job: JobId;
  readonly next: Ms | null | undefined;
  readonly text: string;
  readonly retryAt: Ms;
}

/** Which process a runner belongs to. */
export interface JobProcess extends Worker {
  /** Null: the runner makes one. */
  readonly identity: { readonly owner: string; readonly presence: Presence } | null;
  /** How long a stopping process waits for running jobs. */
  readonly stopMs: Ms;
  /** Runs every few seconds. */
  watch(now: Ms): Promise<void>;
}
export const SERVER: JobProcess = {
  name: BUILT_IN,
  hasFolder: true,
  identity: null,
  stopMs: 3_000,
  watch: () => Promise.resolve(),
};

/**
 * The one runner of a server (JOB-1 to JOB-10). It leases due jobs of all providers with one query,
 * when one is due, when this server schedules one, and every few seconds. Runs the types that have
 * a handler.
 */
export function makeJobRunner(
  context: AppContext,
  handlers: Partial<JobHandlers>,
  process: JobProcess = SERVER,
): JobRunner {
  const { store, clock, log } = context;
  const owner = process.identity?.owner ?? context.chance.uuid();
  const types = BACKGROUND_JOB_NAMES.filter((name) => handlers[name] !== undefined);
  const delays = types.flatMap((type) => {
    const delay = BACKGROUND_JOB_TYPES[type].afterAppendMs;
    return delay === null ? [] : [{ type, delay }];
  });
  const running = new Map<string, Running>();
  const appended = new Set<TenantId>();
  let gatherUntil: Ms | null = null;
  let renewAt: Ms | null = null;
  let presence: Presence | null = null;
  let watchAt: Ms = 0;
  /** Null: no other server can take jobs over. */
  let heartbeat: Heartbeat | null = null;
  const beats = watchBeats();
  let isSeeking = false;
  /** Resolves when the next check of the others' heartbeats may begin. */
  let seekPause: Promise<void> = Promise.resolve();
  let seekTimer: { cancel(): void } | null = null;
  /** Whether others could not see for a while that this server lives. */
  let isBack = false;
  /** Ends of runs that could not be stored yet. */
  const unstored: RunEnd[] = [];
  let timer: { cancel(): void } | null = null;
  let timerAt = Infinity;
  let looking: Promise<void> | null = null;
  let isPrepared = false;
  let isLookFailing = false;
  let started = false;
  let stopped = false;
  const unsubscribe: (() => void)[] = [];

  /** Leases and starts what is due. Returns how many jobs began, and when the next one is due. */
  async function look(now: Ms): Promise<{ readonly begun: number; readonly nextAt: Ms | null }> {
    const places = freePlaces(types, running.values());
    if (places.length === 0 || heartbeat?.isShown() === false) return { begun: 0, nextAt: null };
    const ids = ownIds();
    const { jobs, nextAt } = await store.system((db) =>
      leaseDueJobs(db, owner, process, places, ids, now, heartbeat === null),
    );
    if (jobs.length > 0) renewAt ??= now + RENEW_MS;
    for (const job of jobs) {
      const name = getName(job);
      const abort = new AbortController();
      if (stopped) abort.abort();
      else if (heartbeat?.isShown() === false) abort.abort(GIVEN_UP);
      const ended = run(job, abort, now).finally(() => running.delete(name));
      running.set(name, { ...job, abort, ended });
    }
    return { begun: jobs.length, nextAt };
  }

  const runningIds = (): readonly JobId[] =>
    [...running.values()].map(({ tenant_id, type, key }) => ({ tenant_id, type, key }));
  /** An end that is still to be stored must not meet the lease of a later run. */
  const ownIds = (): readonly JobId[] => [...runningIds(), ...unstored.map(({ job }) => job)];

  async function run(job: LeasedJob, abort: AbortController, now: Ms): Promise<void> {
    const type = BACKGROUND_JOB_TYPES[job.type];
    let next: Ms | null | undefined;
    let timeout: { cancel(): void } | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timeout = clock.after(type.timeoutMs, () => {
          abort.abort();
          timeout = clock.after(GRACE_MS, () => {
            reject(new Error(`It didn't end within ${type.timeoutMs} ms.`));
          });
        });
      });
      late.catch(() => undefined);
      // The type and the payload belong together: `schedule` has checked them.
      const handler = handlers[job.type] as LeaseHandler<BackgroundJobName>;
      const dueAt = await Promise.race([
        late,
        handler({
          tenant: job.tenant_id,
          payload: v.parse(type.payload, job.payload),
          now,
          lease: context.chance.uuid(),
          signal: abort.signal,
        }),
      ]);
      // At least a millisecond later, so that no job runs twice at one time of the clock.
      const latest = Math.max(now, clock.now()) + type.maxWaitMs;
      const due = dueAt === null ? null : Math.min(Math.max(dueAt, now + 1), latest);
      next = due;
      const stored = await store.system((db) => finishJob(db, owner, job, due));
      if (stored !== null) lookAt(stored);
    } catch (error) {
      // Stopped because others could not see this server: nothing about the job has failed.
      if (abort.signal.reason === GIVEN_UP && next === undefined) {
        isBack = true;
        lookAt(0);
        return;
      }
      const wait = retryWait(type.retry, job.attempts, context.chance.bytes(1)[0] ?? 0);
      const retryAt = clock.now() + wait;
      if (next === undefined)
        log.error(type.failure, {
          tenant: job.tenant_id,
          ...(job.key === '' ? {} : { job: job.key }),
          attempts: job.attempts,
          retryInMs: wait,
          ...describeError(error),
        });
      const text = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
      const end = { job, next, text, retryAt };
      await storeEnd(end)
        // Stored when the database is back.
        .catch((failure: unknown) => {
          unstored.push(end);
          log.error('the end of a background job could not be stored', describeError(failure));
        });
      lookAt(retryAt);
    } finally {
      timeout?.cancel();
      if (wasFull(job)) lookAt(0);
    }
  }

  /** Whether another job can start only after this one. It still counts. */
  function wasFull({ type, tenant_id, key }: JobId): boolean {
    const { maxRunning, maxRunningPerTenant } = BACKGROUND_JOB_TYPES[type];
    const same = [...running.values()].filter((one) => one.type === type);
    return (
      same.length >= maxRunning ||
      (key !== '' &&
        same.filter((one) => one.tenant_id === tenant_id).length >= maxRunningPerTenant)
    );
  }

  async function followLog(now: Ms): Promise<void> {
    const tenants = [...appended];
    appended.clear();
    gatherUntil = null;
    if (tenants.length > 0)
      await store.system((db) => scheduleAfterAppend(db, tenants, delays, now));
  }

  async function renew(now: Ms): Promise<void> {
    renewAt = running.size === 0 ? null : now + RENEW_MS;
    if (running.size === 0) return;
    const ids = runningIds();
    const leased = await store.system((db) => renewLeases(db, owner, ids, now));
    const own = new Set(leased.map(getName));
    for (const name of ids.map(getName)) if (!own.has(name)) running.get(name)?.abort.abort();
  }

  /**
   * Takes over the jobs of servers that are gone, with at most one check for each heartbeat of this server.
   */
  async function seekGone(from: Presence): Promise<void> {
    if (isSeeking || stopped) return;
    isSeeking = true;
    try {
      await seekPause;
      if (hasStopped() || heartbeat?.isShown() === false) return;
      const owners = (await store.system(listLeaseOwners)).filter((one) => one !== owner);
      const gone = beats.look(owners, await from.readBeats(owners));
      if (gone.length === 0 || heartbeat?.isShown() === false) return;
      await store.system((db) => endLeasesByOwner(db, gone, clock.now()));
      log.warn('a server is gone, and its background jobs are taken over', {
        servers: gone.length,
      });
      lookAt(0);
    } catch (error) {
      log.warn('servers that are gone could not be looked up', describeError(error));
    } finally {
      seekPause = new Promise((resolve) => {
        seekTimer = clock.after(LOOK_PAUSE_MS, resolve);
      });
      isSeeking = false;
    }
  }

  /** Asked after a wait: it may have changed. */
  const hasStopped = (): boolean => stopped;

  function beginBeats(from: Presence): Heartbeat {
    return beginHeartbeat(clock, from, {
      onBeat() {
        if (isBack) lookAt(0);
        void seekGone(from);
      },
      onLost() {
        isBack = true;
        log.warn('this server stops its background jobs, because others may take them over', {
          jobs: running.size,
        });
        for (const { abort } of running.values()) abort.abort(GIVEN_UP);
      },
    });
  }

  /** After a while in which others may have taken jobs over: those that are still its own. */
  async function comeBack(now: Ms): Promise<void> {
    await renew(now);
    await store.system((db) => endForgottenLeases(db, owner, ownIds(), now));
    isBack = false;
  }

  async function storeEnd({ job, next, text, retryAt }: RunEnd): Promise<void> {
    const fail = () => store.system((db) => failJob(db, owner, job, text, retryAt));
    if (next === undefined) return fail();
    // A success is no failure because its end could not be stored at first.
    const finish = store.system((db) => finishJob(db, owner, job, next));
    const stored = await finish.catch((error: unknown) => {
      if (error instanceof StoreError) throw error;
      return fail();
    });
    if (typeof stored === 'number') lookAt(stored);
  }

  async function storeEnds(): Promise<void> {
    for (let end = unstored[0]; end !== undefined; end = unstored[0]) {
      await storeEnd(end);
      unstored.shift();
    }
  }

  async function prepare(): Promise<void> {
    if (isPrepared) return;
    await (heartbeat?.first ?? presence?.announced);
    await store.system(async (db) => {
      await addMissingJobs(
        db,
        types.filter((type) => BACKGROUND_JOB_TYPES[type].isRecurring),
      );
      // The embedded database has one server: jobs that a killed one ran are free.
      if (store.kind === 'pglite') await endLeases(db, clock.now());
    });
    isPrepared = true;
  }

  /** One look at a time. What happens meanwhile is looked at afterwards. */
  async function turn(): Promise<void> {
    let nextAt: Ms | null = null;
    timerAt = Infinity;
    try {
      const now = clock.now();
      await prepare();
      await storeEnds();
      if (hasPassed(renewAt, RENEW_MS, now)) await renew(now);
      if (hasPassed(gatherUntil, GATHER_MS, now)) await followLog(now);
      if (isBack && heartbeat?.isShown() === true) await comeBack(now);
      if (hasPassed(watchAt, WATCH_MS, now)) {
        watchAt = now + WATCH_MS;
        await process.watch(now);
      }
      for (;;) {
        const looked = await look(clock.now());
        ({ nextAt } = looked);
        if (looked.begun === 0 || stopped) break;
      }
      isLookFailing = false;
    } catch (error) {
      // Whether it had leased something before it failed is unknown.
      isBack = heartbeat !== null;
      // While the database is away, one line says so.
      if (!isLookFailing)
        log.error('due background jobs could not be looked up', describeError(error));
      isLookFailing = true;
    }
    looking = null;
    const now = clock.now();
    const at = Math.min(now + POLL_MS, nextAt ?? Infinity, renewAt ?? Infinity, timerAt);
    // What could not be done is still due: without a wait, looks would follow each other at once.
    lookAt(isLookFailing ? Math.max(at, now + FAILED_LOOK_MS) : at);
  }

  function lookAt(at: Ms): void {
    if (!started || stopped) return;
    // A clock that was set back must not delay the next look.
    const now = clock.now();
    const then = Math.min(at, now + POLL_MS);
    if (looking !== null) {
      timerAt = Math.min(timerAt, then);
      return;
    }
    if (timer !== null && timerAt <= then && timerAt <= now + POLL_MS) return;
    timer?.cancel();
    timerAt = then;
    timer = clock.after(Math.max(0, then - now), () => {
      timer = null;
      if (!stopped) looking = turn();
    });
  }

  return {
    start() {
      unsubscribe.push(
        store.onJobScheduled(lookAt),
        store.onAppend((tenant) => {
          appended.add(tenant);
          gatherUntil ??= clock.now() + GATHER_MS;
          lookAt(gatherUntil);
        }),
      );
      started = true;
      presence = process.identity?.presence ?? store.announce(owner);
      if (store.kind === 'postgres') heartbeat = beginBeats(presence);
      lookAt(0);
    },
    async tick(now) {
      for (;;) {
        const { begun } = await look(now ?? clock.now());
        if (begun === 0 && running.size === 0) return;
        await Promise.all([...running.values()].map(({ ended }) => ended));
      }
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      for (const end of unsubscribe) end();
      for (const { abort } of running.values()) abort.abort();
      let patience: { cancel(): void } | undefined;
      await Promise.race([
        (looking ?? Promise.resolve()).then(() =>
          Promise.all([...running.values()].map(({ ended }) => ended)),
        ),
        new Promise<void>((resolve) => {
          patience = clock.after(process.stopMs, resolve);
        }),
      ]);
      patience?.cancel();
      heartbeat?.stop();
      seekTimer?.cancel();
      await presence?.end();
    },
  };
}

/** A time further ahead than `longestMs` was set before the clock was set back. */
const hasPassed = (at: Ms | null, longestMs: Ms, now: Ms): boolean =>
  at !== null && (at <= now || at > now + longestMs);

const getName = ({ type, tenant_id, key }: JobId): string => `${type} ${tenant_id} ${key}`;

function freePlaces(
  types: readonly BackgroundJobName[],
  running: Iterable<JobId>,
): readonly FreePlaces[] {
  const counts = new Map<string, number>();
  for (const { type } of running) counts.set(type, (counts.get(type) ?? 0) + 1);
  return types.flatMap((type) => {
    const { maxRunning, maxRunningPerTenant, maxWaitMs, isRouted } = BACKGROUND_JOB_TYPES[type];
    const free = maxRunning - (counts.get(type) ?? 0);
    if (free <= 0) return [];
    const place = { type, free, per_tenant: maxRunningPerTenant, max_wait: maxWaitMs };
    return [{ ...place, is_routed: isRouted }];
  });
}

/** Returns the wait in ms after this many attempts. `random`: 0 to 255. */
export function retryWait(
  { firstMs, longestMs }: { readonly firstMs: Ms; readonly longestMs: Ms },
  attempts: number,
  random: number,
): Ms {
  const wait = Math.min(longestMs, firstMs * 2 ** Math.min(20, Math.max(0, attempts - 1)));
  return Math.round(wait * (0.5 + random / 255));
}
