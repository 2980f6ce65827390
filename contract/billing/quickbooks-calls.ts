import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const text = nameText();
const secret = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.secretChars));

/** Which of Intuit's two worlds: keys of the one are not known in the other. */
export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/**
 * The keys of an app at developer.intuit.com, and how it goes with them. `secret`: whether one is
 * kept; never what it is. `back`: the address that the app has to name as its redirect URI.
 * `realm`: the number of the QuickBooks company that gave access; null: none has. `ended`: it has
 * to be connected anew.
 */
const kept = v.object({
  environment: v.picklist(ENVIRONMENTS),
  clientId: v.string(),
  secret: v.boolean(),
  back: v.string(),
  realm: orNull(v.string()),
  connectedAt: orNull(v.number()),
  ended: v.boolean(),
  readAt: orNull(v.number()),
  fault: orNull(v.string()),
  invoices: v.number(),
});
export type QuickBooksKept = v.InferOutput<typeof kept>;

/**
 * How a customer there stands to a company of ours: mapped to it (or with the customer that it is a
 * part of), under another name since, not in use there any more, or none was chosen.
 */
export const CUSTOMER_HEALTH = ['ok', 'renamed', 'inactive', 'not mapped'] as const;
export type CustomerHealth = (typeof CUSTOMER_HEALTH)[number];
/**
 * `by`: the customer above it, whose company stands for it. `suggested`: the one company of exactly
 * its name, where it stands for none.
 */
const customer = v.object({
  id: v.string(),
  name: v.string(),
  company: orNull(v.number()),
  companyName: orNull(v.string()),
  by: orNull(v.string()),
  health: v.picklist(CUSTOMER_HEALTH),
  suggested: orNull(v.number()),
  invoices: v.number(),
});
export type CustomerOut = v.InferOutput<typeof customer>;
const pair = v.strictObject({
  customer: v.pipe(v.string(), v.regex(/^\d{1,20}$/)),
  company: orNull(companyN),
});

const GATE = 'common.companies' as const;

export const quickBooksCalls = {
  getQuickBooks: call({
    method: 'GET',
    path: 'o365/quickbooks/connection',
    summary: 'The QuickBooks Online app that invoices are read with, and how it goes with it.',
    input: v.strictObject({}),
    output: kept,
    gate: GATE,
    failures: ['forbidden'],
  }),
  setQuickBooks: call({
    method: 'PUT',
    path: 'o365/quickbooks/connection',
    summary:
      'The keys of the app. `secret` replaces the one that is kept. Other keys end the connection that was made with the former ones.',
    input: v.strictObject({
      environment: v.picklist(ENVIRONMENTS),
      clientId: text,
      secret: v.optional(secret),
    }),
    output: kept,
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'reauth_required'],
  }),
  beginQuickBooks: call({
    method: 'POST',
    path: 'o365/quickbooks/connection/begin',
    summary:
      'Where at Intuit access is given: an address that is good for ten minutes, for who asked.',
    input: v.strictObject({}),
    output: v.object({ url: v.string() }),
    gate: GATE,
    failures: ['conflict', 'forbidden', 'reauth_required'],
  }),
  finishQuickBooks: call({
    method: 'POST',
    path: 'o365/quickbooks/connection/finish',
    summary: 'What Intuit said on the way back: it is exchanged for tokens, which are kept sealed.',
    input: v.strictObject({
      code: v.pipe(v.string(), v.minLength(1), v.maxLength(1_000)),
      realmId: v.pipe(v.string(), v.regex(/^\d{1,30}$/)),
      state: v.pipe(v.string(), v.maxLength(100)),
    }),
    output: kept,
    gate: GATE,
    failures: ['bad-input', 'conflict', 'forbidden', 'busy'],
  }),
  testQuickBooks: call({
    method: 'POST',
    path: 'o365/quickbooks/connection/test',
    summary:
      'Asks QuickBooks whose books these are, says in words what came of it, and has invoices read now.',
    input: v.strictObject({}),
    output: v.object({ ok: v.boolean(), says: v.string(), kept }),
    gate: GATE,
    failures: ['forbidden', 'too-many'],
  }),
  removeQuickBooks: call({
    method: 'DELETE',
    path: 'o365/quickbooks/connection',
    summary: 'Gives the access back to Intuit and forgets keys, tokens, and all that was read.',
    input: v.strictObject({}),
    output: v.object({}),
    gate: GATE,
    failures: ['forbidden', 'reauth_required'],
  }),
  listCustomers: call({
    method: 'GET',
    path: 'o365/quickbooks/customers',
    summary: 'The customers of QuickBooks, the company that each stands for, and how that stands.',
    input: v.strictObject({}),
    output: v.array(customer),
    gate: GATE,
    failures: ['forbidden'],
  }),
  setCustomers: call({
    method: 'PUT',
    path: 'o365/quickbooks/customers',
    summary: 'Lets customers stand for companies; null lets go.',
    input: v.strictObject({ pairs: v.pipe(v.array(pair), v.minLength(1), v.maxLength(10_000)) }),
    output: v.array(customer),
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'not-found'],
  }),
} as const;
