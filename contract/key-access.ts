import type { Ability } from './abilities.ts';
import type { Call } from './call.ts';

/**
 * What an API key needs for a call (KEY-3): an ability, or `any`: that it is good. Null: no key makes it. A person's own affairs, and what needs a
 * factor shown, are for a person who is signed in; so is what is for whoever is signed in, unless the call says otherwise.
 */
export function keyAccess({ gate, own, fresh, byKey }: Pick<Call, 'gate' | 'own' | 'fresh' | 'byKey'>): Ability | 'any' | null {
  if (gate === 'public' || gate === 'ingest-key' || own === true || fresh === true || byKey === false) return null;
  return byKey ?? (gate === 'signed-in' ? null : gate);
}
