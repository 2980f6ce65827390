import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { StateLabel } from '../state-label.ts';
import type { OrganizationHealth } from './health.ts';
import { organizationMessages as t } from './messages.en.ts';

export function healthLabel({ state, why }: OrganizationHealth): StateLabel {
  switch (state) {
    case 'failed':
      return {
        label:
          why === 'certificate-expired'
            ? t.certificateExpired
            : why === 'certificate-missing'
              ? t.certificateMissing
              : t.jobFailed,
        icon: 'failed',
        text: 'text-failed font-semibold',
      };
    case 'warning':
      return {
        label:
          why === 'certificate-expires'
            ? t.certificateExpires
            : why === 'permissions'
              ? t.permissionsMissing
              : why === 'job-never-starts'
                ? t.jobNeverStarts
                : t.jobWarning,
        icon: 'warning',
        text: 'text-warning',
      };
    case 'running':
      return { label: t.running, icon: 'running', text: 'text-running' };
    case 'success':
      return { label: t.healthy, icon: 'success', text: 'text-success' };
    case 'none':
      return {
        label: why === 'no-jobs' ? t.noJobs : t.noRun,
        icon: 'missed',
        text: 'text-ink-2',
      };
  }
}

export const authLabel = (authType: OrganizationRow['authType']): string =>
  ({ modern: t.modern, modernLegacy: t.legacy, basic: t.basic })[authType];

export const regionLabel = (region: OrganizationRow['region']): string =>
  ({
    Worldwide: t.worldwide,
    USGovernmentGCCHigh: t.gccHigh,
    USGovernmentDoD: t.dod,
    China: t.china,
  })[region];

/** Returns the services that are backed up, in words. */
export const serviceLabels = (
  row: Pick<
    OrganizationRow,
    'isExchangeOnline' | 'isSharePointOnline' | 'isTeamsOnline' | 'isTeamsChatsOnline'
  >,
): readonly string[] => [
  ...(row.isExchangeOnline ? [t.exchange] : []),
  ...(row.isSharePointOnline ? [t.sharePoint] : []),
  ...(row.isTeamsOnline ? [t.teams] : []),
  ...(row.isTeamsChatsOnline ? [t.teamsChats] : []),
];
