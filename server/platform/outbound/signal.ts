import type { Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '../app-context.ts';

/**
 * How long a provider stays awake: what was put on its way is sent once its transaction has
 * committed.
 */
const AWAKE_MS: Ms = 3_000;
const known = new WeakMap<AppContext['store'], Map<TenantId, Ms>>();

/** Who has just put something on its way: a hint that saves the wait. */
export function makeSignal(world: AppContext): {
  mark(tenant: TenantId): void;
  take(): readonly TenantId[];
} {
  const marks = known.get(world.store) ?? new Map<TenantId, Ms>();
  known.set(world.store, marks);
  return {
    mark(tenant) {
      marks.set(tenant, world.clock.now());
    },
    take() {
      const now = world.clock.now();
      const all = [...marks.keys()];
      for (const [tenant, at] of marks) if (now - at > AWAKE_MS || now < at) marks.delete(tenant);
      return all;
    },
  };
}
