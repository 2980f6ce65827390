import * as v from 'valibot';
import { call } from '../call.ts';
import { lastErrorFields } from '../last-error.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const text = nameText();
const secret = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.secretChars));

/** Intuit's two environments. Keys of one don't work in the other. */
export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type QuickBooksEnvironment = (typeof ENVIRONMENTS)[number];

/**
 * The keys of an app at developer.intuit.com, and the state of the connection. `secret`: whether a
 * secret is stored; the secret itself is never returned. `back`: the redirect URI to register in
 * the app. `realm`: the number of the connected QuickBooks company; null if not connected. `ended`:
 * the connection must be made again.
 */
const stored = v.object({
  environment: v.picklist(ENVIRONMENTS),
  clientId: v.string(),
  secret: v.boolean(),
  back: v.string(),
  realm: orNull(v.string()),
  connectedAt: orNull(v.number()),
  ended: v.boolean(),
  readAt: orNull(v.number()),
  ...lastErrorFields,
  invoices: v.number(),
});
export type QuickBooksState = v.InferOutput<typeof stored>;

/**
 * The state of a customer's mapping: mapped (directly or through its parent customer), renamed
 * since, no longer active in QuickBooks, or not mapped.
 */
export const CUSTOMER_HEALTH = ['ok', 'renamed', 'inactive', 'not mapped'] as const;
export type CustomerHealth = (typeof CUSTOMER_HEALTH)[number];
/**
 * `by`: the parent customer through which it is mapped. `suggested`: the only company with exactly
 * the same name, if the customer isn't mapped.
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
  customer: v.pipe(
    v.string(),
    v.regex(/^\d{1,20}$/, () => schemaMessages.digits),
  ),
  company: orNull(companyN),
});

const GATE = 'common.companies' as const;

export const quickBooksCalls = {
  getQuickBooks: call({
    method: 'GET',
    path: 'o365/quickbooks/connection',
    summary:
      'Returns the QuickBooks Online app that reads invoices, and the state of its connection.',
    input: v.strictObject({}),
    output: stored,
    gate: GATE,
    failures: ['forbidden'],
  }),
  setQuickBooks: call({
    method: 'PUT',
    path: 'o365/quickbooks/connection',
    summary:
      'Sets the keys of the app. `secret` replaces the stored one. Changing the keys ends the connection that was made with the previous ones.',
    input: v.strictObject({
      environment: v.picklist(ENVIRONMENTS),
      clientId: text,
      secret: v.optional(secret),
    }),
    output: stored,
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'reauth_required'],
  }),
  beginQuickBooks: call({
    method: 'POST',
    path: 'o365/quickbooks/connection/begin',
    summary:
      'Returns the Intuit page that grants access. Its address is valid for ten minutes and for the caller only.',
    input: v.strictObject({}),
    output: v.object({ url: v.string() }),
    gate: GATE,
    failures: ['conflict', 'forbidden', 'reauth_required'],
  }),
  finishQuickBooks: call({
    method: 'POST',
    path: 'o365/quickbooks/connection/finish',
    summary: 'Exchanges the authorization code from Intuit for tokens and stores them encrypted.',
    input: v.strictObject({
      code: v.pipe(v.string(), v.minLength(1), v.maxLength(1_000)),
      realmId: v.pipe(
        v.string(),
        v.regex(/^\d{1,30}$/, () => schemaMessages.digits),
      ),
      state: v.pipe(v.string(), v.maxLength(100)),
    }),
    output: stored,
    gate: GATE,
    failures: ['bad-input', 'conflict', 'forbidden', 'busy'],
  }),
  testQuickBooks: call({
    method: 'POST',
    path: 'o365/quickbooks/connection/test',
    summary:
      "Tests the connection by reading the QuickBooks company's name, describes the outcome, and starts an import of invoices.",
    input: v.strictObject({}),
    output: v.object({ ok: v.boolean(), message: v.string(), state: stored }),
    gate: GATE,
    failures: ['forbidden', 'too-many'],
  }),
  removeQuickBooks: call({
    method: 'DELETE',
    path: 'o365/quickbooks/connection',
    summary: 'Revokes the access at Intuit and deletes keys, tokens and all imported data.',
    input: v.strictObject({}),
    output: v.object({}),
    gate: GATE,
    failures: ['forbidden', 'reauth_required'],
  }),
  listCustomers: call({
    method: 'GET',
    path: 'o365/quickbooks/customers',
    summary:
      'Lists the QuickBooks customers, the company each is mapped to, and the state of the mapping.',
    input: v.strictObject({}),
    output: v.array(customer),
    gate: GATE,
    failures: ['forbidden'],
  }),
  setCustomers: call({
    method: 'PUT',
    path: 'o365/quickbooks/customers',
    summary: 'Maps customers to companies; null removes a mapping.',
    input: v.strictObject({ pairs: v.pipe(v.array(pair), v.minLength(1), v.maxLength(10_000)) }),
    output: v.array(customer),
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'not-found'],
  }),
} as const;
