import type { INVOICE_SORTS } from '#contract/billing/invoice-calls.ts';
import { INVOICE_STATES } from '#contract/billing/invoice.ts';
import type { InputOf } from '#contract/calls.ts';
import type { Day } from '#contract/ids.ts';
import { getDays, spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

export const STATE_CHOICES = ['owed', ...INVOICE_STATES] as const;
export const SORT_CHOICES = [
  '-day',
  'day',
  'due',
  'number',
  'company',
] as const satisfies typeof INVOICE_SORTS;

/**
 * State in the address of the invoices page. `span`: null for all days. `company`: 0 for all.
 * `open`: the invoice in the side panel.
 */
export interface InvoicesPlace {
  readonly text: string;
  readonly state: (typeof STATE_CHOICES)[number] | null;
  readonly company: number;
  readonly span: Span | null;
  readonly sort: (typeof SORT_CHOICES)[number];
  readonly page: number;
  readonly size: number;
  readonly open: string | null;
}

const SIZE = PAGE_SIZE;
export const INVOICES_DEFAULTS: InvoicesPlace = {
  text: '',
  state: null,
  company: 0,
  span: null,
  sort: '-day',
  page: 1,
  size: SIZE,
  open: null,
};

/** Returns the query of an address, with `?`; default values are left out. */
export function invoicesQuery({
  text,
  state,
  company,
  span,
  sort,
  page,
  size,
  open,
}: InvoicesPlace): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (state !== null) params.set('state', state);
  if (company !== 0) params.set('company', String(company));
  if (span !== null) params.set('days', spanKey(span));
  if (sort !== '-day') params.set('sort', sort);
  if (page !== 1) params.set('page', String(page));
  if (size !== SIZE) params.set('size', String(size));
  if (open !== null) params.set('invoice', open);
  const query = params.toString();
  return query === '' ? '' : `?${query}`;
}

/** Parses any query. Invalid values fall back to their defaults. */
export function invoicesPlace(query: string): InvoicesPlace {
  const params = new URLSearchParams(query);
  const page = params.get('page') ?? '';
  const company = params.get('company') ?? '';
  const open = params.get('invoice') ?? '';
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    state: STATE_CHOICES.find((one) => one === params.get('state')) ?? null,
    company: /^[1-9]\d{0,8}$/.test(company) ? Number(company) : 0,
    span: spanOfKey(params.get('days') ?? ''),
    sort: SORT_CHOICES.find((one) => one === params.get('sort')) ?? '-day',
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((one) => String(one) === params.get('size')) ?? SIZE,
    open: /^\d{1,20}$/.test(open) ? open : null,
  };
}

/** A change of filter or order returns to the first page. */
export const invoicesMoved = (
  place: InvoicesPlace,
  next: Partial<InvoicesPlace>,
): InvoicesPlace => ({
  ...place,
  ...(['text', 'state', 'company', 'span', 'sort', 'size'].some((key) => key in next) && {
    page: 1,
  }),
  ...next,
});

/**
 * Returns the server filter of the list, also for its export. `today`: in the provider's time zone.
 */
export function invoicesNarrowed(
  { text, state, company, span }: InvoicesPlace,
  today: Day,
): Omit<InputOf<'exportInvoices'>, 'format'> {
  const search = text.trim();
  const days = span === null ? null : getDays(span, today);
  return {
    ...(search !== '' && { search }),
    ...(state !== null && { state }),
    ...(company !== 0 && { company: String(company) }),
    ...(days !== null && { from: days[0], to: days[1] }),
  };
}

export const invoicesAsk = (place: InvoicesPlace, today: Day): InputOf<'listInvoices'> => ({
  ...invoicesNarrowed(place, today),
  sort: place.sort,
  page: String(place.page),
  pageSize: String(place.size),
});

/** Returns whether any filter other than the page is set. */
export const hasInvoicesFilter = ({ text, state, company, span }: InvoicesPlace): boolean =>
  text.trim() !== '' || state !== null || company !== 0 || span !== null;
