import { chooseLanguageTag } from '#contract/i18n/language-tags.ts';
import type { LanguageTag } from '#contract/i18n/language-tags.ts';
import { loadLanguage } from '#contract/i18n/load-language.ts';
import { readStored } from './session/browser-storage.ts';
import { FORCED_LANGUAGE, LANGUAGE } from './session/storage-keys.ts';

/**
 * Returns the tag of this browser's language: the one that a developer forces, or the one of the
 * last session.
 */
export const storedLanguage = (): LanguageTag =>
  chooseLanguageTag([readStored(FORCED_LANGUAGE), readStored(LANGUAGE)]);

/** Loads the messages for this browser's language before the first render. */
export async function startLanguage(): Promise<void> {
  const tag = storedLanguage();
  await loadLanguage(tag);
  document.documentElement.lang = tag;
}
