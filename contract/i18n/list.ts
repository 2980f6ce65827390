import { perLanguage } from './per-language.ts';

/** Returns `A, B, and C`, `A, B, or C`, or plainly `A, B, C`, in the language of the page. */
export const formatList = (items: readonly string[], type: 'and' | 'or' | 'plain'): string =>
  FORMATS[type]().format(items);

const makeFormat = (type: Intl.ListFormatType): (() => Intl.ListFormat) =>
  perLanguage((tag) => new Intl.ListFormat(tag, { type }));
const FORMATS = {
  and: makeFormat('conjunction'),
  or: makeFormat('disjunction'),
  plain: makeFormat('unit'),
};
