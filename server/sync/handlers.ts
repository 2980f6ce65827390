import type { Logged } from '#contract/events.ts';
import { failed, ok } from '#contract/result.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { CauseRow } from '#contract/monitoring/rows.ts';
import { SOURCES } from '#contract/monitoring/words.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { aliveSession } from '#server/account/sessions.ts';
import { FORBIDDEN, refuse } from '#server/http/envelope.ts';
import type { Ask, Handlers, Signed } from '#server/http/handler.ts';
import type { TenantTx } from '#server/store/store.ts';
import type { World } from '#server/world.ts';
import { bootstrap } from './bootstrap.ts';
import { dayAt, pagesOf, tagOfDay } from './days.ts';
import { HELD_EPOCH, heldBootstrap } from './held.ts';
import { makeKinds } from './kinds.ts';
import { makePageCache } from './page-cache.ts';
import { collectedHealth } from './collected-health.ts';
import { epochFor, scopeOf, seesCompany } from './scope.ts';
import { pokeStream } from './stream.ts';
import { visibleEvent } from './visible.ts';

const CACHE_BYTES = 64 * 1024 * 1024;
const tooOld = (protocol: number | undefined): boolean => protocol !== undefined && protocol < PROTOCOL - 1;
const updateNeeded = failed({ kind: 'update-needed', message: MESSAGES.updateNeeded });

export function syncHandlers(world: World): Pick<Handlers, 'bootstrap' | 'runsOfDay' | 'events' | 'stream' | 'lastSync'> {
  const pages = makePageCache(CACHE_BYTES);
  const kinds = makeKinds();
  const streams = new Map<string, number>();
  const read = <T>(ask: Ask, work: (tx: TenantTx) => Promise<T>): Promise<T> => world.store.tenant(ask.tenant, work, { readOnly: true });

  return {
    async bootstrap({ protocol }, ask) {
      if (tooOld(protocol)) return updateNeeded;
      const signed = signedOf(ask);
      return ok(await read(ask, (tx) => (signed.mustReset ? heldBootstrap(tx, signed, ask.now) : bootstrap(tx, signed, ask.now, kinds))));
    },

    async runsOfDay({ day }, ask) {
      const scope = scopeOf(signedOf(ask));
      if (!scope.reads.has('result')) return refuse(FORBIDDEN);
      return await read(ask, async (tx) => {
        const tag = await tagOfDay(tx, scope, day, await tx.head(), kinds);
        const headers = { 'content-type': 'application/octet-stream', 'etag': tag };
        if (ask.request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
        const key = `${ask.tenant} ${tag}`;
        const kept = pages.get(key);
        if (kept) return new Response(kept, { headers });
        const made = await pagesOf(tx, scope, day);
        if (day < dayAt(ask.now)) pages.put(key, made); // a closed day
        return new Response(made, { headers });
      });
    },

    async events({ after, epoch, limit, protocol }, ask) {
      if (tooOld(protocol)) return updateNeeded;
      if (signedOf(ask).mustReset) return ok({ epoch: HELD_EPOCH, cursor: 0, head: 0, more: false, events: [] });
      const scope = scopeOf(signedOf(ask));
      return await read(ask, async (tx) => {
        const head = await tx.head(), told = epochFor(head.epoch, scope);
        // Another epoch or scope, or a cursor from a future that a restore took away: the device loads anew (LOG-6, SYNC-6).
        if (epoch !== told || after > head.seq) return ok({ epoch: told, cursor: head.seq, head: head.seq, more: false, events: [] });
        const page = Math.min(limit ?? LIMITS.eventsPage, LIMITS.eventsPage);
        const events = await tx.eventsAfter(after, page);
        const cursor = events.at(-1)?.seq ?? after;
        const seen = events.flatMap((one) => visibleEvent(scope, one) ?? []);
        return ok({ epoch, cursor, head: head.seq, more: cursor < head.seq, events: seen, ...(scope.companies !== null && { causes: await causesIn(tx, seen) }) });
      });
    },

    async stream(_, ask) {
      const signed = signedOf(ask);
      const open = streams.get(signed.userId) ?? 0;
      if (open >= LIMITS.streamsPerUser) {
        const body = { success: false, message: MESSAGES.tooMany, error: { kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs: 30_000 } };
        return Response.json(body, { status: 429, headers: { 'retry-after': '30' } });
      }
      streams.set(signed.userId, open + 1);
      const closed = (): void => { streams.set(signed.userId, (streams.get(signed.userId) ?? 1) - 1); };
      const body = pokeStream(world, ask.tenant, signed, () => aliveSession(world, ask.tenant, signed.sessionId), closed);
      return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' } });
    },

    async lastSync(_, ask) {
      return ok(await read(ask, (tx) => lastSync(tx, signedOf(ask))));
    },
  };
}

/** The gate has let nobody through who is not signed in. */
function signedOf(ask: Ask): Signed {
  if (!ask.signed) throw new Error('a signed-in call without a session');
  return ask.signed;
}

/** Those that problems begin with. */
const causesIn = async (tx: TenantTx, events: readonly Logged[]): Promise<CauseRow[]> =>
  [...(await tx.rows('cause', [...new Set(events.flatMap(({ event }) => (event.type === 'problem.opened@1' ? [event.data.cause] : [])))])).values()];

/** A source counts as failed while its last request was one that could not be used. */
async function lastSync(tx: TenantTx, signed: Signed): Promise<LastSync> {
  const scope = scopeOf(signed);
  if (!scope.reads.has('sourceHealth')) return { status: 'NEVER', at: null, failed: [], sources: [] };
  const rows = await tx.sql.selectFrom('source_health as h')
    .innerJoin('source_key as k', (join) => join.onRef('k.tenant_id', '=', 'h.tenant_id').onRef('k.id', '=', 'h.key_id'))
    .select(['k.row as key', 'h.last_heard_at', 'h.last_fault_at', 'h.last_fault'])
    .where('h.tenant_id', '=', tx.tenant).where('k.tenant_id', '=', tx.tenant).execute();
  const seen = rows.filter(({ key }) => key.revokedAt === null && key.connection === undefined && seesCompany(scope, key.company));
  const failures = seen.flatMap(({ key, last_heard_at: heard, last_fault_at: fault, last_fault: message }) =>
    fault !== null && fault > (heard ?? 0) ? [{ entity: key.name, at: fault, message: message ?? '' }] : []);
  const heardOf = (some: typeof seen): number | null =>
    some.reduce<number | null>((newest, { last_heard_at: heard }) => (heard === null ? newest : Math.max(newest ?? 0, heard)), null);
  const collected = await collectedHealth(tx, scope);
  const at = [heardOf(seen), ...collected.sources.map((one) => one.at)].reduce((newest, one) => (one === null ? newest : Math.max(newest ?? 0, one)), null);
  const posting = SOURCES.map((source) => ({ source, of: seen.filter(({ key }) => key.tool === source) })).filter(({ of }) => of.length > 0).map(({ source, of }) => ({
    source, keys: of.length, at: heardOf(of), failed: of.filter(({ last_heard_at: heard, last_fault_at: fault }) => fault !== null && fault > (heard ?? 0)).length,
  }));
  const failed = [...failures, ...collected.failed];
  const sources = [...posting.filter(({ source }) => !collected.sources.some((one) => one.source === source)), ...collected.sources.map((one) => joined(one, posting.find(({ source }) => source === one.source)))];
  return { status: failed.length > 0 ? 'FAILED' : at === null ? 'NEVER' : 'SUCCEEDED', at, failed, sources };
}

/** What posts and what is collected of one system, together. */
const joined = (a: LastSync['sources'][number], b: LastSync['sources'][number] | undefined): LastSync['sources'][number] =>
  (b === undefined ? a : { source: a.source, keys: a.keys + b.keys, failed: a.failed + b.failed, at: a.at === null || b.at === null ? a.at ?? b.at : Math.max(a.at, b.at) });
