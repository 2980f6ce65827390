import { chooseLanguageTag } from './language-tags.ts';
import type { LanguageTag } from './language-tags.ts';
import { ENGLISH } from './messages.ts';
import type { Language } from './messages.ts';
import { PSEUDO } from './pseudo.ts';

const LANGUAGES: Readonly<Record<LanguageTag, Language>> = { 'en': ENGLISH, 'en-XA': PSEUDO };

/** Returns the first of the wished languages that exists, else English. */
export const chooseLanguage = (wishes: readonly (string | null | undefined)[]): Language =>
  LANGUAGES[chooseLanguageTag(wishes)];
