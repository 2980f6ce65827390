import { formatTag } from './messages.ts';

/**
 * Returns a getter of what `make` returns for the current language, such as a formatter of `Intl`.
 * It is made once per language, because making one takes longer than formatting a list.
 */
export function perLanguage<T>(make: (tag: string) => T): () => T {
  const made = new Map<string, T>();
  return () => {
    const tag = formatTag();
    if (!made.has(tag)) made.set(tag, make(tag));
    return made.get(tag) as T;
  };
}
