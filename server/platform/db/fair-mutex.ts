import type { TenantId } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';

/** Ends a turn. Safe to call again. */
export type Release = () => void;
export interface FairMutex {
  next(tenant: TenantId): Promise<Release>;
}

/**
 * Who of this process asks for a tenant's head row next, one at a time, so that connections do not
 * wait in the database for each other and the rows that one has kept warm are there when the next
 * one starts. Order only, no promise: the lock in the database is what holds. Nobody waits longer
 * than `mostMs`, so that two that wait for each other's rows meet in the database, which knows what
 * to do about it.
 */
export function makeFairMutex(clock: Clock, mostMs = 1_000): FairMutex {
  const last = new Map<TenantId, Promise<void>>();
  return {
    async next(tenant) {
      const before = last.get(tenant);
      const { promise: own, resolve } = Promise.withResolvers<void>();
      const line = both(before, own);
      last.set(tenant, line);
      if (before !== undefined) {
        const late = Promise.withResolvers<void>();
        const timer = clock.after(mostMs, late.resolve);
        await Promise.race([before, late.promise]);
        timer.cancel();
      }
      return () => {
        resolve();
        // The last of the line: what comes after it waits for nobody.
        if (last.get(tenant) === line) last.delete(tenant);
      };
    },
  };
}

async function both(before: Promise<void> | undefined, own: Promise<void>): Promise<void> {
  await before;
  await own;
}
