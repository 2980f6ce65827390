import { oidcMessages } from './oidc.messages.en.ts';

/**
 * The fragments with which the sign-in page is opened after OpenID Connect. It either resumes with
 * the session cookie, continues with the step of the attempt's cookie, or shows the sentence for
 * the code after `#refused=`. The address never contains a sentence, because anybody can write an
 * address.
 */
export const OIDC_IN = '#signed-in';
export const OIDC_STEP = '#step';
export const OIDC_REFUSED = '#refused=';

export type OidcRefusal = keyof typeof oidcMessages;

/**
 * Returns the sentence for the fragment with which `/login` was opened, or null if there is none.
 */
export function oidcRefusal(fragment: string): string | null {
  const word = fragment.startsWith(OIDC_REFUSED) ? fragment.slice(OIDC_REFUSED.length) : '';
  return Object.hasOwn(oidcMessages, word) ? oidcMessages[word as OidcRefusal] : null;
}
