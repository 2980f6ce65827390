import type { InputOf } from '#contract/calls.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

export const TICKET_STATES = ['open', 'closed', 'all'] as const;

/**
 * State in the address of the tickets page. `open`: id of the ticket in the side panel. `company`:
 * 0 for all. Pages start at 1.
 */
export interface TicketsPlace {
  readonly text: string;
  readonly state: (typeof TICKET_STATES)[number];
  readonly company: number;
  readonly page: number;
  readonly size: number;
  readonly open: string | null;
}

export const TICKETS = '/monitoring/tickets';
const SIZE = PAGE_SIZE;
export const TICKETS_DEFAULTS: TicketsPlace = {
  text: '',
  state: 'open',
  company: 0,
  page: 1,
  size: SIZE,
  open: null,
};

/** Returns the address; default values are left out. */
export function ticketsAddress({ text, state, company, page, size, open }: TicketsPlace): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (state !== 'open') params.set('state', state);
  if (company !== 0) params.set('company', String(company));
  if (page !== 1) params.set('page', String(page));
  if (size !== SIZE) params.set('size', String(size));
  if (open !== null) params.set('ticket', open);
  const query = params.toString();
  return `${TICKETS}${query === '' ? '' : `?${query}`}`;
}

/** Parses any query. Invalid values fall back to their defaults. */
export function ticketsPlace(query: string): TicketsPlace {
  const params = new URLSearchParams(query);
  const page = params.get('page') ?? '';
  const size = Number(params.get('size'));
  const company = params.get('company') ?? '';
  const open = params.get('ticket') ?? '';
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    state: TICKET_STATES.find((one) => one === params.get('state')) ?? 'open',
    company: /^[1-9]\d{0,8}$/.test(company) ? Number(company) : 0,
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((one) => one === size) ?? SIZE,
    open: /^[\da-f-]{36}$/.test(open) ? open : null,
  };
}

/** A change of filter or order returns to the first page. */
export const ticketsMoved = (place: TicketsPlace, next: Partial<TicketsPlace>): TicketsPlace => ({
  ...place,
  ...(['text', 'state', 'company', 'size'].some((key) => key in next) && { page: 1 }),
  ...next,
});

export function ticketsAsk({
  text,
  state,
  company,
  page,
  size,
}: TicketsPlace): InputOf<'listTickets'> {
  const search = text.trim();
  return {
    state,
    page: String(page),
    pageSize: String(size),
    ...(search !== '' && { search }),
    ...(company !== 0 && { company: String(company) }),
  };
}

/** Returns whether any filter other than the page is set. */
export const hasTicketsFilter = ({ text, state, company }: TicketsPlace): boolean =>
  text.trim() !== '' || state !== 'open' || company !== 0;
