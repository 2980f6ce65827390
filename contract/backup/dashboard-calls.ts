import * as v from 'valibot';
import { call } from '../call.ts';
import { anyOrganizationId } from '../paging.ts';
import { RetentionPolicySchema } from './retention.ts';
import { companyRef } from './suite-schema.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { BackupJobId, OrganizationId } from '../ids.ts';

const gate = 'o365.dashboard';
const input = v.strictObject({
  companyId: v.optional(companyRef),
  organizationId: v.optional(anyOrganizationId),
});
const organization = {
  organizationId: storedIdSchema<OrganizationId>(),
  organizationName: v.string(),
};
const job = { jobId: storedIdSchema<BackupJobId>(), jobName: v.string() };

/**
 * An object whose last restore point is older than its job allows. `objectiveMs`: how old it may be.
 * `lastPointAt` null: it has none.
 */
const pastObjective = v.object({
  name: v.string(),
  ...organization,
  ...job,
  lastPointAt: v.nullable(v.number()),
  objectiveMs: v.number(),
});

/** The sections of the dashboard. Everything is about organizations that the user sees. */
export const backupDashboardCalls = {
  getBackupStatus: call({
    method: 'GET',
    path: 'o365/dashboard/backup-status',
    summary:
      'Counts the sessions that ended in the last 24 hours by result, and those that run. Also the objects past their recovery point objective, and the sessions that wait for Microsoft 365.',
    input,
    output: v.object({
      sessions: v.object({
        running: v.number(),
        success: v.number(),
        warning: v.number(),
        failed: v.number(),
        cancelled: v.number(),
      }),
      /** `count` of all; `rows`: the ones that are longest without a restore point. */
      pastObjective: v.object({ count: v.number(), rows: v.array(pastObjective) }),
      waiting: v.array(
        v.object({
          ...organization,
          ...job,
          objects: v.number(),
          until: v.number(),
          reason: v.string(),
        }),
      ),
    }),
    gate,
    failures: [],
  }),
  getUsersStatus: call({
    method: 'GET',
    path: 'o365/dashboard/users',
    summary:
      'Counts users with a restore point: those in the directory of their organization, and those that have left it. `inDirectory`: users in the directory; `unprotected`: those of them without a restore point. Both null: the directory was not listed yet.',
    input,
    output: v.object({
      protected: v.number(),
      left: v.number(),
      inDirectory: v.nullable(v.number()),
      unprotected: v.nullable(v.number()),
    }),
    gate,
    failures: [],
  }),
  getLicenseActivity: call({
    method: 'GET',
    path: 'o365/dashboard/license-activity',
    summary: 'Counts the users who got their first restore point, by day of the last 30 days.',
    input,
    output: v.object({ days: v.array(v.object({ day: v.string(), added: v.number() })) }),
    gate,
    failures: [],
  }),
  getLicenses: call({
    method: 'GET',
    path: 'o365/dashboard/licenses',
    summary:
      'Counts the users with a restore point of the last 31 days, by organization. There is no limit of licenses.',
    input,
    output: v.object({
      used: v.number(),
      organizations: v.array(v.object({ ...organization, used: v.number() })),
    }),
    gate,
    failures: [],
  }),
  listHighestStorageUsers: call({
    method: 'GET',
    path: 'o365/dashboard/highest-storage-users',
    summary: 'Lists the ten users with the most data in their newest restore points.',
    input,
    output: v.object({
      rows: v.array(v.object({ name: v.string(), ...organization, bytes: v.number() })),
    }),
    gate,
    failures: [],
  }),
  getRetentionStatus: call({
    method: 'GET',
    path: 'o365/dashboard/retention',
    summary: 'Counts repositories and their restore points by retention, the shortest first.',
    input,
    output: v.object({
      policies: v.array(
        v.object({
          retentionPolicy: RetentionPolicySchema,
          repositories: v.number(),
          points: v.number(),
          oldestPointAt: v.nullable(v.number()),
        }),
      ),
    }),
    gate,
    failures: [],
  }),
} as const;
