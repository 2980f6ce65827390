import { sql } from 'kysely';
import { listStoredTypes } from '#contract/former-events.ts';
import type { EventType } from '#contract/events.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { TABLE_OF } from '#contract/tables.ts';
import {
  type FoundSession,
  readOpenSessions,
  withActiveActors,
} from '#server/platform/auth/sessions.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { HeadPosition, TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { makePagePokes, readNewEvents } from './event-pages.ts';
import type { NewEvents, PagePokes } from './event-pages.ts';

/** How often a tail looks without a hint, and checks all sessions. */
export const TICK_MS: Ms = 2_000;
/** The shortest time between two looks: hints of this time are answered together. */
const GAP_MS: Ms = 50;
/**
 * That time for each stream of the provider. A device answers a poke without events with a call, so a
 * provider causes at most 500 calls a second, as long as it has less than a thousand streams here.
 */
const GAP_PER_STREAM_MS = { withEvents: 0.2, without: 2 } as const;
const LONGEST_GAP_MS: Ms = TICK_MS;
/** The number of streams to write to before other work of the server gets its turn. */
const CHUNK = 100;

/** A stream, as its tail sees it. */
export interface Follower {
  readonly sessionId: string;
  /** Whether it signals that sources synced or failed. */
  readonly readsSources: () => boolean;
  /** Called every `TICK_MS`. */
  readonly tick: () => void;
  readonly look: (look: LogUpdate) => void;
}

export interface LogUpdate {
  readonly head: HeadPosition;
  /**
   * What the follower's session may do now, null if it has ended; undefined if it wasn't checked
   * this time.
   */
  readonly session: Principal | null | undefined;
  /** Another text when sources synced or failed; null if it wasn't read. */
  readonly mark: string | null;
  /** Pokes with what is new, if all sessions were checked; null if there is nothing, or too much. */
  readonly pages: PagePokes | null;
}

export interface Tails {
  /** Calls the follower with what its provider's log has, at once and until the returned function is called. */
  follow(tenant: TenantId, follower: Follower): () => void;
}

/**
 * Follows the logs of providers for all streams of this server: one reader for each provider that
 * has streams (SYNC-20). It looks after a commit on any server, and every two seconds for lost hints
 * and for sessions that ended. `mark`: see `LogUpdate`.
 */
export function makeTails(context: AppContext, mark: (tenant: TenantId) => Promise<string>): Tails {
  const tails = new Map<TenantId, Tail>();
  let unsubscribe: (() => void) | null = null;
  return {
    follow(tenant, follower) {
      unsubscribe ??= context.store.onAppendAnywhere((of) => tails.get(of)?.hint());
      let tail = tails.get(tenant);
      if (tail === undefined) {
        tail = makeTail(context, tenant, () => mark(tenant));
        tails.set(tenant, tail);
      }
      const leave = tail.add(follower);
      return () => {
        if (leave() > 0) return;
        tails.delete(tenant);
        if (tails.size > 0) return;
        unsubscribe?.();
        unsubscribe = null;
      };
    },
  };
}

interface Tail {
  hint(): void;
  /** The returned function removes the follower, and returns how many are left. */
  add(follower: Follower): () => number;
}

function makeTail(context: AppContext, tenant: TenantId, mark: () => Promise<string>): Tail {
  const { clock, log, store } = context;
  const followers = new Set<Follower>();
  const unchecked = new Set<Follower>();
  let ticking: { cancel(): void } | null = null;
  let waiting: { cancel(): void } | null = null;
  let isLooking = false;
  let isWanted = false;
  /** All sessions are to be checked. */
  let isCheckDue = false;
  let lookedAt: Ms = 0;
  let gapMs: Ms = 0;
  /** The end of the log at the last look. */
  let seen: HeadPosition | null = null;
  let gapPerStreamMs: number = GAP_PER_STREAM_MS.withEvents;

  function tick(): void {
    for (const follower of followers) follower.tick();
    isCheckDue = true;
    want();
    ticking = clock.after(TICK_MS, tick);
  }

  function want(): void {
    isWanted = true;
    if (isLooking || waiting !== null) return;
    // A clock that was set back must not delay the look.
    const rest = Math.min(gapMs, lookedAt + gapMs - clock.now());
    if (rest <= 0) void look();
    else
      waiting = clock.after(rest, () => {
        waiting = null;
        void look();
      });
  }

  async function look(): Promise<void> {
    if (followers.size === 0) return;
    isLooking = true;
    isWanted = false;
    const all = isCheckDue;
    isCheckDue = false;
    const beganAt = clock.now();
    try {
      await lookOnce(all);
    } catch (error) {
      // The next tick checks the sessions again.
      if (followers.size > 0) log.warn('stream: cannot look', { tenant, error: String(error) });
    }
    isLooking = false;
    lookedAt = clock.now();
    // Looks take at most half of the time, however busy the server is.
    gapMs = Math.min(
      LONGEST_GAP_MS,
      Math.max(GAP_MS, followers.size * gapPerStreamMs, lookedAt - beganAt),
    );
    if (isWanted && followers.size > 0) want();
  }

  async function lookOnce(all: boolean): Promise<void> {
    const checked = new Set(all ? followers : unchecked);
    const { head, news, found, ids } = await store.tenant(
      tenant,
      (tx) => read(tx, seen, checked, followers, clock.now()),
      { readOnly: true },
    );
    const sessions = await withActiveActors(context, tenant, found);
    const isMarkRead = [...followers].some((follower) => follower.readsSources());
    const marked = isMarkRead ? await mark() : null;
    const pages = news === null ? null : makePagePokes(news);
    if (seen === null || head.seq !== seen.seq)
      gapPerStreamMs = GAP_PER_STREAM_MS[pages === null ? 'without' : 'withEvents'];
    seen = head;
    let n = 0;
    for (const follower of followers) {
      // A stream that has opened meanwhile is not among them.
      const isChecked = ids.has(follower.sessionId);
      if (isChecked) unchecked.delete(follower);
      follower.look({
        head,
        session: isChecked ? (sessions.get(follower.sessionId) ?? null) : undefined,
        mark: marked,
        pages,
      });
      n += 1;
      if (n % CHUNK === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  return {
    hint: want,
    add(follower) {
      followers.add(follower);
      unchecked.add(follower);
      if (ticking === null) ticking = clock.after(TICK_MS, tick);
      want();
      return () => {
        followers.delete(follower);
        unchecked.delete(follower);
        if (followers.size === 0) {
          ticking?.cancel();
          waiting?.cancel();
          ticking = null;
          waiting = null;
        }
        return followers.size;
      };
    },
  };
}

interface Found {
  readonly head: HeadPosition;
  readonly news: NewEvents | null;
  readonly found: readonly FoundSession[];
  /** The sessions that were checked. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Reads what is new, and checks the sessions of `checked`. Checks all if there is something to send, so that
 * nobody gets what they may no longer read, or if the rights of somebody may have changed.
 */
async function read(
  tx: TenantTx,
  seen: HeadPosition | null,
  checked: ReadonlySet<Follower>,
  followers: ReadonlySet<Follower>,
  now: Ms,
): Promise<Found> {
  const head = await tx.head();
  const isSameLog = seen !== null && seen.epoch === head.epoch;
  const news = isSameLog ? await readNewEvents(tx, seen.seq, head) : null;
  const isEveryone =
    news !== null ||
    (seen !== null && checked.size < followers.size && (await haveRightsChanged(tx, seen.seq)));
  const ids = new Set([...(isEveryone ? followers : checked)].map(({ sessionId }) => sessionId));
  return { head, news, found: await readOpenSessions(tx, [...ids], now), ids };
}

const RIGHTS = `{${listStoredTypes(
  (Object.keys(TABLE_OF) as EventType[]).filter((type) =>
    ['user', 'company'].includes(TABLE_OF[type]),
  ),
).join(',')}}`;

async function haveRightsChanged({ sql: db, tenant }: TenantTx, seq: number): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    select exists (select from event where tenant_id = ${tenant}::uuid and seq > ${seq} and type = any(${RIGHTS}::text[])) as changed`.execute(
    db,
  );
  return rows[0]?.changed === true;
}
