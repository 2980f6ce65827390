import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { dayAt, spanKey, spanOfKey, getTimes } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

/**
 * State in the address of the log. `user`: the affected or acting user. `what`: the kind of entry.
 * Pages start at 1.
 */
export interface LogsPlace {
  readonly span: Span;
  readonly user: string | null;
  readonly what: string | null;
  readonly text: string;
  readonly page: number;
  readonly size: number;
}

export const LOGS_DEFAULTS: LogsPlace = {
  span: { kind: 'last', days: 7 },
  user: null,
  what: null,
  text: '',
  page: 1,
  size: PAGE_SIZE,
};

/** Returns the query of an address without `?`. Default values are left out. */
export function logsQuery({ span, user, what, text, page, size }: LogsPlace): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (spanKey(span) !== spanKey(LOGS_DEFAULTS.span)) params.set('date', spanKey(span));
  if (user !== null) params.set('user', user);
  if (what !== null) params.set('what', what);
  if (page !== 1) params.set('page', String(page));
  if (size !== PAGE_SIZE) params.set('size', String(size));
  return params.toString();
}

/** Parses any query. Invalid values fall back to their defaults. */
export function logsPlace(query: string): LogsPlace {
  const params = new URLSearchParams(query);
  const page = params.get('page') ?? '';
  const size = Number(params.get('size'));
  const user = params.get('user') ?? '';
  const what = params.get('what') ?? '';
  return {
    span: spanOfKey(params.get('date') ?? '') ?? LOGS_DEFAULTS.span,
    user: /^[\da-f-]{36}$/.test(user) ? user : null,
    what: /^[\w.-]{1,64}$/.test(what) ? what : null,
    text: (params.get('q') ?? '').slice(0, 100),
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZE,
  };
}

/** A change of filter or order returns to the first page. */
export const logsMoved = (place: LogsPlace, next: Partial<LogsPlace>): LogsPlace => ({
  ...place,
  ...(!('page' in next) && { page: 1 }),
  ...next,
});

/** Returns the server query of the list, also for its export. */
export function logsAsk(
  { span, user, what, text }: LogsPlace,
  now: Ms,
  rule: DayRule,
): InputOf<'exportUserLogs'> {
  const { from, to } = getTimes(span, dayAt(now, rule), rule);
  const words = text.trim();
  return {
    from: String(from),
    to: String(to),
    ...(user !== null && { user }),
    ...(what !== null && { what }),
    ...(words !== '' && { text: words }),
  };
}
