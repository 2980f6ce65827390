import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { getComputer, isIgnored } from '#src/features/shared/lists/rows.ts';
import type { Computer } from '#src/features/shared/lists/rows.ts';
import { withQuery } from '#src/features/shared/with-query.ts';

/** Filters of the list. */
export const SHOWS = ['all', 'without-job', 'with-job', 'ignored'] as const;
export type Show = (typeof SHOWS)[number];
export interface ComputersPlace {
  readonly span: Span;
  readonly show: Show;
  readonly text: string;
}

const SPAN: Span = { kind: 'last', days: 7 };
const TEXT_CHARS = 200;

export function computersListAddress({ span, show, text }: ComputersPlace): string {
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
    show: SHOWS.find((one) => one === renameShow(params.get('show'))) ?? 'all',
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
  };
}

/** Links of earlier versions have other values. */
const renameShow = (show: string | null): string | null =>
  show === 'bare' ? 'without-job' : show === 'kept' ? 'with-job' : show;

/** Status of a computer: backed up, without a job, or deliberately ignored. */
export type ComputerCoverage = 'with-job' | 'without-job' | 'ignored';
export const getJobState = (
  { jobs, ignored }: Pick<ComputerOut, 'jobs' | 'ignored'>,
  now: Ms,
): ComputerCoverage =>
  jobs > 0 ? 'with-job' : isIgnored(ignored, now) ? 'ignored' : 'without-job';

/** A discovered computer with its status. */
export interface ListedComputer extends Computer {
  readonly status: ComputerCoverage;
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
    .map((one): ListedComputer => ({ ...getComputer(one), status: getJobState(one, now) }))
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
const ORDER: Readonly<Record<ComputerCoverage, number>> = {
  'without-job': 0,
  'ignored': 1,
  'with-job': 2,
};
const NAMES = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
