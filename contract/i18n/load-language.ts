import { setLanguage } from './messages.ts';
import type { Language } from './messages.ts';

/** Loads and sets a language by its tag. English needs no loading; other unknown tags are English. */
export async function loadLanguage(tag: string): Promise<void> {
  const load = LANGUAGES[tag];
  if (load) setLanguage(await load());
}

const LANGUAGES: Readonly<Record<string, () => Promise<Language>>> = {
  'en-XA': async () => (await import('./pseudo.ts')).PSEUDO,
};
