import { LRUCache } from 'lru-cache';
import { type RowId, memoryRows } from '#contract/fold.ts';
import type { TableName } from '#contract/tables.ts';
import type { TenantId } from '#contract/ids.ts';
import type { CachedRows } from './projection.ts';

/**
 * Cached rows, the ids that were looked up (including rows that don't exist), and the caches of
 * features.
 */
export interface RowCacheEntry {
  readonly cached: CachedRows;
  readonly brought: Readonly<Record<TableName, Set<RowId>>>;
  readonly memory: Map<string, object>;
}

export interface RowCache {
  /** Returns the cache for exactly this position of the log, and hands it over to the caller. */
  take(tenant: TenantId, epoch: string, seq: number): RowCacheEntry | null;
  give(tenant: TenantId, epoch: string, seq: number, known: RowCacheEntry): void;
  /** Drops everything, for when commits may have been lost. */
  clear(): void;
}

/**
 * Caches rows of jobs, problems and the like between appends. An entry is valid while nobody else
 * has appended, which the locked head row shows. A failed transaction returns nothing to the cache.
 * Runs are not cached: they are many and rarely used twice.
 */
export function makeRowCache(maxIds = 50_000): RowCache {
  const stored = new LRUCache<TenantId, Entry>({
    maxSize: maxIds,
    sizeCalculation: ({ ids }) => Math.max(1, ids),
  });
  return {
    take(tenant, epoch, seq) {
      const one = stored.get(tenant);
      stored.delete(tenant);
      return one?.epoch === epoch && one.seq === seq ? one.known : null;
    },
    give(tenant, epoch, seq, known) {
      known.cached.run.clear();
      known.brought.run.clear();
      const ids = Object.values(known.brought).reduce((sum, set) => sum + set.size, 0);
      stored.set(tenant, { epoch, seq, known, ids });
    },
    clear() {
      stored.clear();
    },
  };
}

interface Entry {
  readonly epoch: string;
  readonly seq: number;
  readonly known: RowCacheEntry;
  readonly ids: number;
}

export const nothingKnown = (): RowCacheEntry => {
  const cached = memoryRows();
  return {
    cached,
    brought: Object.fromEntries(
      Object.keys(cached).map((name) => [name, new Set<RowId>()]),
    ) as unknown as RowCacheEntry['brought'],
    memory: new Map(),
  };
};
