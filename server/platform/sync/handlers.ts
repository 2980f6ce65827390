import { LRUCache } from 'lru-cache';
import type { Logged } from '#contract/events.ts';
import { toFormerActor, toFormerEvent } from '#contract/former-events.ts';
import { toFormerRow } from '#contract/former-fields.ts';
import { failed, ok } from '#contract/result.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { utcDay } from '#contract/time/day.ts';
import { evaluateConditions } from '#server/platform/http/conditions.ts';
import { FORBIDDEN, refuse } from '#server/platform/http/envelope.ts';
import type { SessionContext, Handlers } from '#server/platform/http/handler.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { bootstrap } from './bootstrap.ts';
import { loadPages, tagOfDay } from './days.ts';
import { causesIn } from './event-pages.ts';
import { CUT_EPOCH, HELD_EPOCH, heldBootstrap } from './snapshot.ts';
import { lastSyncIn, syncedSources } from './last-sync.ts';
import { watchSources } from './source-watch.ts';
import { epochFor, toScope } from './scope.ts';
import { pokeStream } from './stream.ts';
import { makeTails } from './tail.ts';
import { visibleEvent } from './visible.ts';

const CACHE_BYTES = 64 * 1024 * 1024;
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};
const tooOld = (protocol: number | undefined): boolean =>
  protocol !== undefined && protocol < PROTOCOL - 1;
/** The version before, which knows events by their former names, and programs that name none. */
const isFormer = (protocol: number = PROTOCOL - 1): boolean => protocol < PROTOCOL;
const toFormer = (logged: Logged): Logged => ({
  ...logged,
  actor: toFormerActor(logged.actor) as Logged['actor'],
  event: toFormerEvent(logged.event) as Logged['event'],
});
const toFormerBootstrap = (data: Bootstrap): Bootstrap => ({
  ...data,
  me: { ...data.me, acting: data.me.impersonator },
  jobs: data.jobs.map((row) => toFormerRow('job', row)),
  problems: data.problems.map((row) => toFormerRow('problem', row)),
});
const updateNeeded = failed({ kind: 'update-needed', message: MESSAGES.updateNeeded });

export function syncHandlers(
  context: AppContext,
): Pick<Handlers, 'bootstrap' | 'getDayRuns' | 'events' | 'stream' | 'lastSync'> {
  const pages = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: CACHE_BYTES,
    maxEntrySize: CACHE_BYTES / 4,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });
  const streams = new Map<string, number>();
  const marks = watchSources(context);
  const tails = makeTails(context, marks);
  const read = <T>(ctx: SessionContext, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(ctx.tenant, work, { readOnly: true });

  return {
    async bootstrap({ protocol }, ctx) {
      if (tooOld(protocol)) return updateNeeded;
      const { session } = ctx;
      const data = await read(ctx, (tx) =>
        session.mustReset ? heldBootstrap(tx, session, ctx.now) : bootstrap(tx, session, ctx.now),
      );
      return ok(protocol !== undefined && isFormer(protocol) ? toFormerBootstrap(data) : data);
    },

    async getDayRuns({ day }, ctx) {
      const scope = toScope(ctx.session);
      if (!scope.reads.has('result')) return refuse(FORBIDDEN);
      return await read(ctx, async (tx) => {
        const tag = await tagOfDay(tx, scope, day, await tx.head());
        const headers = { 'content-type': 'application/octet-stream', 'etag': tag };
        if (evaluateConditions(ctx.request.headers, tag) === 'not-modified')
          return new Response(null, { status: 304, headers });
        const key = `${ctx.tenant} ${tag}`;
        const stored = pages.get(key);
        if (stored) return new Response(stored, { headers });
        const made = await loadPages(tx, scope, day);
        if (day < utcDay(ctx.now)) pages.set(key, made); // a past day
        return new Response(made, { headers });
      });
    },

    async events({ after, epoch, limit, protocol, sources }, ctx) {
      if (tooOld(protocol)) return updateNeeded;
      if (ctx.session.mustReset)
        return ok({ epoch: HELD_EPOCH, cursor: 0, head: 0, more: false, events: [] });
      const scope = toScope(ctx.session);
      return await read(ctx, async (tx) => {
        const head = await tx.head();
        const scopedEpoch = epochFor(head.epoch, scope);
        // Another epoch or scope, or a cursor from after the backup that was restored: the device
        // reloads everything (LOG-6, SYNC-6).
        if (epoch !== scopedEpoch || after > head.seq)
          return ok({
            epoch: scopedEpoch,
            cursor: head.seq,
            head: head.seq,
            more: false,
            events: [],
          });
        if (after < head.cut)
          return ok({
            epoch: CUT_EPOCH,
            cursor: head.seq,
            head: head.seq,
            more: false,
            events: [],
          });
        const page = Math.min(limit ?? LIMITS.eventsPage, LIMITS.eventsPage);
        const events = await tx.eventsAfter(after, page);
        const cursor = events.at(-1)?.seq ?? after;
        const seen = events.flatMap((one) => visibleEvent(scope, one) ?? []);
        const more = cursor < head.seq;
        // A device that requests it gets the last sync of the sources as of the end of the log.
        const synced =
          sources === undefined || more ? null : await syncedSources(tx, scope, ctx.now);
        return ok({
          epoch,
          cursor,
          head: head.seq,
          more,
          events: isFormer(protocol) ? seen.map(toFormer) : seen,
          ...(scope.companies !== null && { causes: await causesIn(tx, seen) }),
          ...(synced !== null && synced.tag !== sources && { sources: synced }),
        });
      });
    },

    async stream({ protocol }, ctx) {
      const { session } = ctx;
      // A HEAD request has no body whose end could release its slot.
      if (ctx.request.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
      // Before the slot is taken: if this fails, there is nothing to release.
      const firstMark = await marks(ctx.tenant);
      const open = streams.get(session.userId) ?? 0;
      if (open >= LIMITS.streamsPerUser)
        return refuse({ kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs: 30_000 });
      streams.set(session.userId, open + 1);
      const closed = (): void => {
        streams.set(session.userId, (streams.get(session.userId) ?? 1) - 1);
      };
      const body = pokeStream(tails, ctx.tenant, session, {
        firstMark,
        withEvents: protocol === PROTOCOL,
        onClose: closed,
      });
      return new Response(body, { headers: STREAM_HEADERS });
    },

    async lastSync(_, ctx) {
      return ok(await read(ctx, (tx) => lastSyncIn(tx, toScope(ctx.session))));
    },
  };
}
