import type { InputOf } from '#contract/calls.ts';
import { LICENSE_STATES } from '#contract/billing/suite-usage-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { dayAt, getTimes, spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

type LicenseState = (typeof LICENSE_STATES)[number];

/** State in the address of both reports. Pages start at 1. */
export interface UsagePlace {
  readonly span: Span;
  readonly organization: string | null;
  readonly state: LicenseState | null;
  readonly text: string;
  readonly page: number;
  readonly size: number;
}

export const USAGE_DEFAULTS: UsagePlace = {
  span: { kind: 'last', days: 30 },
  organization: null,
  state: null,
  text: '',
  page: 1,
  size: PAGE_SIZE,
};

/** Returns the address of a report. Default values are left out. */
export function usageAddress(
  path: string,
  { span, organization, state, text, page, size }: UsagePlace,
): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (spanKey(span) !== spanKey(USAGE_DEFAULTS.span)) params.set('date', spanKey(span));
  if (organization !== null) params.set('organization', organization);
  if (state !== null) params.set('license', state);
  if (page !== 1) params.set('page', String(page));
  if (size !== PAGE_SIZE) params.set('size', String(size));
  const query = params.toString();
  return query === '' ? path : `${path}?${query}`;
}

/** Parses any query. Invalid values fall back to their defaults. */
export function usagePlace(query: string): UsagePlace {
  const params = new URLSearchParams(query);
  const page = params.get('page') ?? '';
  const organization = params.get('organization') ?? '';
  return {
    span: spanOfKey(params.get('date') ?? '') ?? USAGE_DEFAULTS.span,
    organization: /^[\da-f-]{36}$/.test(organization) ? organization : null,
    state: LICENSE_STATES.find((state) => state === params.get('license')) ?? null,
    text: (params.get('q') ?? '').slice(0, 100),
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((size) => size === Number(params.get('size'))) ?? PAGE_SIZE,
  };
}

/** A change of filter returns to the first page. */
export const moveUsage = (place: UsagePlace, next: Partial<UsagePlace>): UsagePlace => ({
  ...place,
  ...(!('page' in next) && { page: 1 }),
  ...next,
});

/** Returns the range and organization for the server. The last day of the range is included. */
export function getUsageInput(
  { span, organization }: UsagePlace,
  now: Ms,
  rule: DayRule,
): InputOf<'exportSuiteLicensing'> {
  const { from, to } = getTimes(span, dayAt(now, rule), rule);
  return {
    from: String(from),
    to: String(to - 1),
    ...(organization !== null && { organizationId: organization }),
  };
}
