import { restoreAuditCalls } from './audit-calls.ts';
import { backgroundDownloadCalls } from './background-calls.ts';
import { restoreCompareCalls } from './compare-calls.ts';
import { restoreContentCalls } from './content-calls.ts';
import { operatorCalls } from './operator-calls.ts';
import { restoreRoleCalls } from './role-calls.ts';
import { restoreSearchCalls } from './search-calls.ts';
import { restoreSessionCalls } from './session-calls.ts';
import { restoreVersionCalls } from './version-calls.ts';
import { restoreTeamCalls } from './team-calls.ts';

/** The calls with which backups are browsed and restored. */
export const restoreCalls = {
  ...restoreSessionCalls,
  ...restoreSearchCalls,
  ...restoreVersionCalls,
  ...restoreCompareCalls,
  ...restoreContentCalls,
  ...backgroundDownloadCalls,
  ...restoreTeamCalls,
  ...restoreRoleCalls,
  ...operatorCalls,
  ...restoreAuditCalls,
} as const;
