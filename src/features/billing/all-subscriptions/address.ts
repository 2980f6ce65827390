import { ALL_SUBSCRIPTION_SORTS } from '#contract/billing/all-subscription-calls.ts';
import { SUBSCRIPTION_STATUSES } from '#contract/billing/subscriptions.ts';
import type { InputOf } from '#contract/calls.ts';
import type { Day } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';
import { parseMonth } from '../subscriptions/address.ts';

export const STATUS_CHOICES = [...SUBSCRIPTION_STATUSES, 'none'] as const;
type Sort = (typeof ALL_SUBSCRIPTION_SORTS)[number];

/** The state of the page, in its address. `provider`: empty for all. `open`: the company in the panel. */
export interface SubscriptionsPlace {
  readonly year: number;
  readonly month: number;
  readonly text: string;
  readonly provider: string;
  readonly status: (typeof STATUS_CHOICES)[number] | null;
  readonly sort: Sort;
  readonly page: number;
  readonly size: number;
  readonly open: string | null;
}

const PATH = '/admin/subscriptions';
export const ALL: Partial<SubscriptionsPlace> = { text: '', provider: '', status: null };

/** Parses any query. Invalid values fall back to their defaults; without a month, the current one. */
export function parseSubscriptionsAddress(search: string, today: Day): SubscriptionsPlace {
  const params = new URLSearchParams(search);
  const page = params.get('page') ?? '';
  return {
    ...parseMonth(params.get('month'), today),
    text: (params.get('q') ?? '').slice(0, 100),
    provider: (params.get('provider') ?? '').slice(0, 64),
    status: STATUS_CHOICES.find((one) => one === params.get('status')) ?? null,
    sort: ALL_SUBSCRIPTION_SORTS.find((one) => one === params.get('sort')) ?? 'provider',
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((one) => String(one) === params.get('size')) ?? PAGE_SIZE,
    open: params.get('open'),
  };
}

/** Default values are left out, except the month, so that a link shows the same month later. */
export function subscriptionsAddress(place: SubscriptionsPlace): string {
  const { year, month, text, provider, status, sort, page, size, open } = place;
  const params = new URLSearchParams({ month: `${year}-${String(month).padStart(2, '0')}` });
  if (text !== '') params.set('q', text);
  if (provider !== '') params.set('provider', provider);
  if (status !== null) params.set('status', status);
  if (sort !== 'provider') params.set('sort', sort);
  if (page !== 1) params.set('page', String(page));
  if (size !== PAGE_SIZE) params.set('size', String(size));
  if (open !== null) params.set('open', open);
  return `${PATH}?${params.toString()}`;
}

/** A change of anything but the page and the panel returns to the first page. */
export const move = (
  place: SubscriptionsPlace,
  next: Partial<SubscriptionsPlace>,
): SubscriptionsPlace => ({
  ...place,
  ...(Object.keys(next).some((key) => key !== 'open') && { page: 1 }),
  ...next,
});

export const hasSubscriptionsFilter = ({ text, provider, status }: SubscriptionsPlace): boolean =>
  text.trim() !== '' || provider !== '' || status !== null;

/** Returns the filter of the list, also for its file. */
export function getFilter({
  year,
  month,
  text,
  provider,
  status,
  sort,
}: SubscriptionsPlace): InputOf<'exportAllSubscriptions'> {
  const search = text.trim();
  return {
    year: String(year),
    month: String(month),
    ...(search !== '' && { search }),
    ...(provider !== '' && { provider }),
    ...(status !== null && { status }),
    sort,
  };
}
