import type { Ms, TenantId } from '#contract/ids.ts';
import type { Principal } from '../http/handler.ts';
import type { Store } from '../db/store.ts';

export interface Known {
  readonly accessHash: string;
  readonly accessUntil: Ms;
  readonly session: Principal;
}

/** The maximum number of cached sessions of all providers together. */
const MOST = 10_000;

/**
 * Caches live sessions, so that a burst of calls reads them once. Only used where this process is
 * the only writer (the embedded database): there, every change of rights appends an event, every
 * end of a session calls `forget`, and both empty the cache before the response is sent. A reader
 * compares `round` to detect a change during its read, and then doesn't cache the result.
 */
export interface KnownSessions {
  readonly round: number;
  get(tenant: TenantId, session: string): Known | undefined;
  put(round: number, tenant: TenantId, session: string, known: Known): void;
  forget(tenant: TenantId): void;
}

const memories = new WeakMap<Store, KnownSessions>();

export function knownSessions(store: Store): KnownSessions {
  const there = memories.get(store);
  if (there) return there;
  const made = store.kind === 'pglite' ? remembering(store) : NOTHING;
  memories.set(store, made);
  return made;
}

function remembering(store: Store): KnownSessions {
  const tenants = new Map<TenantId, Map<string, Known>>();
  let round = 0;
  let size = 0;
  const forget = (tenant: TenantId): void => {
    round += 1;
    size -= tenants.get(tenant)?.size ?? 0;
    tenants.delete(tenant);
  };
  store.onAppend(forget);
  return {
    get round() {
      return round;
    },
    get: (tenant, session) => tenants.get(tenant)?.get(session),
    put(read, tenant, session, known) {
      if (read !== round) return;
      if (size >= MOST) {
        tenants.clear();
        size = 0;
      }
      const own = tenants.get(tenant) ?? new Map<string, Known>();
      if (!own.has(session)) size += 1;
      tenants.set(tenant, own.set(session, known));
    },
    forget,
  };
}

const NOTHING: KnownSessions = {
  round: 0,
  get: () => undefined,
  put: () => undefined,
  forget: () => undefined,
};
