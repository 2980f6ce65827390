import { loadLanguage } from '#contract/i18n/load-language.ts';
import { readStored } from './session/browser-storage.ts';

/** Returns the language tag that a developer stored in this browser, otherwise English. */
export const storedLanguage = (): string => readStored('language') ?? 'en';

/** Loads the messages for this browser's language before the first render. */
export const startLanguage = (): Promise<void> => loadLanguage(storedLanguage());
