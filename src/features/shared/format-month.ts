import { perLanguage } from '#contract/i18n/per-language.ts';

/** `November 2026`. */
export const formatMonth = (year: number, month: number): string =>
  getLong().format(Date.UTC(year, month - 1, 1));

/** `November 2026` of `2026-11`; anything else as it is. */
export const formatLongMonth = (month: string): string => formatText(month, getLong());
/** `Nov 2026` of `2026-11`; anything else as it is. */
export const formatShortMonth = (month: string): string => formatText(month, getShort());

function formatText(month: string, format: Intl.DateTimeFormat): string {
  const at = Date.parse(`${month}-01T00:00:00Z`);
  return Number.isNaN(at) ? month : format.format(at);
}

const makeFormat = (month: 'long' | 'short'): (() => Intl.DateTimeFormat) =>
  perLanguage((tag) => new Intl.DateTimeFormat(tag, { month, year: 'numeric', timeZone: 'UTC' }));
const getLong = makeFormat('long');
const getShort = makeFormat('short');
