/**
 * The languages that users and providers can choose, as BCP 47 tags. `en-XA` is the pseudo-language,
 * which only developers are offered.
 */
export const LANGUAGE_TAGS = ['en', 'en-XA'] as const;
export type LanguageTag = (typeof LANGUAGE_TAGS)[number];

/**
 * Returns the first of the wishes that is a language, else English. A wish such as `en-GB` gets the
 * language that it begins with.
 */
export const chooseLanguageTag = (wishes: readonly (string | null | undefined)[]): LanguageTag =>
  wishes
    .flatMap(
      (wish) =>
        LANGUAGE_TAGS.find((tag) => tag === wish) ??
        LANGUAGE_TAGS.find((tag) => tag === wish?.split('-')[0]) ??
        [],
    )
    .at(0) ?? 'en';
