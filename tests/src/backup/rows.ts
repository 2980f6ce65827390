import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';

/** An organization, a job and a session as devices store them. */
export const organization = (more: Partial<OrganizationRow> = {}): OrganizationRow => ({
  id: '10000000-0000-4000-8000-000000000001',
  company: 1,
  engine: 'embedded',
  type: 'Office365',
  name: 'Copperline',
  officeName: 'copperline.example.com',
  directoryId: null,
  region: 'Worldwide',
  authType: 'modern',
  isExchangeOnline: true,
  isSharePointOnline: true,
  isTeamsOnline: false,
  isTeamsChatsOnline: false,
  applicationId: null,
  certificate: null,
  sharePointSaveAllWebParts: true,
  createdAt: 1,
  updatedAt: 1,
  removedAt: null,
  dataUntil: null,
  ...more,
});

type Session = BackupJobRow['recent'][number];
export const session = (result: Session['result'], endedAt = 2_000): Session => ({
  id: '30000000-0000-4000-8000-000000000001',
  startedAt: endedAt - 1_000,
  endedAt,
  result,
  counts: { objects: 4, succeeded: 3, warned: 0, failed: 1 },
  bytesRead: 100,
  bytesStored: 60,
  point: null,
  message: null,
});

export const job = (more: Partial<BackupJobRow> = {}): BackupJobRow => ({
  id: '20000000-0000-4000-8000-000000000001',
  company: 1,
  organization: '10000000-0000-4000-8000-000000000001',
  enabled: true,
  name: 'Nightly',
  description: '',
  isTeamsChatsEnabled: false,
  backupType: 'EntireOrganization',
  selectedItems: [],
  excludedItems: [],
  repository: '40000000-0000-4000-8000-000000000001',
  proxy: null,
  schedulePolicy: {
    schedule: { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' },
    backupWindow: null,
    retryNumber: 3,
    retryWaitInterval: 10,
  },
  notifications: { enabled: false, notifyOnFailure: false, userIds: [], externalCount: 0 },
  running: null,
  recent: [],
  lastPointAt: null,
  attempt: 0,
  scheduledAt: 1,
  createdAt: 1,
  updatedAt: 1,
  removedAt: null,
  ...more,
});
