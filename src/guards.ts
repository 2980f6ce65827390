import { can } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import type { Who } from '#workers/api.ts';

/** Who may see a screen: only those who are not signed in (the sign-in page), whoever is, or those with an ability. */
export type ScreenGate = 'signed-out' | 'signed-in' | Ability;

/** Who is signed in, once the disk has been asked. */
export type KnownWho = Exclude<Who, { readonly is: 'starting' }>;

export type Passage =
  | { readonly is: 'pass' }
  /** To the sign-in page; `remember` the way. */
  | { readonly is: 'sign-in' }
  /** Signed in already: to where one wanted to go, or home. */
  | { readonly is: 'onward' }
  | { readonly is: 'forbidden' };

export function passage(who: KnownWho, gate: ScreenGate): Passage {
  if (gate === 'signed-out') return who.is === 'in' ? { is: 'onward' } : { is: 'pass' };
  if (who.is === 'out') return { is: 'sign-in' };
  return gate === 'signed-in' || can(who.me.roles, gate) ? { is: 'pass' } : { is: 'forbidden' };
}
