import type { TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '../db/store.ts';
import { checkLog, type LogCheck, sealLog } from './log-hash.ts';
import { foldAndCompare, type Rebuilt } from './rebuild.ts';

export interface Verified extends LogCheck {
  readonly tenant: TenantId;
  /** Null if the log is too damaged to be folded. */
  readonly rebuilt: Rebuilt | null;
}

/**
 * Checks every tenant's log (or those of `only`) against its hash chain, and the rows against the
 * log, each in a snapshot (G22, LOG-5). Then it seals events that have no hash yet: those of logs
 * that are older than the chain.
 */
export async function verify(
  store: Store,
  { only }: { readonly only?: readonly TenantId[] } = {},
): Promise<Verified[]> {
  const all: Verified[] = [];
  for (const tenant of only ?? (await store.tenants())) {
    const checked = await store.tenant(tenant, check, { readOnly: true, long: true });
    if (checked.damages.length === 0 && checked.sealed < checked.head) await sealLog(store, tenant);
    all.push({ ...checked, tenant });
  }
  return all;
}

/** Seals all logs, so that what changes from now on is found. */
export async function sealLogs(store: Store): Promise<void> {
  for (const tenant of await store.tenants()) await sealLog(store, tenant);
}

export const isSound = ({ damages, rebuilt }: Verified): boolean =>
  damages.length === 0 && rebuilt !== null && rebuilt.differences.length === 0;

async function check(tx: TenantTx): Promise<LogCheck & { readonly rebuilt: Rebuilt | null }> {
  const log = await checkLog(tx);
  if (log.damages.some(({ kind }) => kind !== 'changed')) return { ...log, rebuilt: null };
  try {
    return { ...log, rebuilt: (await foldAndCompare(tx)).rebuilt };
  } catch (error) {
    if (log.damages.length === 0) throw error;
    return { ...log, rebuilt: null }; // what changed can't be folded
  }
}
