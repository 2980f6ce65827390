import { perLanguage } from '#contract/i18n/per-language.ts';

/** `97.5` of 975. */
export const formatTenths = (tenths: number): string => getTenths().format(tenths / 10);

const getTenths = perLanguage(
  (tag) => new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
