import * as v from 'valibot';
import { companyRef } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { anyId } from '../paging.ts';
import { BILLING_SECRETS, CURRENCIES } from './service-levels.ts';
import { usageLine } from './subscription-calls.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
/** The id of a QuickBooks record. */
const remoteId = v.pipe(
  v.string(),
  v.regex(/^\w{1,20}$/, () => schemaMessages.remoteId),
);
const monthNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(12));
const yearNumber = v.pipe(v.number(), v.integer(), v.minValue(2_000), v.maxValue(2_999));
const lookup = v.object({
  rows: v.array(v.object({ id: v.string(), name: v.string() })),
  count: v.number(),
});
const GATE = 'o365.subscriptions' as const;
const LOOKUP = {
  method: 'GET',
  input: v.strictObject({}),
  output: lookup,
  gate: GATE,
  failures: ['forbidden', 'conflict', 'busy'],
} as const;
const secrets = v.object({ secrets: v.array(v.picklist(BILLING_SECRETS)) });

export const monthInvoiceCalls = {
  listQuickBooksReps: call({
    ...LOOKUP,
    path: 'o365/quickbooks/reps',
    summary: 'Lists the active employees in QuickBooks, who represent the sales.',
  }),
  listQuickBooksItems: call({
    ...LOOKUP,
    path: 'o365/quickbooks/items',
    summary: 'Lists the products and services in QuickBooks that an invoice can have.',
  }),
  listQuickBooksTaxes: call({
    ...LOOKUP,
    path: 'o365/quickbooks/taxes',
    summary: 'Lists the active tax codes in QuickBooks.',
  }),
  getPrecalculatedQuantity: call({
    method: 'POST',
    path: 'o365/quickbooks/item-precalculated-quantity',
    summary:
      'Returns the quantities that a month of a company bills. Without a month: the last one.',
    input: v.strictObject({
      companyId: companyRef,
      month: v.optional(monthNumber),
      year: v.optional(yearNumber),
    }),
    output: v.object({
      month: v.number(),
      year: v.number(),
      users: v.number(),
      gigabytes: v.number(),
      ack: v.boolean(),
    }),
    gate: GATE,
    failures: ['bad-input', 'not-found'],
  }),
  previewMonthInvoice: call({
    method: 'GET',
    path: 'o365/quickbooks/month-invoice/{usageId}',
    summary: 'Returns the invoice that a month would make, as it would be sent.',
    input: v.strictObject({ usageId: anyId }),
    output: v.object({
      customer: v.string(),
      currency: v.picklist(CURRENCIES),
      lines: v.array(usageLine),
      totalMills: v.number(),
    }),
    gate: GATE,
    failures: ['forbidden', 'not-found', 'conflict'],
  }),
  sendMonthInvoice: call({
    method: 'POST',
    path: 'o365/quickbooks/month-invoice/{usageId}',
    summary:
      'Creates the invoice of an acknowledged month in QuickBooks. A month is invoiced once, however often this is repeated.',
    input: v.strictObject({
      usageId: anyId,
      userItem: remoteId,
      gigabyteItem: v.optional(orNull(remoteId)),
      tax: v.optional(orNull(remoteId)),
      rep: v.optional(orNull(v.pipe(v.string(), v.maxLength(200)))),
    }),
    output: v.object({ invoice: v.string() }),
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'not-found', 'conflict', 'busy', 'reauth_required'],
  }),
  listBackupVolumes: call({
    method: 'GET',
    path: 'o365/solarwinds/volumes',
    summary:
      "Lists the volumes of the provider's SolarWinds server. `reason`: why there are none, such as a server that isn't configured.",
    input: v.strictObject({}),
    output: v.object({
      rows: v.array(
        v.object({
          id: v.string(),
          node: v.string(),
          name: v.string(),
          sizeBytes: v.number(),
          usedBytes: v.number(),
        }),
      ),
      count: v.number(),
      reason: orNull(v.string()),
    }),
    gate: GATE,
    failures: ['forbidden', 'too-many'],
  }),
  getBillingSecrets: call({
    method: 'GET',
    path: 'o365/billing/secrets',
    summary: 'Returns which secrets are stored, never the secrets.',
    input: v.strictObject({}),
    output: secrets,
    gate: GATE,
    failures: [],
  }),
  setBillingSecret: call({
    method: 'PUT',
    path: 'o365/billing/secrets/{name}',
    summary: 'Stores a secret sealed and replaces the previous one; null deletes it.',
    input: v.strictObject({
      name: v.picklist(BILLING_SECRETS),
      value: orNull(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))),
    }),
    output: secrets,
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'conflict', 'reauth_required'],
  }),
} as const;
