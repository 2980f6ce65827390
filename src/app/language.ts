import { setLanguage } from '#contract/i18n/messages.ts';
import type { Language } from '#contract/i18n/messages.ts';
import { readStored } from './session/browser-storage.ts';

/**
 * Loads the messages for this browser's language before the first render. English needs no loading.
 */
export async function startLanguage(): Promise<void> {
  const load = LANGUAGES[readStored('language') ?? ''];
  if (load) setLanguage(await load());
}

const LANGUAGES: Readonly<Record<string, () => Promise<Language>>> = {
  'en-XA': async () => (await import('#contract/i18n/pseudo.ts')).PSEUDO,
};
