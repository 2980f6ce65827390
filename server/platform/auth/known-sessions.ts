import type { Ms, TenantId } from '#contract/ids.ts';
import type { Principal } from '../http/handler.ts';
import type { Store } from '../db/store.ts';

export interface Known {
  readonly accessHash: string;
  readonly accessUntil: Ms;
  readonly session: Principal;
}

/** Most sessions remembered of all providers together. */
const MOST = 10_000;

/**
 * Living sessions as last read, so that a burst of calls reads them once. Only where this process
 * is the only one that writes (the embedded database): there every change of a right is an append,
 * every end of a session passes `forget`, and both empty the memory before anybody is answered.
 * `round` tells a reader that something changed while it read: what it brings is then not kept.
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
