/** Checking what a Microsoft 365 tenant lacks for backups. */

export { waitClock } from '../embedded/graph/clock.ts';
export { checkTenant } from '../embedded/tenant-check/check-tenant.ts';
export { readTenantCheckOptions } from '../embedded/tenant-check/options.ts';
export { EXIT_CODES, printReport } from '../embedded/tenant-check/report.ts';
