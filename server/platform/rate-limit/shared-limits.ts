import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { Environment } from '../app-context.ts';
import { makePerMinuteLimit, type MinuteCount, type PerMinuteLimit } from './per-minute.ts';

/** How often servers exchange counts, while there are any. */
const EXCHANGE_MS: Ms = 1_000;
/**
 * Callers below this part of their limit are not exchanged. Without an attack, these are nearly
 * all.
 */
const SHARED_FROM = 0.1;
/** The most callers of one exchange. The rest follows in the next ones. */
const MAX_CALLERS = 1_000;

/**
 * Limits per minute that hold over all servers of a database (HTTP-26), up to a tenth and the calls
 * of about a second more for each further server. No request waits for the database.
 */
export interface SharedLimits {
  /** Returns a limit. Limits of one name share their counts with other servers. */
  readonly perMinute: (name: string, perMinute: number, maxEntries?: number) => PerMinuteLimit;
  /** Begins to exchange counts with other servers, unless `isAlone` says that there are none. */
  start(isAlone: () => boolean): void;
  stop(): void;
}

interface Counted {
  readonly limit: PerMinuteLimit;
  readonly who: string;
}

export function makeSharedLimits({
  store,
  clock,
  chance,
  log,
}: Pick<Environment, 'store' | 'clock' | 'chance' | 'log'>): SharedLimits {
  const server = chance.uuid();
  /** Callers that were counted since the last exchange, by the name that servers share. */
  const counted = new Map<string, Counted>();
  let isAlone: (() => boolean) | null = null;
  let timer: { cancel(): void } | null = null;
  let isFailing = false;

  function schedule(): void {
    timer ??= clock.after(EXCHANGE_MS, () => void exchange());
  }

  async function exchange(): Promise<void> {
    const now = clock.now();
    const callers = [...counted].slice(0, MAX_CALLERS);
    for (const [caller] of callers) counted.delete(caller);
    const own = callers.flatMap(([caller, { limit, who }]) => {
      const count = limit.getOwn(who, now);
      return count === null ? [] : [{ caller, age_ms: count.ageMs, calls: count.calls }];
    });
    try {
      const others = await exchangeCounts(store, server, own);
      for (const [caller, { limit, who }] of callers) {
        const count = others.get(caller);
        if (count !== undefined) limit.setOthers(who, count, clock.now());
      }
      isFailing = false;
    } catch (error) {
      // While the database is away, this server counts alone, and one line says so.
      if (!isFailing)
        log.warn('limits could not be exchanged with other servers', { error: String(error) });
      isFailing = true;
    }
    timer = null;
    if (counted.size > 0 && isAlone !== null) schedule();
  }

  return {
    perMinute(name, perMinute, maxEntries) {
      const from = Math.ceil(perMinute * SHARED_FROM);
      const limit: PerMinuteLimit = makePerMinuteLimit(perMinute, maxEntries, (who, calls) => {
        if (calls < from || isAlone === null || isAlone()) return;
        counted.set(getCaller(name, who), { limit, who });
        schedule();
      });
      return limit;
    },
    start(alone) {
      if (store.kind === 'postgres') isAlone = alone;
    },
    stop() {
      isAlone = null;
      timer?.cancel();
    },
  };
}

/** A caller may be an address or a key: the database gets only a hash. */
const getCaller = (name: string, who: string): string =>
  createHash('sha256').update(`${name}\n${who}`).digest('base64url');

/**
 * Stores what this server has counted, and returns what all others have counted of the same callers.
 * Times are those of the database, since the clocks of servers differ. One statement.
 */
async function exchangeCounts(
  store: Environment['store'],
  server: string,
  own: readonly { readonly caller: string; readonly age_ms: Ms; readonly calls: number }[],
): Promise<ReadonlyMap<string, MinuteCount>> {
  if (own.length === 0) return new Map();
  const { rows } = await store.system((db) =>
    sql<{ caller: string; age_ms: number; calls: number }>`
      with own as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(own)}::jsonb) as r(caller text, age_ms bigint, calls bigint) order by caller
      ), stored as (
        insert into shared_count as c (caller, server, began_at, calls)
        select caller, ${server}, clock_timestamp() - age_ms * interval '1 millisecond', calls from own
        on conflict (caller, server) do update set began_at = excluded.began_at, calls = excluded.calls
      ), deleted as (
        delete from shared_count where (caller, server) in (
          select caller, server from shared_count where began_at < clock_timestamp() - interval '2 minutes' and server <> ${server}
          limit ${2 * MAX_CALLERS} for update skip locked)
      )
      select c.caller, (max(extract(epoch from clock_timestamp() - c.began_at)) * 1000)::bigint as age_ms, sum(c.calls)::bigint as calls
      from shared_count as c join own on own.caller = c.caller
      where c.server <> ${server} and c.began_at > clock_timestamp() - interval '1 minute' group by c.caller`.execute(
      db,
    ),
  );
  return new Map(rows.map(({ caller, age_ms: ageMs, calls }) => [caller, { ageMs, calls }]));
}
