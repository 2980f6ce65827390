import type { TenantId } from '#contract/ids.ts';
import type { Clock } from '../world.ts';

/** Ends a turn. Safe to call again. */
export type Release = () => void;
export interface Turns { next(tenant: TenantId): Promise<Release> }

/**
 * Who of this process asks for a tenant's head row next, one at a time, so that connections do not wait in the database for each other and the rows that
 * one has kept warm are there when the next one starts. Order only, no promise: the lock in the database is what holds. Nobody waits longer than
 * `mostMs`, so that two that wait for each other's rows meet in the database, which knows what to do about it.
 */
export function makeTurns(clock: Clock, mostMs = 1_000): Turns {
  const last = new Map<TenantId, Promise<void>>();
  return {
    async next(tenant) {
      const before = last.get(tenant);
      let release: Release = () => undefined;
      const own = new Promise<void>((resolve) => { release = resolve; });
      const line = before === undefined ? own : before.then(() => own);
      last.set(tenant, line);
      void line.then(() => { if (last.get(tenant) === line) last.delete(tenant); });
      if (before !== undefined) {
        let timer: { cancel(): void } | null = null;
        await Promise.race([before, new Promise<void>((resolve) => { timer = clock.after(mostMs, resolve); })]);
        (timer as { cancel(): void } | null)?.cancel();
      }
      return release;
    },
  };
}
