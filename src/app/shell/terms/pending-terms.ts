import type { Me } from '#contract/auth/current-user.ts';
import type { Features } from '#contract/branding/branding.ts';

export type Terms = NonNullable<Features['office365']['selfRegistration']['termsOfUse']>;

/** The terms that this user still has to accept; null: none. */
export function termsFor(me: Me | null, features: Features | undefined): Terms | null {
  if (me === null || me.acceptedTerms || me.acting !== null || !me.roles.includes('o365_admin'))
    return null;
  return features?.office365.selfRegistration.termsOfUse ?? null;
}
