import {
  array,
  assert,
  constantFrom,
  dictionary,
  double,
  jsonValue,
  nat,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { EventSchema } from '#contract/events.ts';
import { JobRowSchema } from '#contract/runs/rows.ts';
import { CompanyRowSchema } from '#contract/users/rows.ts';
import { ExecutionInSchema } from '#contract/ingest/calls.ts';
import { makeFastValidator } from '#contract/fast-validate.ts';
import { jobDraft, problemDraft, runDraft, runStart } from '#tests/server/db/drafts.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const execution = {
  job: 'Files',
  jobInstanceUid: 'u',
  externalId: 'e',
  computer: 'pc',
  server: 's',
  source: 'restic',
  type: 'Backup',
  entityGroup: 'other',
  managed: null,
  enabled: true,
  schedule: { type: 'cron', cron: '0 1 * * *', tz: 'UTC' },
  graceSec: 5,
  status: 'Failed',
  startTime: '2026-03-02T11:00:00.000Z',
  endTime: '2026-03-02T11:00:00Z',
  durationSec: 0,
  bytesTransferred: 1,
  bytesProcessed: null,
  filesTotal: 3,
  filesFailed: 0,
  message: 'no',
  exitCode: -1,
  log: 'text',
  tasks: [
    { name: 'VM', status: 'Success', startTime: null, durationSec: 1, message: 'm' },
    { name: 'b', status: 'Pending' },
  ],
  detail: { a: 1, b: 'c', d: null, e: false },
};
/** A schema, and values that it takes. */
const SCHEMAS: readonly (readonly [name: string, schema: v.GenericSchema, good: unknown])[] = [
  ['execution', ExecutionInSchema, execution],
  [
    'execution, short',
    ExecutionInSchema,
    { job: 'Files', status: 'Running', startTime: '2026-03-02T11:00:00Z' },
  ],
  ...[
    jobDraft(1),
    runStart({ n: 1 }),
    runDraft({ n: 2, problem: 3, message: 'm', corrects: { problem: 1 } }),
    runDraft({ n: 2 }),
    problemDraft(1, 2, 3),
  ].map(
    ({ event }) =>
      [
        event.type,
        EventSchema.options.find(
          (one) => one.entries.type.literal === event.type,
        ) as unknown as v.GenericSchema,
        event,
      ] as const,
  ),
  [
    'job',
    JobRowSchema,
    {
      ...jobDraft(1).event.data,
      firstSeenAt: 1,
      missedIgnored: null,
      disabledIgnored: { by: 'u', at: 1, until: null },
      problem: null,
    },
  ],
  [
    'company',
    CompanyRowSchema,
    { n: 1, id: 'c', name: 'Company', madeAt: 1, veeamId: null, notify: ['u'], deletedAt: 2 },
  ],
  [
    'a list of names',
    v.strictObject({
      names: v.pipe(v.array(v.pipe(v.string(), v.trim(), v.minLength(1))), v.maxLength(2)),
    }),
    { names: ['a', 'b'] },
  ],
];

const odd = oneof(
  constantFrom<unknown>(
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    -1,
    1.5,
    2 ** 53,
    '',
    ' ',
    ' Files ',
    'x'.repeat(201),
    'Success',
    '2026-03-02',
    [],
    {},
    true,
    new Date(0),
    Object.create(null),
    [undefined],
    Array(1),
  ).map((one) => (Array.isArray(one) ? one.slice() : one)), // a change may change it
  string(),
  double(),
  jsonValue(),
  dictionary(
    constantFrom('a', 'constructor', 'prototype', 'is', ' b '),
    oneof(string(), jsonValue()),
  ),
);

for (const [name, schema, good] of SCHEMAS) {
  const quick = makeFastValidator(schema);
  test(`LOG-1, ING-12: the fast check accepts only values that the schema accepts unchanged: ${name}`, () => {
    expect(quick(good), 'the fast path is taken').toBe(true);
    assert(
      property(
        array(tuple(nat(), odd, constantFrom('set', 'add', 'drop')), { maxLength: 3 }),
        (changes) => {
          const value = changed(good, changes);
          const slow = v.safeParse(schema, value);
          if (!quick(value)) return;
          expect(slow.issues?.map((one) => one.message)).toBeUndefined();
          expect(slow.output).toEqual(value);
        },
      ),
      { numRuns: 400 * PROOF },
    );
  });
}

test('LOG-1: the fast check accepts nothing for a schema of an unknown kind', () => {
  for (const schema of [
    v.pipe(v.string(), v.toUpperCase()),
    v.optional(v.string(), 'x'),
    v.date(),
    v.union([v.string(), v.date()]),
  ]) {
    expect([
      makeFastValidator(schema)('A'),
      makeFastValidator(schema)({}),
      makeFastValidator(schema)(undefined),
    ]).toEqual([false, false, false]);
  }
});

/**
 * The value with some of its fields, at any depth, set to something odd, taken away, or joined by
 * another.
 */
function changed(
  good: unknown,
  changes: readonly (readonly [at: number, to: unknown, how: string])[],
): unknown {
  const value: unknown = structuredClone(good);
  for (const [at, to, how] of changes) {
    const places: (readonly [object, string])[] = [];
    const walk = (one: unknown): void => {
      if (typeof one !== 'object' || one === null) return;
      for (const key of Object.keys(one)) {
        places.push([one, key]);
        walk((one as Record<string, unknown>)[key]);
      }
    };
    walk(value);
    const [holder, key] = places[at % Math.max(1, places.length)] ?? [{}, ''];
    if (how === 'drop') Reflect.deleteProperty(holder, key);
    else if (how === 'set' || !Array.isArray(holder))
      Reflect.set(holder, how === 'set' ? key : `${key}2`, to);
  }
  return value;
}
