import { LANGUAGE_TAGS } from '#contract/i18n/language-tags.ts';
import type { LanguageTag } from '#contract/i18n/language-tags.ts';
import { storedLanguage } from '#src/app/language.ts';

const PSEUDO = 'en-XA';
/** The pseudo-language is offered to developers and to users who have already chosen it. */
const offersPseudo = (current: string): boolean =>
  import.meta.env.DEV || current === PSEUDO || storedLanguage() === PSEUDO;

/** Returns the languages to choose from, in their own names. */
export const languageChoices = (
  current: string,
): readonly { readonly value: LanguageTag; readonly label: string }[] =>
  LANGUAGE_TAGS.filter((tag) => tag !== PSEUDO || offersPseudo(current)).map((tag) => ({
    value: tag,
    label: new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag,
  }));

let zones: readonly { readonly value: string; readonly label: string }[] | null = null;
/** Returns all time zones of this browser. */
export function zoneChoices(): readonly { readonly value: string; readonly label: string }[] {
  zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }),
  );
  return zones;
}
