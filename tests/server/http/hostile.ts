/**
 * Inputs as a call's schema wants them, with something hostile in one or several places. All by a
 * seed.
 */
import * as v from 'valibot';

export interface Random {
  (): number;
  readonly below: (max: number) => number;
  readonly of: <T>(all: readonly T[]) => T;
}

/** Mulberry32: the same numbers for the same seed everywhere. */
export function getRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (max: number): number => Math.floor(next() * max);
  return Object.assign(next, {
    below,
    of: <T>(all: readonly T[]): T => all[below(all.length)] as T,
  });
}

/** Text that databases, mail, files and addresses have trouble with. */
export const HOSTILE_TEXTS: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  '\udc00',
  'x\udce9',
  '\ud83d',
  '\udc00\ud800',
  '\ufffe\uffff',
  '\u202egnp.exe',
  '\u2028\u2029',
  '\r\nBcc: x@example.net',
  '\u0001\u001b[31m\u007f\u0085',
  '',
  ' ',
  'x'.repeat(10_000),
  '\u{1f600}'.repeat(150),
  `${'a'.repeat(199)}\u{1f600}`,
  '\u0130'.repeat(200),
  '\u0661\u0662\u0663',
  '%00',
  '%ff',
  '%',
  '%2e%2e%2f',
  '../../etc/passwd',
  '\\u0000',
  '\\',
  '"',
  "'",
  '__proto__',
  'constructor',
  'NaN',
  '-0',
  '1e999',
  'Infinity',
  '99999999999999999999',
  '-1',
  '0',
  'null',
  '{}',
  '[]',
  '2026-02-30',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  'https://\0.example',
  'http://[::1',
  '$1',
  '(((((',
  '*'.repeat(200),
  'a|'.repeat(99),
  '<script>',
  '=1+1',
  '\ud83d\ude00',
  'e\u0301'.repeat(90),
];
const HOSTILE_NUMBERS: readonly number[] = [
  -1,
  0,
  -0,
  0.5,
  1e300,
  1e21,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  Number.MAX_SAFE_INTEGER,
  8.64e15,
  8.64e15 + 1,
  5e-324,
];

const deep = (depth: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** What takes the place of a whole value. */
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  [],
  {},
  [[]],
  deep(20),
  deep(40),
  { 'a\0': '\ud800', '\udfff': 1 },
  ['\0', '\ud800'],
  ...HOSTILE_NUMBERS,
];

/**
 * Text that one or the other schema takes; which, the schema says. `ids` are those of things that
 * are there.
 */
const SAMPLES: readonly string[] = [
  'Name',
  'a',
  '1',
  '2',
  '10',
  '200',
  '2026-03-02',
  '2026-03-02T06:00:00Z',
  '2026-03-05T06:00:00.000Z',
  'a@b.example',
  '+15550100200',
  'Europe/Berlin',
  'UTC',
  '/monitoring',
  '08:00',
  '#336699',
  'https://reach.example.net/x',
  'reach.example.net',
  'a=b',
  '123456',
  '"dark"',
  'true',
  'yes',
  'no',
  'iVBORw0KGgo=',
  'correct horse battery',
  'dc=example,dc=com',
  '{}',
  '1.1',
  'p256dh',
  'A'.repeat(22),
  'B'.repeat(87),
  'ldaps://ad.example.net',
  'en-US',
  'name',
  '-name',
  'JOBS',
  'calendarReportFull',
  '0 2 * * *',
  'image/png',
  '15',
  'weekly',
  '/terms',
  'tel:+1555',
  '00000000-0000-4000-8000-000000000000',
  'kate',
  'x'.repeat(20),
];

interface Part {
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly item?: v.GenericSchema;
  readonly key?: v.GenericSchema;
  readonly value?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  readonly kind: string;
  readonly requirement?: unknown;
}

/** A value that the schema takes, as far as that can be found out. */
export function validFor(schema: v.GenericSchema, random: Random, ids: readonly string[]): unknown {
  const part = schema as unknown as Part;
  const again = (inner: v.GenericSchema | undefined): unknown =>
    inner === undefined ? null : validFor(inner, random, ids);
  switch (part.type) {
    case 'strict_object':
    case 'object':
    case 'loose_object':
      return Object.fromEntries(
        Object.entries(part.entries ?? {}).flatMap(([name, inner]) =>
          (inner as unknown as Part).type === 'optional' && random() < 0.4
            ? []
            : [[name, again(inner)]],
        ),
      );
    case 'variant':
    case 'union':
      return again(random.of(part.options as readonly v.GenericSchema[]));
    case 'optional':
      return again(part.wrapped);
    case 'nullable':
      return random() < 0.3 ? null : again(part.wrapped);
    case 'array':
      return Array.from({ length: 1 + random.below(2) }, () => again(part.item));
    case 'record':
      return { name: again(part.value) };
    case 'picklist':
      return random.of(part.options ?? []);
    case 'literal':
      return part.literal;
    case 'boolean':
      return random() < 0.5;
    case 'number':
      return numberFor(schema, random);
    case 'string':
      return textFor(schema, part, random, ids);
    default:
      return null;
  }
}

function numberFor(schema: v.GenericSchema, random: Random): number {
  const fit = [1, 2, 5, 15, 60, 0, 443, 900, 1_772_434_800_000].filter((one) => v.is(schema, one));
  return fit.length === 0 ? 1 : random.of(fit);
}

function textFor(
  schema: v.GenericSchema,
  { pipe = [] }: Part,
  random: Random,
  ids: readonly string[],
): string {
  // A text that is JSON of its own: what stands behind `parse_json` says of what.
  const inner = pipe.findIndex(({ type }) => type === 'parse_json');
  if (inner >= 0)
    return JSON.stringify(
      hostileIn(
        validFor(pipe[inner + 1] as unknown as v.GenericSchema, random, ids),
        random,
        random.below(2),
      ),
    );
  const fit = [...SAMPLES, ...ids, ...ids].filter((one) => v.is(schema, one));
  return fit.length === 0 ? 'x' : random.of(fit);
}

/**
 * The value with something hostile in `times` places: in the place of a text or number something
 * like it, of anything what it is not.
 */
export function hostileIn(value: unknown, random: Random, times: number): unknown {
  let made = value;
  for (let time = 0; time < times; time += 1) made = changedAt(made, random);
  return made;
}

function changedAt(value: unknown, random: Random): unknown {
  if (typeof value === 'object' && value !== null && random() < 0.93) {
    const entries = Object.entries(value);
    if (entries.length === 0)
      return Array.isArray(value)
        ? [random.of(HOSTILE_TEXTS)]
        : { [random.of(HOSTILE_TEXTS)]: random.of(HOSTILE_TEXTS) };
    const place = random.below(entries.length);
    const changed = entries.map(([name, one], at): [string, unknown] => [
      name,
      at === place ? changedAt(one, random) : one,
    ]);
    return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
  }
  const roll = random();
  if (typeof value === 'number' && roll < 0.7) return random.of(HOSTILE_NUMBERS);
  return roll < 0.85 ? withText(value, random) : random.of(HOSTILE_VALUES);
}

/** Sometimes behind what was there, so that it is still of its form for the most part. */
const withText = (value: unknown, random: Random): string =>
  `${typeof value === 'string' && random() < 0.5 ? value : ''}${random.of(HOSTILE_TEXTS)}`;
