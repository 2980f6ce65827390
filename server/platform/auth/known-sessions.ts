import { LRUCache } from 'lru-cache';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { Principal } from '../http/handler.ts';
import type { Store } from '../db/store.ts';

export interface KnownSession {
  readonly accessHash: string;
  readonly accessUntil: Ms;
  readonly session: Principal;
}

/** The maximum number of cached sessions of all providers together. */
const MAX_SESSIONS = 10_000;

/**
 * Caches live sessions, so that a burst of calls reads them once. Only used where this process is
 * the only writer (the embedded database): there, every change of rights appends an event, every
 * end of a session calls `forget`, and both empty the cache before the response is sent. A reader
 * compares `round` to detect a change during its read, and then doesn't cache the result.
 */
export interface KnownSessions {
  readonly round: number;
  get(tenant: TenantId, session: string): KnownSession | undefined;
  put(round: number, tenant: TenantId, session: string, known: KnownSession): void;
  forget(tenant: TenantId): void;
}

export const makeKnownSessions = (store: Store): KnownSessions =>
  store.kind === 'pglite' ? remembering(store) : EMPTY;

function remembering(store: Store): KnownSessions {
  const sessions = new LRUCache<string, { readonly round: number; readonly known: KnownSession }>({
    max: MAX_SESSIONS,
  });
  /** The round in which a provider's sessions were last forgotten: earlier entries are void. */
  const rounds = new Map<TenantId, number>();
  const getRound = (tenant: TenantId): number => rounds.get(tenant) ?? 0;
  let round = 0;
  const forget = (tenant: TenantId): void => {
    round += 1;
    rounds.set(tenant, round);
  };
  store.onAppend(forget);
  return {
    get round() {
      return round;
    },
    get(tenant, session) {
      const entry = sessions.get(getKey(tenant, session));
      return entry?.round === getRound(tenant) ? entry.known : undefined;
    },
    put(read, tenant, session, known) {
      if (read === round) sessions.set(getKey(tenant, session), { round: getRound(tenant), known });
    },
    forget,
  };
}

const getKey = (tenant: TenantId, session: string): string => `${tenant} ${session}`;

const EMPTY: KnownSessions = {
  round: 0,
  get: () => undefined,
  put: () => undefined,
  forget: () => undefined,
};
