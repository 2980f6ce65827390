import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { getComputer, isIgnored } from '#src/features/shared/lists/rows.ts';
import type { Computer } from '#src/features/shared/lists/rows.ts';
import { withQuery } from '#src/features/shared/with-query.ts';

/** Filters of the list. */
export const SHOWS = ['all', 'bare', 'kept', 'ignored'] as const;
export type Show = (typeof SHOWS)[number];
export interface ComputersPlace {
  readonly span: Span;
  readonly show: Show;
  readonly text: string;
}

const SPAN: Span = { kind: 'last', days: 7 };
const TEXT_CHARS = 200;

export function computersAddress({ span, show, text }: ComputersPlace): string {
  const params = new URLSearchParams();
  if (spanKey(span) !== spanKey(SPAN)) params.set('date', spanKey(span));
  if (show !== 'all') params.set('show', show);
  if (text !== '') params.set('q', text);
  return withQuery('/monitoring/computers', params);
}

export function computersPlace(query: string): ComputersPlace {
  const params = new URLSearchParams(query);
  return {
    span: spanOfKey(params.get('date') ?? '') ?? SPAN,
    show: SHOWS.find((one) => one === params.get('show')) ?? 'all',
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
  };
}

/** Status of a computer: backed up, without a job, or deliberately ignored. */
export type IgnoreState = 'kept' | 'bare' | 'ignored';
export const getIgnoreState = (
  { jobs, ignored }: Pick<ComputerOut, 'jobs' | 'ignored'>,
  now: Ms,
): IgnoreState => (jobs > 0 ? 'kept' : isIgnored(ignored, now) ? 'ignored' : 'bare');

/** A discovered computer with its status. */
export interface ListedComputer extends Computer {
  readonly status: IgnoreState;
}

/** Computers without a job first, then by name. */
export function shownComputers(
  all: readonly ComputerOut[],
  { show, text }: Pick<ComputersPlace, 'show' | 'text'>,
  names: ReadonlyMap<CompanyN, string>,
  now: Ms,
): readonly ListedComputer[] {
  const key = text.trim().toLowerCase();
  return all
    .map((one): ListedComputer => ({ ...getComputer(one), status: getIgnoreState(one, now) }))
    .filter(
      (one) =>
        (show === 'all' || one.status === show) &&
        (key === '' ||
          [one.hostName, names.get(one.company) ?? '', one.os ?? '', ...one.ipAddresses].some(
            (word) => word.toLowerCase().includes(key),
          )),
    )
    .sort(
      (a, b) =>
        ORDER[a.status] - ORDER[b.status] ||
        NAMES.compare(a.hostName, b.hostName) ||
        a.company - b.company,
    );
}
const ORDER: Readonly<Record<IgnoreState, number>> = { bare: 0, ignored: 1, kept: 2 };
const NAMES = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
