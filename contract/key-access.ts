import type { Ability } from './abilities.ts';
import { forbidsImpersonation } from './call-classes.ts';
import { getCall } from './calls.ts';
import type { CallName } from './calls.ts';

/**
 * Returns what an API key needs for a call (KEY-3): an ability, `any` for every valid key, or null
 * if no key can make the call. Sensitive calls and calls refused during an impersonation need a signed-in
 * person. So do `signed-in` calls, unless the call says otherwise.
 */
export function keyAccess(name: CallName): Ability | 'any' | null {
  const { gate, apiKeyAllowed: byKey } = getCall(name);
  if (gate === 'public' || gate === 'ingest-key' || forbidsImpersonation(name) || byKey === false)
    return null;
  return byKey ?? (gate === 'signed-in' ? null : gate);
}
