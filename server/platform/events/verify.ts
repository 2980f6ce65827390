import type { TenantId } from '#contract/ids.ts';
import type { Log } from '../app-context.ts';
import { getDamagedFile } from '../db/damaged-file.ts';
import type { Store, TenantTx } from '../db/store.ts';
import { checkArchive } from './archive/read-archive.ts';
import { checkLog, type LogCheck, sealLog } from './check-log.ts';
import { readInParts, readWithin } from './read-log.ts';
import { foldAndCompare, type Rebuilt } from './rebuild.ts';

export interface CheckedLog extends LogCheck {
  readonly tenant: TenantId;
}
export interface VerifiedLog extends CheckedLog {
  /** Null if the log is too damaged to be folded. */
  readonly rebuilt: Rebuilt | null;
}

interface Which {
  readonly only?: readonly TenantId[];
}

/** `archive`: the folder of archived events; null if there are none. */
interface WhichAndArchive extends Which {
  readonly archive?: string | null;
}

/**
 * Checks every tenant's log (or those of `only`) with its archived part against its hash chain, and the
 * rows against the log, each in a snapshot (G22, LOG-5). Unreadable parts are reported, and the rest is checked.
 * Then it begins the chain of logs that are older than the chain.
 */
export async function verify(
  store: Store,
  { only, archive = null }: WhichAndArchive = {},
): Promise<VerifiedLog[]> {
  const all: VerifiedLog[] = [];
  for (const tenant of only ?? (await store.tenants())) {
    const checked = await store
      .tenant(tenant, (tx) => check(tx, archive), { readOnly: true, long: true })
      .catch((error: unknown) => ({ ...getUnreadable(error), rebuilt: null }));
    if (isSoundLog(checked) && checked.sealed < checked.head) await sealLog(store, tenant);
    all.push({ ...checked, tenant });
  }
  return all;
}

/** Checks every tenant's log (or those of `only`) against its hash chain, while others work. */
export async function checkLogs(store: Store, { only }: Which = {}): Promise<CheckedLog[]> {
  const all: CheckedLog[] = [];
  for (const tenant of only ?? (await store.tenants())) {
    const checked = await checkLog(readInParts(store, tenant), { isGrowing: true }).catch(
      getUnreadable,
    );
    all.push({ ...checked, tenant });
  }
  return all;
}

/** Not even the head row or the policies can be read. */
export function getUnreadable(error: unknown): LogCheck {
  const reason = getDamagedFile(error);
  if (reason === null) throw error;
  return { head: 0, sealed: 0, damages: [], unreadable: [{ table: 'head', reason }] };
}

/** Begins the chain of all logs that are older than the chain, so that later changes are found. */
export async function sealLogs(store: Store, log: Pick<Log, 'info'>): Promise<void> {
  for (const tenant of await store.tenants()) {
    const events = await sealLog(store, tenant);
    if (events > 0) log.info('the events of an older log have hashes now', { tenant, events });
  }
}

export const isSoundLog = ({ damages, unreadable }: LogCheck): boolean =>
  damages.length === 0 && unreadable.length === 0;

export const isSound = ({ rebuilt, ...log }: VerifiedLog): boolean =>
  isSoundLog(log) && rebuilt !== null && rebuilt.differences.length === 0;

async function check(
  tx: TenantTx,
  archive: string | null,
): Promise<LogCheck & { readonly rebuilt: Rebuilt | null }> {
  const inDatabase = await checkLog(readWithin(tx));
  const { cut } = await tx.head();
  const inArchive = cut > 0 && archive !== null ? await checkArchive(tx, archive, cut) : [];
  const log = { ...inDatabase, damages: [...inArchive, ...inDatabase.damages] };
  if (log.damages.some(({ kind }) => kind !== 'changed' && kind !== 'unsealed'))
    return { ...log, rebuilt: null };
  try {
    const { rebuilt, unreadable } = await foldAndCompare(tx, archive);
    return { ...log, unreadable: [...log.unreadable, ...unreadable], rebuilt };
  } catch (error) {
    if (log.damages.length === 0) throw error;
    return { ...log, rebuilt: null }; // what changed can't be folded
  }
}
