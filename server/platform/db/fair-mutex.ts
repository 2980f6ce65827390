import type { TenantId } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';

/** Ends the turn. Safe to call more than once. */
export type Release = () => void;
export interface FairMutex {
  next(tenant: TenantId): Promise<Release>;
}

/**
 * Orders this process's requests for a tenant's head row, one at a time, so that connections don't
 * queue in the database and each finds the row cache that the previous one left. It is no
 * guarantee: only the database lock excludes others. Nobody waits longer than `maxMs`, so that two
 * transactions that wait for each other's rows meet in the database, which detects the deadlock.
 */
export function makeFairMutex(clock: Clock, maxMs = 1_000): FairMutex {
  const last = new Map<TenantId, Promise<void>>();
  return {
    async next(tenant) {
      const before = last.get(tenant);
      const { promise: own, resolve } = Promise.withResolvers<void>();
      const line = both(before, own);
      last.set(tenant, line);
      if (before !== undefined) {
        const late = Promise.withResolvers<void>();
        const timer = clock.after(maxMs, late.resolve);
        await Promise.race([before, late.promise]);
        timer.cancel();
      }
      return () => {
        resolve();
        // If it is the last in the queue, remove the queue.
        if (last.get(tenant) === line) last.delete(tenant);
      };
    },
  };
}

async function both(before: Promise<void> | undefined, own: Promise<void>): Promise<void> {
  await before;
  await own;
}
