import { backupDashboardCalls } from './dashboard-calls.ts';
import { exclusionCalls } from './exclusion-calls.ts';
import { importCalls } from './import-calls.ts';
import { backupJobCalls } from './job-calls.ts';
import { legalHoldCalls } from './legal-hold-calls.ts';
import { organizationCalls } from './organization-calls.ts';
import { backupProxyCalls } from './proxy-calls.ts';
import { backupRepositoryCalls } from './repository-calls.ts';
import { serverRepositoryCalls } from './server-repository-calls.ts';

/** The calls with which organizations, repositories and backup jobs are managed. */
export const backupCalls = {
  ...organizationCalls,
  ...legalHoldCalls,
  ...exclusionCalls,
  ...backupRepositoryCalls,
  ...serverRepositoryCalls,
  ...backupProxyCalls,
  ...backupJobCalls,
  ...backupDashboardCalls,
  ...importCalls,
} as const;
