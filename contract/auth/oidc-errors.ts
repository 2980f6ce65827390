/**
 * Where the sign-in page is led back to: it enters by its cookie, goes on to the step for which
 * there is a cookie, or tells the sentence of the word behind `#refused=`. Never a sentence: the
 * address can be anybody's.
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

/** What `/login` says of the fragment it was led back with; null where it says nothing. */
export function oidcRefusal(fragment: string): string | null {
  const word = fragment.startsWith(OIDC_REFUSED) ? fragment.slice(OIDC_REFUSED.length) : '';
  return Object.hasOwn(OIDC_REFUSALS, word) ? OIDC_REFUSALS[word as OidcRefusal] : null;
}
