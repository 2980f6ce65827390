import { findStartObstacle, type ObstructedJob } from '#contract/backup/chains.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';

/** A certificate that expires within this time needs attention. */
export const CERTIFICATE_NOTICE_DAYS = 30;

export type HealthState = 'failed' | 'warning' | 'running' | 'success' | 'none';
export interface OrganizationHealth {
  readonly state: HealthState;
  /** The worst thing about the organization. */
  readonly why:
    | 'certificate-expired'
    | 'certificate-missing'
    | 'certificate-expires'
    | 'permissions'
    | 'job'
    | 'job-never-starts'
    | 'no-jobs'
    | 'no-run';
}

/** Returns the whole days until a certificate expires, negative once it has. */
export const daysLeft = (expiresAt: Ms, now: Ms): number => Math.floor((expiresAt - now) / DAY_MS);

/**
 * Returns the state of an organization, from what this device stores of it: its certificate, what its
 * application lacks, and its jobs' last sessions and obstacles, worst first.
 */
export function getHealth(
  {
    certificate,
    isCertificateMissing = false,
    missingPermissions = [],
  }: Pick<OrganizationRow, 'certificate' | 'isCertificateMissing' | 'missingPermissions'>,
  jobs: readonly (ObstructedJob & Pick<BackupJobRow, 'recent' | 'running'>)[],
  now: Ms,
): OrganizationHealth {
  const left = certificate === null ? Infinity : daysLeft(certificate.expiresAt, now);
  if (left < 0) return { state: 'failed', why: 'certificate-expired' };
  if (isCertificateMissing) return { state: 'failed', why: 'certificate-missing' };
  const results = jobs.map(({ recent }) => recent[0]?.result ?? null);
  if (results.includes('failed')) return { state: 'failed', why: 'job' };
  if (missingPermissions.length > 0) return { state: 'warning', why: 'permissions' };
  if (left < CERTIFICATE_NOTICE_DAYS) return { state: 'warning', why: 'certificate-expires' };
  if (results.includes('warning') || results.includes('cancelled'))
    return { state: 'warning', why: 'job' };
  const byId = new Map(jobs.map((job) => [job.id, job]));
  if (jobs.some((job) => findStartObstacle(job, byId) !== null))
    return { state: 'warning', why: 'job-never-starts' };
  if (jobs.some(({ running }) => running !== null)) return { state: 'running', why: 'job' };
  if (jobs.length === 0) return { state: 'none', why: 'no-jobs' };
  return results.includes('success')
    ? { state: 'success', why: 'job' }
    : { state: 'none', why: 'no-run' };
}
