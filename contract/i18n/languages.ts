import { ENGLISH } from './messages.ts';
import type { Language } from './messages.ts';
import { PSEUDO } from './pseudo.ts';

/** All languages, by tag. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  [ENGLISH.tag]: ENGLISH,
  [PSEUDO.tag]: PSEUDO,
};

/**
 * Returns the first of the wished languages that exists, else English. A wish without a language of
 * its own, such as `en-GB`, gets the language that it begins with.
 */
export function chooseLanguage(wishes: readonly (string | null | undefined)[]): Language {
  for (const wish of wishes) {
    const language = LANGUAGES[wish ?? ''] ?? LANGUAGES[wish?.split('-')[0] ?? ''];
    if (language) return language;
  }
  return ENGLISH;
}
