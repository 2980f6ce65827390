/** Languages to choose from, in their own names. */
const TAGS = [
  'en-GB',
  'en-US',
  'cs',
  'da',
  'de',
  'es',
  'fi',
  'fr',
  'it',
  'ja',
  'nb',
  'nl',
  'pl',
  'pt-BR',
  'pt-PT',
  'sv',
  'tr',
  'uk',
] as const;

const named = (tag: string): string => {
  const word = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return word.slice(0, 1).toLocaleUpperCase(tag) + word.slice(1);
};
export const LANGUAGE_CHOICES: readonly { readonly value: string; readonly word: string }[] =
  TAGS.map((tag) => ({ value: tag, word: named(tag) }));

let zones: readonly { readonly value: string; readonly word: string }[] | null = null;
/** Returns all time zones of this browser. */
export function zoneChoices(): readonly { readonly value: string; readonly word: string }[] {
  zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => ({ value: zone, word: zone.replaceAll('_', ' ') }),
  );
  return zones;
}
