import { type Id, memoryRows, type TableName } from '#contract/fold.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Held } from './projection.ts';

/**
 * Rows that are known, and of which ids it is known (a row may be known not to be there); and what
 * areas remember beside them.
 */
export interface Known {
  readonly held: Held;
  readonly brought: Readonly<Record<TableName, Set<Id>>>;
  readonly memory: Map<string, object>;
}

export interface RowCache {
  /** What was known when the log stood exactly here; it is the taker's from now on. */
  take(tenant: TenantId, epoch: string, seq: number): Known | null;
  give(tenant: TenantId, epoch: string, seq: number, known: Known): void;
}

/**
 * Rows of jobs, problems and the like from one append to the next. They hold as long as nobody else
 * has appended, which the head row says: it is locked when they are taken. A failed transaction
 * gives nothing back. Runs are not kept: they are many and seldom touched twice.
 */
export function makeRowCache(mostIds = 50_000): RowCache {
  const kept = new Map<
    TenantId,
    { readonly epoch: string; readonly seq: number; readonly known: Known; readonly ids: number }
  >();
  let ids = 0;
  function drop(tenant: TenantId): void {
    ids -= kept.get(tenant)?.ids ?? 0;
    kept.delete(tenant);
  }
  return {
    take(tenant, epoch, seq) {
      const one = kept.get(tenant);
      drop(tenant);
      return one?.epoch === epoch && one.seq === seq ? one.known : null;
    },
    give(tenant, epoch, seq, known) {
      known.held.run.clear();
      known.brought.run.clear();
      const count = Object.values(known.brought).reduce((sum, set) => sum + set.size, 0);
      drop(tenant);
      kept.set(tenant, { epoch, seq, known, ids: count });
      ids += count;
      for (const oldest of kept.keys()) {
        if (ids <= mostIds) break;
        drop(oldest);
      }
    },
  };
}

export const nothingKnown = (): Known => {
  const held = memoryRows();
  return {
    held,
    brought: Object.fromEntries(
      Object.keys(held).map((name) => [name, new Set<Id>()]),
    ) as unknown as Known['brought'],
    memory: new Map(),
  };
};
