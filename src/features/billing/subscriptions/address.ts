import type { Day } from '#contract/ids.ts';

export interface MonthPlace {
  readonly year: number;
  readonly month: number;
}
/** The state of the page, in its address. `open`: the company in the panel. */
export interface BillingPlace extends MonthPlace {
  readonly text: string;
  readonly open: string | null;
}

export const BILLING_PATH = '/o365/billing';

/** `2026-11`; anything else is the month of `today`. */
export function parseMonth(text: string | null, today: Day): MonthPlace {
  const month = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text ?? '');
  return {
    year: Number(month?.[1] ?? today.slice(0, 4)),
    month: Number(month?.[2] ?? today.slice(5, 7)),
  };
}

/** Figures of another month are not shown below this one's heading while those of it are loading. */
export const forMonth = <Q extends { readonly value: MonthPlace | null }>(
  query: Q,
  { year, month }: MonthPlace,
): Q =>
  query.value === null || (query.value.year === year && query.value.month === month)
    ? query
    : { ...query, value: null };

/** Without a month: the current one. */
export function parseBillingAddress(search: string, today: Day): BillingPlace {
  const params = new URLSearchParams(search);
  return {
    ...parseMonth(params.get('month'), today),
    text: params.get('text') ?? '',
    open: params.get('open'),
  };
}

export function billingAddress({ year, month, text, open }: BillingPlace): string {
  const params = new URLSearchParams({ month: `${year}-${String(month).padStart(2, '0')}` });
  if (text !== '') params.set('text', text);
  if (open !== null) params.set('open', open);
  return `${BILLING_PATH}?${params.toString()}`;
}

/** The last 13 months, newest first, and the chosen one if it is older. */
export function listMonths(today: Day, chosen: MonthPlace): readonly MonthPlace[] {
  const current = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1;
  const months = Array.from({ length: MONTHS }, (_, back) => current - back);
  const own = chosen.year * 12 + chosen.month - 1;
  return [...months, ...(months.includes(own) ? [] : [own])].map((n) => ({
    year: Math.floor(n / 12),
    month: (n % 12) + 1,
  }));
}

const MONTHS = 13;
