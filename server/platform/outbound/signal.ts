import type { Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '../app-context.ts';

/** How long a signal stays set: a message is sent only after its transaction has committed. */
const AWAKE_MS: Ms = 3_000;
const known = new WeakMap<AppContext['store'], Map<TenantId, Ms>>();

/** Tells the sender which providers have just queued something. Only a hint that saves a wait. */
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
