import type { UserId } from '#contract/ids.ts';
import * as v from 'valibot';
import type { SyncOutcome } from '#machines/sync-events.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import { SyncedSourcesSchema } from '#contract/sync/calls.ts';
import type { Bootstrap, SyncedSources } from '#contract/sync/calls.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { DAYS_AT_ONCE } from '#workers/startup/cold-start.ts';
import type { DayRuns, Patch } from '#workers/types.ts';
import type { WorkerClock } from '#workers/context.ts';
import { NO_ANSWER } from '#workers/failures.ts';
import type { Applied } from './apply.ts';
import { applyEvents } from './apply.ts';
import { pagesIn } from './frames.ts';
import { checkRows } from './bootstrap-rows.ts';
import { lastSyncRow } from './replica.ts';
import type { Replica } from './replica.ts';
import type { PushedPages } from './pushed-pages.ts';
import type { Wire } from './wire.ts';

/*
 * How an event reaches the screen:
 *
 * 1. A poke of the stream says that there is more (`stream.ts`), often with the events themselves
 *    (`pushed-pages.ts`).
 * 2. Take those, or request the events after the cursor: `loadPage`, over `wire.ts`, which refreshes
 *    the token and verifies the checksum of the answer.
 * 3. Fold them into rows, with the same code as the server: `applyEvents` (`apply.ts`).
 * 4. Write the rows and the cursor together to memory and disk: `Replica.apply`.
 * 5. Notify the outbox, the other tabs and the live queries: `Fetching.applied`, set in `loop.ts`.
 *
 * A device without data, or with data of another log, begins with `loadSnapshot`, and then loads the
 * runs day by day, newest first: `loadDay`. `machines/sync.ts` decides when to do which.
 */

/** What fetching needs, and its callbacks. */
export interface Fetching {
  readonly wire: Wire;
  readonly replica: Replica;
  readonly pushed: PushedPages;
  readonly clock: WorkerClock;
  readonly me: () => UserId;
  /** Reports unreadable events that were skipped; returns whether a reload is worth a try (G11). */
  readonly poisoned: (what: string) => boolean;
  /** Reports rows of a bootstrap that were skipped. */
  readonly unreadable: (what: string) => void;
  /**
   * A batch is in memory and, if `id` is a number, on disk. `more`: the server has more after it.
   */
  readonly applied: (
    applied: Applied,
    written: { readonly id: number | null; readonly patch: Patch },
    more: boolean,
  ) => void;
  /**
   * Counts the changes that the user made to their own account: a request from before one of them
   * may return an outdated `me`.
   */
  readonly meChanges: () => number;
  /** `isCurrent`: no such change happened during the request. */
  readonly begun: (begun: Begun, isCurrent: boolean) => void;
  readonly dayAdded: () => void;
}
export type Begun = Pick<Bootstrap, 'me' | 'branding'>;

/**
 * The envelope of `sync/events`. Its events are read one by one, so that a bad one doesn't fail the
 * others. The same goes for unknown data about sources.
 */
const PageSchema = v.object({
  epoch: v.string(),
  cursor: v.number(),
  more: v.boolean(),
  events: v.array(v.unknown()),
  causes: v.optional(v.array(v.unknown()), []),
  sources: v.fallback(v.optional(SyncedSourcesSchema), undefined),
});

/** Returns events that came with pokes, if they continue the log here, or else asks the server. */
async function loadPage({ wire, replica, pushed }: Fetching): Promise<Result<unknown>> {
  const here = pushed.take(replica.cursor, replica.epoch);
  if (here !== null) return ok({ ...here, epoch: replica.epoch, more: false });
  const hasAnswered = pushed.asking();
  const answer = await wire.raw('events', {
    after: String(replica.cursor),
    epoch: replica.epoch,
    limit: String(LIMITS.eventsPage),
    protocol: String(PROTOCOL),
    sources: replica.sourcesTag,
  });
  if (answer.ok) hasAnswered();
  return answer;
}

/** Applies everything after the cursor (SYNC-5). */
export async function pull(needs: Fetching): Promise<SyncOutcome> {
  const { replica, clock } = needs;
  if (replica.lacksTables) return { kind: 'reload' };
  for (;;) {
    const request = replica.cursor;
    const answer = await loadPage(needs);
    if (!answer.ok) return refused(answer.failure);
    const page = v.safeParse(PageSchema, answer.value);
    if (!page.success) return failedWith(NO_ANSWER);
    const { epoch, cursor, more, events, causes, sources } = page.output;
    if (epoch !== replica.epoch) return { kind: 'reload' };
    if (!plausible(request, page.output)) return failedWith(NO_ANSWER);
    const applied = withSources(
      applyEvents(replica.base(), [...causes.map(foundCause), ...events], cursor),
      sources,
    );
    if (applied.poison.length > 0 && needs.poisoned(applied.poison.join(', ')))
      return { kind: 'reload' };
    if (applied.gone || applied.scoped.has(needs.me())) return { kind: 'reload' };
    if (cursor > request || sources !== undefined)
      needs.applied(applied, await replica.apply(applied, clock.now()), more);
    else await synced(replica, clock);
    if (!more && !needs.pushed.continues(replica.cursor, replica.epoch))
      return { kind: 'done', cursor: replica.cursor, left: replica.daysLeft };
  }
}

/**
 * Puts the last sync of the sources into the same patch as the events: cursor and rows are written
 * together.
 */
const withSources = (applied: Applied, sources: SyncedSources | undefined): Applied =>
  sources === undefined
    ? applied
    : {
        ...applied,
        patch: {
          ...applied.patch,
          rows: { ...applied.patch.rows, lastSync: [lastSyncRow(sources)] },
        },
      };

/**
 * Turns a cause that later events refer to into the event that found it. That event itself was not
 * sent.
 */
const foundCause = (data: unknown): object => ({
  seq: 0,
  at: 0,
  actor: { kind: 'clock' },
  subject: null,
  commandId: null,
  company: null,
  entity: 'cause',
  event: { type: 'cause.found@1', data },
});

/** Fetches the current user and the small tables; the runs follow day by day (SYNC-3). */
export async function loadSnapshot(needs: Fetching): Promise<SyncOutcome> {
  const { wire, replica } = needs;
  const changes = needs.meChanges();
  const answer = await wire.ask('bootstrap', { protocol: String(PROTOCOL) });
  if (!answer.ok) return failedWith(answer.failure);
  const stored = await unchangedDays(needs, answer.value);
  const { rows, unreadable } = checkRows(answer.value);
  await replica.begin(answer.value, rows);
  if (unreadable.length > 0) needs.unreadable(unreadable.join(', '));
  needs.begun(answer.value, needs.meChanges() === changes);
  for (let at = 0; at < stored.length; at += DAYS_AT_ONCE) {
    await replica.addDays(stored.slice(at, at + DAYS_AT_ONCE));
    needs.dayAdded();
  }
  return { kind: 'done', cursor: replica.cursor, left: replica.daysLeft };
}

/**
 * Returns days that match the server's tags: they are not fetched again (SYNC-12). Newest first,
 * with other work between them.
 */
async function unchangedDays(
  { replica, clock }: Fetching,
  { epoch, days }: Bootstrap,
): Promise<DayRuns[]> {
  const stored: DayRuns[] = [];
  for (const { day, tag } of days) {
    if (!replica.holds(epoch, day, tag)) continue;
    stored.push(replica.dayOf(day, tag));
    await new Promise<void>((resolve) => {
      clock.after(0, resolve);
    });
  }
  return stored;
}

/**
 * Fetches the newest missing days: the very first alone, so that its rows arrive soon, then several
 * at once, written together.
 */
export async function loadDay({ wire, replica, dayAdded }: Fetching): Promise<SyncOutcome> {
  const missing = [...replica.days]
    .filter(([, here]) => !here)
    .map(([one]) => one)
    .sort()
    .toReversed();
  const request = missing.slice(0, missing.length === replica.days.size ? 1 : DAYS_AT_ONCE);
  const answers = await Promise.all(
    request.map(async (day) => ({ day, answer: await wire.getDayRuns(day) })),
  );
  const days: DayRuns[] = [];
  let failure: Failure | null = null;
  for (const { day, answer } of answers) {
    const pages = answer.ok ? framesOrNull(answer.value.bytes) : null;
    if (!answer.ok || pages === null) {
      failure = answer.ok ? NO_ANSWER : answer.failure;
      break;
    }
    days.push({ day, pages, ...(answer.value.tag !== null && { tag: answer.value.tag }) });
  }
  if (days.length > 0) {
    await replica.addDays(days);
    dayAdded();
  }
  return failure
    ? refused(failure)
    : { kind: 'done', cursor: replica.cursor, left: replica.daysLeft };
}

/**
 * Names of users are not in events (they are outside the log): fetches the name of each actor that
 * has none here yet, once.
 */
export async function learnNames({ wire, replica }: Fetching): Promise<void> {
  const answer = await wire.ask('bootstrap', { protocol: String(PROTOCOL) });
  if (answer.ok) replica.named(answer.value.people);
}

/**
 * Rejects a server that goes back, skips, or says "more" without progress: that would leave a hole
 * or loop forever.
 */
function plausible(
  request: number,
  { cursor, more, events }: v.InferOutput<typeof PageSchema>,
): boolean {
  if (!Number.isSafeInteger(cursor) || cursor < request || (more && cursor === request))
    return false;
  let last = request;
  for (const one of events) {
    const seq = (one as { seq?: unknown } | null)?.seq;
    if (typeof seq !== 'number') continue; // unreadable: not a position in the log
    if (seq <= last || seq > cursor) return false;
    last = seq;
  }
  return true;
}

async function synced(replica: Replica, clock: WorkerClock): Promise<void> {
  replica.syncedAt = clock.now();
  await replica.disk.noteSynced(replica.syncedAt);
}

function framesOrNull(buffer: ArrayBuffer): ReturnType<typeof pagesIn> | null {
  try {
    return pagesIn(buffer);
  } catch {
    return null;
  }
}

const failedWith = (failure: Failure): SyncOutcome => ({ kind: 'failed', failure });

/** Another epoch, or no longer in scope: the local data doesn't fit any more (LOG-6, SYNC-6). */
const refused = (failure: Failure): SyncOutcome =>
  failure.kind === 'conflict' || failure.kind === 'forbidden'
    ? { kind: 'reload' }
    : failedWith(failure);
