import { perLanguage } from '#contract/i18n/per-language.ts';

/**
 * Splits a number as a person of the language types it: `1,234.5` or `1234.5`, with two decimals at
 * most. Null if it isn't one: in English, the comma of `12,5` separates no thousands.
 */
export function splitNumber(
  text: string,
): { readonly whole: string; readonly fraction: string } | null {
  const [, whole, fraction = ''] = getForm().exec(text) ?? [];
  return whole === undefined ? null : { whole: whole.replaceAll(/\D/g, ''), fraction };
}

const getForm = perLanguage((tag) => {
  const parts = new Intl.NumberFormat(tag).formatToParts(1_234_567.8);
  const [group, decimal] = (['group', 'decimal'] as const).map((wanted) => {
    const sign = parts.find(({ type }) => type === wanted)?.value ?? '';
    return sign.trim() === '' ? String.raw`\s` : `[${sign}]`;
  });
  return new RegExp(String.raw`^(\d{1,3}(?:${group}\d{3})+|\d+)(?:${decimal}(\d{1,2}))?$`);
});
