import * as v from 'valibot';
import type { Outcome } from '#machines/sync-events.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import { SyncedSourcesSchema } from '#contract/sync/calls.ts';
import type { Bootstrap, SyncedSources } from '#contract/sync/calls.ts';
import { DAYS_AT_ONCE } from '#workers/startup/cold-start.ts';
import type { DayRuns, Patch } from '#workers/types.ts';
import type { WorkerClock } from '#workers/context.ts';
import { NO_ANSWER } from './answer.ts';
import type { Applied } from './apply.ts';
import { applyEvents } from './apply.ts';
import { pagesIn } from './frames.ts';
import { lastSyncRow } from './replica.ts';
import type { Replica } from './replica.ts';
import type { Wire } from './wire.ts';

/** What the loop's fetching needs, and whom it tells. */
export interface Fetching {
  readonly wire: Wire;
  readonly replica: Replica;
  readonly clock: WorkerClock;
  readonly me: () => string;
  /** Poison was met: true where loading anew is worth a try. Told what was passed over (G11). */
  readonly poisoned: (what: string) => boolean;
  /**
   * A batch stands in memory and, where `id` is a number, on disk. `more`: the server has more
   * right behind it.
   */
  readonly applied: (
    applied: Applied,
    written: { readonly id: number | null; readonly patch: Patch },
    more: boolean,
  ) => void;
  /**
   * Counts the changes that the user made to the own account: what was asked before one of them may
   * know of `me` as it was.
   */
  readonly meChanges: () => number;
  /** `isCurrent`: no such change was made while it was under way. */
  readonly begun: (begun: Begun, isCurrent: boolean) => void;
  readonly dayAdded: () => void;
}
export type Begun = Pick<Bootstrap, 'me' | 'branding'>;

/**
 * The envelope of `sync/events`; its events are read one by one, so that a bad one does not take
 * the others with it. Nor does what is not understood of the sources.
 */
const PageSchema = v.object({
  epoch: v.string(),
  cursor: v.number(),
  more: v.boolean(),
  events: v.array(v.unknown()),
  causes: v.optional(v.array(v.unknown()), []),
  sources: v.fallback(v.optional(SyncedSourcesSchema), undefined),
});

/** Everything after the cursor (SYNC-5). */
export async function pull(needs: Fetching): Promise<Outcome> {
  const { wire, replica, clock } = needs;
  for (;;) {
    const asked = replica.cursor;
    const answer = await wire.raw('events', {
      after: String(asked),
      epoch: replica.epoch,
      limit: String(LIMITS.eventsPage),
      protocol: String(PROTOCOL),
      sources: replica.sourcesTag,
    });
    if (!answer.ok) return refused(answer.failure);
    const page = v.safeParse(PageSchema, answer.value);
    if (!page.success) return failedWith(NO_ANSWER);
    const { epoch, cursor, more, events, causes, sources } = page.output;
    if (epoch !== replica.epoch) return { is: 'anew' };
    if (!plausible(asked, page.output)) return failedWith(NO_ANSWER);
    const applied = withSources(
      applyEvents(replica.base(), [...causes.map(foundCause), ...events], cursor),
      sources,
    );
    if (applied.poison.length > 0 && needs.poisoned(applied.poison.join(', ')))
      return { is: 'anew' };
    if (applied.gone || applied.scoped.has(needs.me())) return { is: 'anew' };
    if (cursor > asked || sources !== undefined)
      needs.applied(applied, await replica.apply(applied, clock.now()), more);
    else await synced(replica, clock);
    if (!more) return { is: 'done', cursor: replica.cursor, left: replica.daysLeft };
  }
}

/**
 * How the sources synced last goes with the events into one patch: cursor and rows are written
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
 * A cause of which the events behind it speak, as it was found: its place in the log is among what
 * is not told here.
 */
const foundCause = (data: unknown): object => ({
  seq: 0,
  at: 0,
  actor: { is: 'clock' },
  subject: null,
  commandId: null,
  company: null,
  entity: 'cause',
  event: { type: 'cause.found@1', data },
});

/** Who am I, and the small tables; the runs follow day by day (SYNC-3). */
export async function bootstrap(needs: Fetching): Promise<Outcome> {
  const { wire, replica } = needs;
  const changes = needs.meChanges();
  const answer = await wire.ask('bootstrap', { protocol: String(PROTOCOL) });
  if (!answer.ok) return failedWith(answer.failure);
  const kept = await unchangedDays(needs, answer.value);
  await replica.begin(answer.value);
  needs.begun(answer.value, needs.meChanges() === changes);
  for (let at = 0; at < kept.length; at += DAYS_AT_ONCE) {
    await replica.addDays(kept.slice(at, at + DAYS_AT_ONCE));
    needs.dayAdded();
  }
  return { is: 'done', cursor: replica.cursor, left: replica.daysLeft };
}

/**
 * Days that are here as the server has them, by their tags: they are not fetched again (SYNC-12).
 * Newest first, with other work between them.
 */
async function unchangedDays(
  { replica, clock }: Fetching,
  { epoch, days }: Bootstrap,
): Promise<DayRuns[]> {
  const kept: DayRuns[] = [];
  for (const { day, tag } of days) {
    if (!replica.holds(epoch, day, tag)) continue;
    kept.push(replica.dayOf(day, tag));
    await new Promise<void>((resolve) => {
      clock.after(0, resolve);
    });
  }
  return kept;
}

/**
 * The newest days that are not here yet: the first of all alone, so that its rows are soon here,
 * then some at once and written together.
 */
export async function loadDay({ wire, replica, dayAdded }: Fetching): Promise<Outcome> {
  const missing = [...replica.days]
    .filter(([, here]) => !here)
    .map(([one]) => one)
    .sort()
    .toReversed();
  const asked = missing.slice(0, missing.length === replica.days.size ? 1 : DAYS_AT_ONCE);
  const answers = await Promise.all(
    asked.map(async (day) => ({ day, answer: await wire.runsOfDay(day) })),
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
    : { is: 'done', cursor: replica.cursor, left: replica.daysLeft };
}

/**
 * Names of people are no events (they stand outside the log): whoever acts and has no name here yet
 * is asked for, once each.
 */
export async function learnNames({ wire, replica }: Fetching): Promise<void> {
  const answer = await wire.ask('bootstrap', { protocol: String(PROTOCOL) });
  if (answer.ok) replica.named(answer.value.people);
}

/**
 * A server that goes back, jumps about or says "more" without moving is not believed: it would make
 * a hole or spin.
 */
function plausible(
  asked: number,
  { cursor, more, events }: v.InferOutput<typeof PageSchema>,
): boolean {
  if (!Number.isSafeInteger(cursor) || cursor < asked || (more && cursor === asked)) return false;
  let last = asked;
  for (const one of events) {
    const seq = (one as { seq?: unknown } | null)?.seq;
    if (typeof seq !== 'number') continue; // unreadable: poison, not a place in the log
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

const failedWith = (failure: Failure): Outcome => ({ is: 'failed', failure });

/** Another epoch, or no longer in scope: what is here does not fit any more (LOG-6, SYNC-6). */
const refused = (failure: Failure): Outcome =>
  failure.kind === 'conflict' || failure.kind === 'forbidden'
    ? { is: 'anew' }
    : failedWith(failure);
