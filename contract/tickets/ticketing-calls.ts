import * as v from 'valibot';
import { call } from '../call.ts';
import { lastErrorFields } from '../last-error.ts';
import { NamedSchema } from './tickets.ts';
import { ChoicesSchema, MAPPING_HEALTH, TicketingSchema } from './ticketing.ts';

const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

/**
 * `secret`: whether a secret is stored; the secret itself is never returned. `callback`: the
 * address to which ConnectWise can report changes. `polledAt`: when the system was last synced.
 */
const stored = v.object({
  settings: TicketingSchema,
  secret: v.boolean(),
  choices: ChoicesSchema,
  polledAt: orNull(v.number()),
  ...lastErrorFields,
  waiting: v.number(),
  callback: v.string(),
});
export type TicketingState = v.InferOutput<typeof stored>;

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
    summary: 'Returns the connected ticketing system and the state of its connection.',
    input: v.strictObject({}),
    output: stored,
    gate: 'common.companies',
    failures: ['forbidden'],
  }),
  setTicketing: call({
    method: 'PUT',
    path: 'monitoring/backoffice/ticketing',
    summary:
      'Connects a ticketing system, and sets how tickets are handled. `secret` replaces the stored one, and is required if the address changes.',
    input: v.strictObject({
      settings: TicketingSchema,
      secret: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(4_000))),
    }),
    output: stored,
    gate: 'common.companies',
    failures: ['bad-input', 'forbidden'],
  }),
  testTicketing: call({
    method: 'POST',
    path: 'monitoring/backoffice/ticketing/test',
    summary:
      'Tests the connection: loads and stores the choices that the system offers, and describes the outcome.',
    input: v.strictObject({}),
    output: v.object({ ok: v.boolean(), message: v.string(), state: stored }),
    gate: 'common.companies',
    failures: ['forbidden', 'too-many'],
  }),
  listMappings: call({
    method: 'GET',
    path: 'monitoring/backoffice/ticketing/companies',
    summary:
      'Lists every company, the ticketing company it is mapped to, and the state of the mapping.',
    input: v.strictObject({}),
    output: v.array(mapped),
    gate: 'common.companies',
    failures: ['forbidden'],
  }),
  setMappings: call({
    method: 'PUT',
    path: 'monitoring/backoffice/ticketing/companies',
    summary: 'Maps companies to companies of the ticketing system; null removes a mapping.',
    input: v.strictObject({ pairs: v.pipe(v.array(pair), v.minLength(1), v.maxLength(10_000)) }),
    output: v.array(mapped),
    gate: 'common.companies',
    failures: ['bad-input', 'forbidden'],
  }),
  checkMappings: call({
    method: 'POST',
    path: 'monitoring/backoffice/ticketing/companies/check',
    summary:
      'Checks whether the mapped companies still exist in the ticketing system under the same names. For unmapped companies it suggests those with exactly the same name, for confirmation.',
    input: v.strictObject({}),
    output: v.object({ companies: v.array(mapped), found: v.array(pair) }),
    gate: 'common.companies',
    failures: ['forbidden', 'conflict', 'too-many', 'busy'],
  }),
} as const;
