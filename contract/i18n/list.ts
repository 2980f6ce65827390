import { languageTag } from './messages.ts';

/** Returns `A, B, and C` or `A, B, or C` in the language of the page. */
export function formatList(items: readonly string[], type: 'and' | 'or'): string {
  return new Intl.ListFormat(languageTag(), {
    type: type === 'and' ? 'conjunction' : 'disjunction',
  }).format(items);
}
