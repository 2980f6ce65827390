import * as v from 'valibot';
import { companyRef } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { PAGE, anyOrganizationId, getPage, moment, words } from '../paging.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { OrganizationId } from '../ids.ts';

/** A moment of a report's range. The spec sends it as a quoted UTC string. */
const reportMoment = v.pipe(
  v.string(),
  v.maxLength(40),
  v.transform((text) => text.replace(/^"(.*)"$/, '$1')),
  moment,
);

/** The days of `from` and `to` belong to the range. Without them: the last 30 days. */
const RANGE = { from: v.optional(reportMoment), to: v.optional(reportMoment) };
const OWNER = { companyId: v.optional(companyRef), organizationId: v.optional(anyOrganizationId) };

const serviceProvider = v.object({ id: v.string(), name: v.string() });
/** Days as `YYYY-MM-DD` in the provider's time zone, both included. */
const days = { serviceProvider, from: v.string(), to: v.string() };
const organization = {
  organizationId: storedIdSchema<OrganizationId>(),
  organizationName: v.string(),
  companyId: v.number(),
  companyName: v.string(),
};

/**
 * Users of one organization who need a license. `used`: on the last day. `peak`: on the day with the
 * most. `added`: users whose first restore point is in the range. `free`: users on the last day who
 * have no Microsoft 365 license, such as shared mailboxes. `bytes`: of the newest restore points; null:
 * the Veeam server of the organization doesn't say.
 */
const organizationLicenses = v.object({
  ...organization,
  used: v.number(),
  peak: v.number(),
  added: v.number(),
  free: v.number(),
  bytes: v.nullable(v.number()),
});
export type OrganizationLicenses = v.InferOutput<typeof organizationLicenses>;

export const LICENSE_STATES = ['licensed', 'free'] as const;
export const USER_OBJECT_KINDS = ['mailbox', 'archive', 'drive'] as const;

/**
 * A user with a restore point that counts on a day of the range. `free`: without a Microsoft 365
 * license. `hasLeft`: no longer in the organization's directory. Veeam servers tell neither the `kinds`
 * nor the `bytes` of a user.
 */
const licensedUser = v.object({
  ...organization,
  id: v.string(),
  name: v.string(),
  address: v.string(),
  kinds: v.array(v.picklist(USER_OBJECT_KINDS)),
  state: v.picklist(LICENSE_STATES),
  hasLeft: v.boolean(),
  firstPointAt: v.number(),
  lastPointAt: v.number(),
  bytes: v.nullable(v.number()),
});
export type LicensedUser = v.InferOutput<typeof licensedUser>;

const USERS = { ...RANGE, ...OWNER, state: v.optional(v.picklist(LICENSE_STATES)), text: words };

export const suiteUsageCalls = {
  listSuiteLicensing: call({
    method: 'GET',
    path: 'o365/licensing',
    summary:
      'Returns the licensed users of each Microsoft 365 organization in a range of days, and their number on each day. A user counts for 31 days after a restore point.',
    input: v.strictObject({ ...RANGE, ...OWNER }),
    output: v.object({
      ...days,
      rows: v.array(organizationLicenses),
      days: v.array(v.object({ day: v.string(), used: v.number() })),
    }),
    gate: 'o365.licensing',
    failures: ['bad-input'],
  }),
  exportSuiteLicensing: call({
    method: 'GET',
    path: 'o365/licensing/export',
    summary: 'Exports the licensed users of each organization as a CSV file.',
    input: v.strictObject({ ...RANGE, ...OWNER }),
    output: 'bytes',
    gate: 'o365.consumption-export',
    failures: ['bad-input'],
  }),
  listSuiteConsumption: call({
    method: 'GET',
    path: 'o365/consumption',
    summary:
      'Lists the users of Microsoft 365 organizations who counted on a day of a range, by organization and name.',
    input: v.strictObject({ ...USERS, ...PAGE }),
    output: v.object({ ...days, ...getPage(licensedUser).entries }),
    gate: 'o365.consumption',
    failures: ['bad-input'],
  }),
  exportSuiteConsumption: call({
    method: 'GET',
    path: 'o365/consumption/export',
    summary: 'Exports the same users as a CSV file, at most 50,000.',
    input: v.strictObject(USERS),
    output: 'bytes',
    gate: 'o365.consumption-export',
    failures: ['bad-input'],
  }),
} as const;
