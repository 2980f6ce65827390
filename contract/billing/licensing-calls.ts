import * as v from 'valibot';
import { call } from '../call.ts';
import type { EntityGroup } from '../runs/vocabulary.ts';
import { anyTenantId } from '../paging.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

/** A month in an address, such as `2026-11`. */
const month = v.pipe(
  v.string(),
  v.regex(/^\d{4}-(0[1-9]|1[0-2])$/, () => schemaMessages.month),
);
export const UNITS = ['Computers', 'Jobs', 'Points', 'Instances', 'Users'] as const;
export type LicensingUnit = (typeof UNITS)[number];

/** The workloads of what the portal counts itself, by the groups of its jobs. */
export const OWN_WORKLOADS = [
  ['managed-servers', 'Servers'],
  ['managed-agents', 'Agents, managed'],
  ['monitored-agents', 'Agents, monitored'],
  ['office365', 'Microsoft 365'],
  ['public-cloud-vms', 'Public cloud VMs'],
  ['file-share-jobs', 'File shares'],
  ['other', 'Other'],
] as const satisfies readonly (readonly [EntityGroup, string])[];
export type OwnWorkload = (typeof OWN_WORKLOADS)[number][1];

/**
 * Usage of one product in a month. `product` and `workload` use the terms of their source.
 * `Daybook` is what this portal counts itself: jobs with at least one result, and their computers.
 * `used` includes `fresh` (new in the month) and `rental` units, if the source reports them.
 */
const usageLine = v.object({
  product: v.string(),
  workload: v.string(),
  unit: v.picklist(UNITS),
  used: v.number(),
  fresh: v.nullable(v.number()),
  rental: v.nullable(v.number()),
  /** The connection that reported it; null if the portal counted it. */
  source: v.nullable(v.string()),
});
export type LicensingLine = v.InferOutput<typeof usageLine>;

const provider = v.object({ id: v.string(), name: v.string() });
/** `total`: the usage of all its companies, and usage that belongs to no company. */
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
 * Usage of one product in this month and in the previous one; 0 means no longer or not yet used.
 * `since`: the first of the last twelve months with usage; null if all available months have it.
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
      "Returns the usage of a month per provider: the caller's own and those below it. Without a month, the current one. `months`: the available months, newest first.",
    input: v.strictObject(TIME),
    output: v.object({ ...answered, providers: v.array(ofProvider) }),
    gate: 'monitoring.licensing',
    feature: 'reporting',
    failures: ['bad-input'],
  }),
  listCompanyLicensing: call({
    method: 'GET',
    path: 'monitoring/reporting/licensing/companies',
    summary:
      'Returns the usage of a month per company of one provider, by name. Usage that belongs to no company comes last.',
    input: v.strictObject({ ...TIME, serviceProviderId: v.optional(anyTenantId) }),
    output: v.object({ ...answered, companies: v.array(ofCompany) }),
    gate: 'monitoring.licensing',
    feature: 'reporting',
    failures: ['bad-input', 'not-found'],
  }),
  listOwnSubscriptions: call({
    method: 'GET',
    path: 'monitoring/reporting/licensing/own',
    summary:
      "Returns the usage of the caller's companies in this month and the previous one, by name. For users with access to all companies, it also includes the usage of the provider as a whole (`company` null).",
    input: v.strictObject({}),
    output: v.object({ month: v.string(), before: v.string(), holders: v.array(ownHolder) }),
    gate: 'signed-in',
    failures: [],
  }),
  exportLicensing: call({
    method: 'POST',
    path: 'monitoring/reporting/licensing/export',
    summary: 'Exports the usage of a month per company as a CSV file, including providers below.',
    input: v.strictObject(TIME),
    output: 'bytes',
    gate: 'monitoring.licensing-export',
    feature: 'reporting',
    failures: ['bad-input'],
  }),
} as const;
