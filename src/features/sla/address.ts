import type { CompanyN } from '#contract/ids.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

/**
 * State of the page in its address. `alarm`: the open one, `new`, or none; `job`: the job of a new
 * one.
 */
export interface SlaPlace {
  readonly view: 'alarms' | 'report';
  readonly alarm: string | null;
  readonly job: { readonly uid: string; readonly name: string } | null;
  readonly span: Span;
  readonly by: 'job' | 'company';
  readonly company: CompanyN | null;
  /** Target of each row in percent; null without a target. */
  readonly percent: number | null;
  readonly hours: number | null;
  readonly text: string;
  readonly page: number;
  readonly size: number;
}

const PATH = '/monitoring/sla';
export const SLA_PLACE: SlaPlace = {
  view: 'alarms',
  alarm: null,
  job: null,
  span: { kind: 'last', days: 30 },
  by: 'job',
  company: null,
  percent: 95,
  hours: null,
  text: '',
  page: 1,
  size: PAGE_SIZE,
};

export function slaPlace(search: string): SlaPlace {
  const query = new URLSearchParams(search);
  const said = (name: string): string => (query.get(name) ?? '').slice(0, 300);
  const whole = (name: string, max: number): number | null => {
    const one = Number(said(name));
    return Number.isInteger(one) && one >= 1 && one <= max ? one : null;
  };
  return {
    view: said('view') === 'report' ? 'report' : 'alarms',
    alarm: query.get('alarm'),
    job: said('job') === '' ? null : { uid: said('job'), name: said('name') },
    span: spanOfKey(said('date')) ?? SLA_PLACE.span,
    by: said('by') === 'company' ? 'company' : 'job',
    company: whole('company', 4_294_967_295),
    percent: query.has('percent') ? whole('percent', 100) : SLA_PLACE.percent,
    hours: whole('hours', 2_160),
    text: said('q').slice(0, 100),
    page: whole('page', 100_000) ?? 1,
    size: PAGE_SIZES.find((one) => String(one) === said('size')) ?? SLA_PLACE.size,
  };
}

export function slaAddress(next: Partial<SlaPlace>): string {
  const { view, alarm, job, span, by, company, percent, hours, text, page, size } = {
    ...SLA_PLACE,
    ...next,
  };
  const query = new URLSearchParams();
  if (view === 'report') {
    query.set('view', view);
    if (spanKey(span) !== spanKey(SLA_PLACE.span)) query.set('date', spanKey(span));
    if (by !== 'job') query.set('by', by);
    if (company !== null) query.set('company', String(company));
    if (percent !== SLA_PLACE.percent) query.set('percent', String(percent ?? 'none'));
    if (hours !== null) query.set('hours', String(hours));
    if (text !== '') query.set('q', text);
    if (page > 1) query.set('page', String(page));
    if (size !== SLA_PLACE.size) query.set('size', String(size));
  } else if (alarm !== null) {
    query.set('alarm', alarm);
    if (job !== null) {
      query.set('job', job.uid);
      query.set('name', job.name);
    }
  }
  const said = query.toString();
  return said === '' ? PATH : `${PATH}?${said}`;
}
