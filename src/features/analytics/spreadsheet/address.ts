import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import type { CalendarMode } from '#contract/calendar/calendar.ts';
import type { Day } from '#contract/ids.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { dayListAddress } from '../../calendar/address.ts';
import { parseSelection, chosenParams } from '../trends/address.ts';
import { withQuery } from '#src/features/shared/with-query.ts';
import type { TrendSelection } from '../trends/address.ts';

export interface SheetPlace extends TrendSelection {
  readonly mode: CalendarMode;
  readonly by: 'job' | 'company';
  readonly text: string;
}

const SPAN: Span = { kind: 'last', days: 14 };
const TEXT_CHARS = 100;
export const SHEET_PLACE: SheetPlace = {
  span: SPAN,
  companies: [],
  sources: [],
  types: [],
  mode: 'worst',
  by: 'job',
  text: '',
};

export function sheetAddress(place: SheetPlace): string {
  const params = chosenParams(place, SPAN);
  const put = (key: string, value: string, byDefault: string): void => {
    if (value !== byDefault) params.set(key, value);
  };
  put('show', place.mode, SHEET_PLACE.mode);
  put('by', place.by, SHEET_PLACE.by);
  put('q', place.text, '');
  return withQuery('/monitoring/spreadsheet', params);
}

export function sheetPlace(query: string): SheetPlace {
  const params = new URLSearchParams(query);
  return {
    ...parseSelection(params, SPAN),
    mode: CALENDAR_MODES.find((one) => one === params.get('show')) ?? SHEET_PLACE.mode,
    by: params.get('by') === 'company' ? 'company' : 'job',
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
  };
}

/**
 * Returns the address of the results behind a cell. Jobs that only the server knows are matched by
 * name and company.
 */
export function cellAddress(
  {
    company,
    job,
    name,
  }: { readonly company: number; readonly job: number | null; readonly name: string | null },
  day: Day,
): string {
  if (job !== null) return dayListAddress({ of: 'job', n: job, day });
  return `/monitoring/daily-checks?date=${day}..${day}&rows=runs&review=any&company=${company}${name === null ? '' : `&q=${encodeURIComponent(name)}`}`;
}
