import { chooseLanguageTag } from '#contract/i18n/language-tags.ts';
import { storedLanguage } from './language.ts';
import { writeStored } from './session/browser-storage.ts';
import { LANGUAGE } from './session/storage-keys.ts';
import { currentSession, onSessionChange } from './worker/worker-client.ts';

/** Follows the language of the signed-in user, and the provider's before the sign-in. */
export function watchLanguage(router: {
  subscribe: (event: 'onResolved', listener: () => void) => unknown;
}): void {
  onSessionChange(() => {
    // A change from elsewhere waits for the next page, so that nothing typed is lost.
    if (!navigator.userActivation.hasBeenActive || !isSignedIn() || isProfile()) followLanguage();
  });
  router.subscribe('onResolved', followLanguage);
}

/**
 * Modules read texts when they load, so another language reloads the page. The sign-in page isn't
 * reloaded once the user is known, because it may show recovery codes: the next page is.
 */
function followLanguage(): void {
  const who = currentSession();
  // What the device stored may be older than the language that the page already follows.
  if (who.kind === 'starting' || (who.kind === 'in' && who.isUnconfirmed)) return;
  if (who.kind === 'in' && location.pathname.startsWith('/login')) return;
  const own = who.kind === 'in' ? who.me.language : null;
  if (own === null && who.branding === null) return;
  const wanted = chooseLanguageTag([own, who.branding?.language]);
  const before = storedLanguage();
  writeStored(LANGUAGE, wanted === 'en' ? null : wanted);
  // Where nothing can be stored, a reload would change nothing.
  if (storedLanguage() !== before) location.reload();
}

const isSignedIn = (): boolean => currentSession().kind === 'in';
const isProfile = (): boolean => location.pathname.endsWith('/profile');
