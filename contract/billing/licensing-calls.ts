import * as v from 'valibot';
import { call } from '../call.ts';
import { anyId } from '../paging.ts';

/** A month as people write it in an address: `2026-11`. */
const month = v.pipe(v.string(), v.regex(/^\d{4}-(0[1-9]|1[0-2])$/));
export const UNITS = ['Computers', 'Jobs', 'Points', 'Instances', 'Users'] as const;

/**
 * What was used of one product in a month. `product` and `workload` in the words of where they come
 * from; `Daybook` is what this portal itself counts: jobs that had a result, and the computers of
 * those. `used` has `fresh` ones (new in the month) and `rental` ones in it, where the source tells
 * them.
 */
const usageLine = v.object({
  product: v.string(),
  workload: v.string(),
  unit: v.picklist(UNITS),
  used: v.number(),
  fresh: v.nullable(v.number()),
  rental: v.nullable(v.number()),
  /** The connection that told it; null: counted by the portal. */
  source: v.nullable(v.string()),
});
export type UsageLine = v.InferOutput<typeof usageLine>;

const provider = v.object({ id: v.string(), name: v.string() });
/** `total`: over all its companies, and what belongs to none of them. */
const ofProvider = v.object({
  serviceProvider: provider,
  own: v.boolean(),
  companies: v.number(),
  total: v.array(usageLine),
});
const ofCompany = v.object({
  serviceProviderId: v.string(),
  company: v.nullable(v.number()),
  companyName: v.string(),
  lines: v.array(usageLine),
});
export type ProviderUsage = v.InferOutput<typeof ofProvider>;
export type CompanyUsage = v.InferOutput<typeof ofCompany>;

/**
 * Of one product in this month and in the one before; 0: not any more, or not yet. `since`: the
 * first month of the last twelve in which it was told; null: in all that can be asked for.
 */
const ownLine = v.object({
  product: v.string(),
  workload: v.string(),
  unit: v.picklist(UNITS),
  used: v.number(),
  before: v.number(),
  since: v.nullable(v.string()),
});
export type OwnLine = v.InferOutput<typeof ownLine>;
const ownHolder = v.object({
  company: v.nullable(v.number()),
  name: v.string(),
  lines: v.array(ownLine),
});
export type OwnHolder = v.InferOutput<typeof ownHolder>;

const TIME = { month: v.optional(month) };
const answered = { month: v.string(), months: v.array(v.string()) };

export const licensingCalls = {
  listLicensing: call({
    method: 'GET',
    path: 'monitoring/reporting/licensing',
    summary:
      'What was used in a month, by provider: the own one and those below it; without a month, this one. `months`: those that can be asked for, newest first.',
    input: v.strictObject(TIME),
    output: v.object({ ...answered, providers: v.array(ofProvider) }),
    gate: 'monitoring.licensing',
    feature: 'reporting',
    failures: ['bad-input'],
  }),
  listCompanyLicensing: call({
    method: 'GET',
    path: 'monitoring/reporting/licensing/companies',
    summary: 'The same of each company of one provider, by name; last, what belongs to no company.',
    input: v.strictObject({ ...TIME, serviceProviderId: v.optional(anyId) }),
    output: v.object({ ...answered, companies: v.array(ofCompany) }),
    gate: 'monitoring.licensing',
    feature: 'reporting',
    failures: ['bad-input', 'not-found'],
  }),
  ownSubscriptions: call({
    method: 'GET',
    path: 'monitoring/reporting/licensing/own',
    summary:
      'What the own companies use this month and used in the one before, by name; of who sees all companies, what the provider uses as a whole (`company` null).',
    input: v.strictObject({}),
    output: v.object({ month: v.string(), before: v.string(), holders: v.array(ownHolder) }),
    gate: 'signed-in',
    failures: [],
  }),
  exportLicensing: call({
    method: 'POST',
    path: 'monitoring/reporting/licensing/export',
    summary: 'The companies of a month as a CSV file, those of providers below as well.',
    input: v.strictObject(TIME),
    output: 'bytes',
    gate: 'monitoring.licensing-export',
    feature: 'reporting',
    failures: ['bad-input'],
  }),
} as const;
