import { LANGUAGE_TAGS } from '#contract/i18n/language-tags.ts';
import type { LanguageTag } from '#contract/i18n/language-tags.ts';
import { readStored } from '#src/app/session/browser-storage.ts';
import { FORCED_LANGUAGE } from '#src/app/session/storage-keys.ts';

const PSEUDO = 'en-XA';
/** Developers are offered the pseudo-language too, as are those who have chosen it. */
const offersPseudo = (current: string): boolean =>
  import.meta.env.DEV || current === PSEUDO || readStored(FORCED_LANGUAGE) === PSEUDO;

/** Returns the languages to choose from, in their own names. */
export const languageChoices = (
  current: string,
): readonly { readonly value: LanguageTag; readonly word: string }[] =>
  LANGUAGE_TAGS.filter((tag) => tag !== PSEUDO || offersPseudo(current)).map((tag) => ({
    value: tag,
    word: new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag,
  }));

let zones: readonly { readonly value: string; readonly word: string }[] | null = null;
/** Returns all time zones of this browser. */
export function zoneChoices(): readonly { readonly value: string; readonly word: string }[] {
  zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => ({ value: zone, word: zone.replaceAll('_', ' ') }),
  );
  return zones;
}
