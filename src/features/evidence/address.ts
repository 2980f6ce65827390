import type { CompanyN, Ms } from '#contract/ids.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { dayAt, spanKey, spanOfKey, getTimes } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';

/** State in the address of the evidence page. `company`: null for all. */
export interface EvidencePlace {
  readonly show: 'reviews' | 'hand-overs';
  readonly span: Span;
  readonly company: CompanyN | null;
}

export const EVIDENCE_DEFAULTS: EvidencePlace = {
  show: 'reviews',
  span: { kind: 'last', days: 7 },
  company: null,
};

/** Returns the query of an address without `?`. Default values are left out. */
export function evidenceQuery({ show, span, company }: EvidencePlace): string {
  const params = new URLSearchParams();
  if (show !== EVIDENCE_DEFAULTS.show) params.set('show', show);
  if (spanKey(span) !== spanKey(EVIDENCE_DEFAULTS.span)) params.set('date', spanKey(span));
  if (company !== null) params.set('company', String(company));
  return params.toString();
}

/** Parses any query. Invalid values fall back to their defaults. */
export function evidencePlace(query: string): EvidencePlace {
  const params = new URLSearchParams(query);
  const company = params.get('company') ?? '';
  return {
    show: params.get('show') === 'hand-overs' ? 'hand-overs' : 'reviews',
    span: spanOfKey(params.get('date') ?? '') ?? EVIDENCE_DEFAULTS.span,
    company: /^[1-9]\d{0,8}$/.test(company) ? Number(company) : null,
  };
}

/** The same limit as in `listEvidence`. */
const LONGEST: Ms = 366 * 86_400_000;

/**
 * Returns the time range of a span, and whether it exceeds the limit. A day with a clock change can
 * be an hour longer.
 */
export function evidenceTime(
  span: Span,
  now: Ms,
  rule: DayRule,
): { readonly from: Ms; readonly to: Ms; readonly tooLong: boolean } {
  const { from, to } = getTimes(span, dayAt(now, rule), rule);
  return { from, to: Math.min(to, from + LONGEST), tooLong: to - from > LONGEST + HOUR_MS };
}
