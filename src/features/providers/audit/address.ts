import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { dayAt, spanKey, spanOfKey, getTimes } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { adminEventsMessages as t } from './messages.en.ts';

/**
 * State in the address of the event log; an empty text is no filter. `before`: number of the event
 * before which the page starts.
 */
export interface EventsPlace {
  readonly provider: string;
  readonly span: Span;
  readonly type: string;
  readonly entity: string;
  readonly actor: string;
  readonly company: string;
  readonly text: string;
  readonly before: string;
  /** Number of the event in the panel. */
  readonly open: string;
}

const DAYS: Span = { kind: 'last', days: 7 };
const WORDS = ['provider', 'type', 'entity', 'actor', 'company', 'text', 'before', 'open'] as const;

/** Parses any query. Invalid values fall back to their defaults. */
export function eventsPlace(query: string): EventsPlace {
  const params = new URLSearchParams(query);
  const text = (name: (typeof WORDS)[number], max: number): string =>
    (params.get(name) ?? '').slice(0, max);
  const number = (name: 'company' | 'before' | 'open'): string =>
    /^[1-9]\d{0,14}$/.test(params.get(name) ?? '') ? (params.get(name) ?? '') : '';
  return {
    provider: text('provider', 64),
    span: spanOfKey(params.get('date') ?? '') ?? DAYS,
    type: text('type', 64),
    entity: text('entity', 100),
    actor: text('actor', 200),
    company: number('company'),
    text: text('text', 100),
    before: number('before'),
    open: number('open'),
  };
}

/** Returns the query of an address without `?`. Default values are left out. */
export function eventsQuery(place: EventsPlace): string {
  const params = new URLSearchParams();
  if (spanKey(place.span) !== spanKey(DAYS)) params.set('date', spanKey(place.span));
  for (const name of WORDS) if (place[name] !== '') params.set(name, place[name]);
  return params.toString();
}

/** Returns the call's input without `before`. Times in milliseconds. */
export function eventsAsk(
  { provider, span, type, entity, actor, company, text }: EventsPlace,
  now: Ms,
  rule: DayRule,
): InputOf<'exportAdminEvents'> {
  const { from, to } = getTimes(span, dayAt(now, rule), rule);
  return {
    from: String(from),
    to: String(to),
    ...(provider !== '' && { provider }),
    ...(type !== '' && { type }),
    ...(entity !== '' && { entity }),
    ...(actor !== '' && { actor }),
    ...(company !== '' && { company }),
    ...(text !== '' && { text }),
  };
}

/** Returns the number of active filters, without the period, which is always set. */
export const filtersOn = (place: EventsPlace): number =>
  (['type', 'entity', 'actor', 'company', 'text'] as const).filter((name) => place[name] !== '')
    .length;

/**
 * Returns the options of the type filter: each subject with all of its events, then single events.
 * `run.finished@1` belongs to `run.`.
 */
export function typeOptions(
  types: readonly string[],
): readonly (readonly [value: string, word: string])[] {
  const subjects = [...new Set(types.map((type) => `${type.split('.')[0] ?? ''}.`))].toSorted();
  return subjects.flatMap((subject) => {
    const own = types.filter((type) => type.startsWith(subject));
    return [
      ...(own.length > 1 ? [[subject, t.allOfSubject({ subject: `${subject}*` })] as const] : []),
      ...own.map((type) => [type, type.replace(/@\d+$/, '')] as const),
    ];
  });
}

/** Formats event data for display: indented, or unchanged if it is not JSON. */
export function formatData(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), null, 2);
  } catch {
    return data;
  }
}
