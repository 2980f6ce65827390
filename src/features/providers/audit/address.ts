import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { dayAt, spanKey, spanOfKey, timesOf } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { adminEventsMessages as t } from './messages.en.ts';

/**
 * What the address of the event log holds; an empty text filters nothing. `before`: the number of
 * the event before which the page begins.
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
  /** The number of the event whose data are shown. */
  readonly open: string;
}

const DAYS: Span = { is: 'last', days: 7 };
const WORDS = ['provider', 'type', 'entity', 'actor', 'company', 'text', 'before', 'open'] as const;

/** Reads any query: what is no value falls back to its default. */
export function eventsPlace(query: string): EventsPlace {
  const params = new URLSearchParams(query);
  const text = (name: (typeof WORDS)[number], most: number): string =>
    (params.get(name) ?? '').slice(0, most);
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

/** The query of an address, without `?`: empty at the defaults. */
export function eventsQuery(place: EventsPlace): string {
  const params = new URLSearchParams();
  if (spanKey(place.span) !== spanKey(DAYS)) params.set('date', spanKey(place.span));
  for (const name of WORDS) if (place[name] !== '') params.set(name, place[name]);
  return params.toString();
}

/** As the call wants it, `before` aside: moments in ms. */
export function eventsAsk(
  { provider, span, type, entity, actor, company, text }: EventsPlace,
  now: Ms,
  rule: DayRule,
): InputOf<'exportAdminEvents'> {
  const { from, to } = timesOf(span, dayAt(now, rule), rule);
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

/** How many of the filters are on; days always are. */
export const filtersOn = (place: EventsPlace): number =>
  (['type', 'entity', 'actor', 'company', 'text'] as const).filter((name) => place[name] !== '')
    .length;

/**
 * What the choice of a type offers: each subject with all of its events, then single ones.
 * `run.finished@1` is of `run.`.
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

/** The data of an event as people read them: indented, or as they are where they are no JSON. */
export function readable(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), null, 2);
  } catch {
    return data;
  }
}
