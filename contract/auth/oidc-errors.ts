/**
 * The fragments with which the sign-in page is opened after OpenID Connect. It either resumes with
 * the session cookie, continues with the step of the attempt's cookie, or shows the sentence for
 * the code after `#refused=`. The address never contains a sentence, because anybody can write an
 * address.
 */
export const OIDC_IN = '#signed-in';
export const OIDC_STEP = '#step';
export const OIDC_REFUSED = '#refused=';

export const OIDC_REFUSALS = {
  off: 'This way to sign in is not set up.',
  issuer: 'The sign-in service cannot be reached. Try again later.',
  often: 'Too many attempts. Wait a moment and try again.',
  over: 'This sign-in has expired. Start again.',
  denied: 'The sign-in was cancelled, or refused by the sign-in service.',
  answer: 'The answer of the sign-in service is not valid. Start again.',
  unverified: 'The sign-in service does not confirm your e-mail address. Ask your administrator.',
  unknown: 'No account here belongs to you. Ask your administrator.',
} as const;
export type OidcRefusal = keyof typeof OIDC_REFUSALS;

/**
 * Returns the sentence for the fragment with which `/login` was opened, or null if there is none.
 */
export function oidcRefusal(fragment: string): string | null {
  const word = fragment.startsWith(OIDC_REFUSED) ? fragment.slice(OIDC_REFUSED.length) : '';
  return Object.hasOwn(OIDC_REFUSALS, word) ? OIDC_REFUSALS[word as OidcRefusal] : null;
}
