import { randomUUID } from 'node:crypto';
import type { BackupJobRow, FileVersions, JobItem } from '#contract/backup/jobs.ts';
import type { SchedulePolicy } from '#contract/backup/schedule.ts';
import type { EngineScope } from '#contract/engine/engine.ts';
import type { DemoTenant } from '#server/demo/tenant/tenant.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { byClock, companyDraft } from '../db/drafts.ts';
import { getValue } from './restic/fixtures.ts';
import { JOB, ORGANIZATION } from './session-bench.ts';

type Connection = Parameters<AppContext['embeddedEngine']['organizations']['connect']>[1];

/** Returns the input that connects a tenant with an application and its secret. */
export const connectWithSecret = (
  { domain }: DemoTenant,
  { appId, secret }: { readonly appId: string; readonly secret: string },
): Connection => ({
  region: 'Worldwide',
  auth: 'modernLegacy',
  services: ['exchange', 'sharepoint'],
  code: null,
  officeOrganizationName: domain,
  newApplicationName: null,
  applicationId: appId,
  applicationSecret: secret,
  setup: 'all',
  directoryId: null,
});

/**
 * Creates a repository, the organization of the first company, and a job that backs up all of it.
 * Returns their IDs.
 */
export async function createBackup(
  { store, clock, embeddedEngine }: AppContext,
  scope: EngineScope,
  schedule: SchedulePolicy['schedule'],
  {
    password = null,
    services = {},
    settings,
  }: {
    readonly password?: string | null;
    readonly services?: { readonly isTeamsOnline?: boolean; readonly isTeamsChatsOnline?: boolean };
    readonly settings?: {
      readonly backupType: BackupJobRow['backupType'];
      readonly selectedItems: JobItem[];
      readonly fileVersions?: FileVersions;
    };
  } = {},
): Promise<{ readonly repository: string; readonly job: string }> {
  const { tenant, organization } = scope;
  const [repository, job] = [randomUUID(), randomUUID()];
  getValue(
    await embeddedEngine.repositories.create(scope, {
      repository,
      password,
      passwordHint: null,
      storage: null,
    }),
  );
  const about = { company: 1, entity: 'test:1' };
  const policy = { schedule, backupWindow: null, retryNumber: 0, retryWaitInterval: 10 };
  await store.tenant(tenant, async (tx) => {
    await tx.append([companyDraft(1)], byClock);
    await tx.append(
      [
        {
          ...about,
          event: {
            type: 'organization.created@1',
            data: { id: organization, company: 1, ...ORGANIZATION, ...services },
          },
        },
        {
          ...about,
          event: {
            type: 'backupjob.created@1',
            data: {
              id: job,
              company: 1,
              organization,
              repository,
              enabled: true,
              ...JOB,
              ...settings,
              schedulePolicy: policy,
            },
          },
        },
      ],
      { ...byClock, at: clock.now() },
    );
  });
  return { repository, job };
}
