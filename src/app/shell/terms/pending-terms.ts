import type { Me } from '#contract/auth/current-user.ts';
import type { Features } from '#contract/branding/branding.ts';

export type TermsOfUse = NonNullable<Features['office365']['selfRegistration']['termsOfUse']>;

/** Returns the terms that this user must still accept, or null. */
export function termsFor(me: Me | null, features: Features | undefined): TermsOfUse | null {
  if (
    me === null ||
    me.acceptedTerms ||
    me.impersonator !== null ||
    !me.roles.includes('o365_admin')
  )
    return null;
  return features?.office365.selfRegistration.termsOfUse ?? null;
}
