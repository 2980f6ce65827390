import * as v from 'valibot';
import { call } from '../call.ts';
import { NamedSchema } from './tickets.ts';
import { ChoicesSchema, MAPPING_HEALTH, TicketingSchema } from './ticketing.ts';

const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

/**
 * `secret`: whether one is kept; never what it is. `callback`: where ConnectWise may tell of
 * changes. `polledAt`: when the system was last heard.
 */
const kept = v.object({
  settings: TicketingSchema,
  secret: v.boolean(),
  choices: ChoicesSchema,
  polledAt: orNull(v.number()),
  fault: orNull(v.string()),
  waiting: v.number(),
  callback: v.string(),
});
export type TicketingKept = v.InferOutput<typeof kept>;

const mapped = v.object({
  company: v.number(),
  name: v.string(),
  remote: orNull(NamedSchema),
  health: v.picklist(MAPPING_HEALTH),
  checkedAt: orNull(v.number()),
});
export type MappedOut = v.InferOutput<typeof mapped>;
const pair = v.strictObject({ company: companyN, remote: orNull(NamedSchema) });

export const ticketingCalls = {
  getTicketing: call({
    method: 'GET',
    path: 'monitoring/backoffice/ticketing',
    summary: 'The ticketing system that is connected, and how it goes with it.',
    input: v.strictObject({}),
    output: kept,
    gate: 'common.companies',
    failures: ['forbidden'],
  }),
  setTicketing: call({
    method: 'PUT',
    path: 'monitoring/backoffice/ticketing',
    summary:
      'Connects a ticketing system or another one, and says what is done with tickets. `secret` replaces the one that is kept; it goes with the address that it was for.',
    input: v.strictObject({
      settings: TicketingSchema,
      secret: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(4_000))),
    }),
    output: kept,
    gate: 'common.companies',
    failures: ['bad-input', 'forbidden'],
  }),
  testTicketing: call({
    method: 'POST',
    path: 'monitoring/backoffice/ticketing/test',
    summary:
      'Asks the system that is set what it offers, keeps that, and says in words what came of it.',
    input: v.strictObject({}),
    output: v.object({ ok: v.boolean(), says: v.string(), kept }),
    gate: 'common.companies',
    failures: ['forbidden', 'too-many'],
  }),
  listMappings: call({
    method: 'GET',
    path: 'monitoring/backoffice/ticketing/companies',
    summary: 'Every company, the one of the system that it stands for, and how that stands.',
    input: v.strictObject({}),
    output: v.array(mapped),
    gate: 'common.companies',
    failures: ['forbidden'],
  }),
  setMappings: call({
    method: 'PUT',
    path: 'monitoring/backoffice/ticketing/companies',
    summary: 'Lets companies stand for companies of the system; null lets go.',
    input: v.strictObject({ pairs: v.pipe(v.array(pair), v.minLength(1), v.maxLength(10_000)) }),
    output: v.array(mapped),
    gate: 'common.companies',
    failures: ['bad-input', 'forbidden'],
  }),
  checkMappings: call({
    method: 'POST',
    path: 'monitoring/backoffice/ticketing/companies/check',
    summary:
      'Asks the system whether its companies are still there and named alike, and finds those of exactly our names for companies that are not mapped: to be confirmed.',
    input: v.strictObject({}),
    output: v.object({ companies: v.array(mapped), found: v.array(pair) }),
    gate: 'common.companies',
    failures: ['forbidden', 'conflict', 'too-many', 'busy'],
  }),
} as const;
