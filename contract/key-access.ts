import type { Ability } from './abilities.ts';
import { forbidsActing } from './call-classes.ts';
import { callOf } from './calls.ts';
import type { CallName } from './calls.ts';

/**
 * What an API key needs for a call (KEY-3): an ability, or `any`: that it is good. Null: no key
 * makes it. Sensitive calls and those that are refused while acting need a person who is signed in;
 * so does what is for whoever is signed in, unless the call says otherwise.
 */
export function keyAccess(name: CallName): Ability | 'any' | null {
  const { gate, apiKeyAllowed: byKey } = callOf(name);
  if (gate === 'public' || gate === 'ingest-key' || forbidsActing(name) || byKey === false)
    return null;
  return byKey ?? (gate === 'signed-in' ? null : gate);
}
