import type { NewEvent } from '#contract/events.ts';
import type { SchedulePolicy } from '#contract/backup/schedule.ts';
import type { JobItem } from '#contract/backup/jobs.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import { jobData, type JobFields } from '../features/backup/job-fields.ts';
import {
  connectInput,
  organizationData,
  type OrganizationFields,
} from '../features/backup/organization-connection.ts';
import { joinServer } from '../features/backup/proxies.ts';
import { newRepository } from '../features/backup/repository-fields.ts';
import type { AppContext } from '../platform/app-context.ts';
import type { TenantTx } from '../platform/db/store.ts';
import { describeError } from '../platform/http/serve-call.ts';
import type { DemoTenants } from './demo-tenants.ts';
import type { DemoPlan, ProviderPlan } from './plan.ts';
import type { DemoTenant } from './tenant/tenant.ts';
import { demoMessages as t } from './demo.messages.en.ts';
import type { BackupJobId, BackupRepositoryId, OrganizationId } from '#contract/ids.ts';

const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'MailboxItem.Export.All',
  'Files.ReadWrite.All',
  'User.Read.All',
  'Sites.Manage.All',
  'Group.ReadWrite.All',
  'Organization.Read.All',
  'Channel.Create',
  'ChannelMember.ReadWrite.All',
  'ChannelMessage.Read.All',
  'Teamwork.Migrate.All',
  'TeamsTab.ReadWrite.All',
  'TeamMember.ReadWrite.All',
  'TeamSettings.ReadWrite.All',
];
const APPLICATION = 'Daybook backup';

/**
 * Sets up the backups of all providers in the background until `settled`, and logs a failure.
 * Stopping waits for the provider at work.
 */
export function startBackups(
  context: AppContext,
  { providers }: DemoPlan,
  tenants: DemoTenants,
): { readonly settled: Promise<void>; stop(): Promise<void> } {
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (const provider of providers) {
      const tenant = isStopped ? null : tenants.find(provider.id);
      if (tenant) await setUpBackup(context, provider, tenant);
    }
  };
  const settled = work().catch((error: unknown) => {
    context.log.error('the backups of the demo could not be set up', describeError(error));
  });
  return {
    settled,
    async stop() {
      isStopped = true;
      await settled;
    },
  };
}

/**
 * Connects the tenant of a provider to one of its companies, with a repository and jobs, and starts
 * them. A provider that has or had an organization stays unchanged.
 */
export async function setUpBackup(
  context: AppContext,
  { id, companies }: Pick<ProviderPlan, 'id' | 'companies'>,
  tenant: DemoTenant,
): Promise<void> {
  const { embeddedEngine: engine, chance, store } = context;
  const companyIn = async (tx: TenantTx): Promise<number | null> => {
    if ((await tx.all('organization')).length > 0) return null;
    const company = (await tx.all('company')).find((one) => one.id === companies[1]?.id);
    return company?.deletedAt === undefined ? (company?.n ?? null) : null;
  };
  if ((await store.tenant(id, companyIn, { readOnly: true })) === null) return;

  const scope: EngineScope = {
    tenant: id,
    organization: chance.uuid() as OrganizationId,
    user: null,
  };
  const fields = organizationFields(tenant);
  const connected = getValue(await engine.organizations.connect(scope, connectInput(fields, null)));
  const repository = chance.uuid() as BackupRepositoryId;
  getValue(
    await engine.repositories.create(scope, {
      repository,
      password: null,
      passwordHint: null,
      storage: null,
    }),
  );
  const jobs = getJobs(tenant, repository).map((job) => ({
    id: chance.uuid() as BackupJobId,
    job,
  }));
  const isSetUp = await store.tenant(id, async (tx) => {
    await tx.lock();
    const company = await companyIn(tx);
    if (company === null) return false;
    const events: NewEvent[] = [
      {
        event: {
          type: 'organization.created@1',
          data: {
            id: scope.organization,
            company,
            engine: engine.kind,
            type: 'Office365',
            ...organizationData(fields, connected),
          },
        },
        company,
        entity: `organization:${scope.organization}`,
      },
      newRepository(
        repository,
        { id: scope.organization, company, name: fields.name },
        {
          description: '',
          passwordDescription: '',
          retentionType: 'SnapshotBased',
          retentionPolicy: 'Years5',
          proxy: null,
          storage: null,
        },
      ),
      ...(await joinServer(tx, context)),
      ...jobs.map(({ id: jobId, job }): NewEvent => ({
        event: {
          type: 'backupjob.created@1',
          data: {
            id: jobId,
            company,
            organization: scope.organization,
            enabled: true,
            ...jobData(job),
          },
        },
        company,
        entity: `backupjob:${jobId}`,
      })),
    ];
    await tx.append(events, {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: context.clock.now(),
    });
    return true;
  });
  if (!isSetUp) return void (await engine.organizations.disconnect(scope));
  for (const { id: job } of jobs)
    getValue(await engine.jobs.start(scope, { job, reason: 'manual' }));
}

/** The organization, signed in to with an application that its administrator registers for it. */
function organizationFields({ id, name, admin }: DemoTenant): OrganizationFields {
  const { appId, secret } = admin.registerApplication(APPLICATION, ROLES);
  return {
    name,
    authType: 'modernLegacy',
    region: 'Worldwide',
    isExchangeOnline: true,
    isSharePointOnline: true,
    isTeamsOnline: true,
    isTeamsChatsOnline: true,
    exchangeOnlineSettings: {
      applicationId: appId,
      applicationSecret: secret,
      officeOrganizationName: id,
    },
  };
}

/**
 * Jobs for the mail and the files of all people, for all sites and for all teams, and one with
 * nothing to back up: of a person who has left.
 */
function getJobs({ admin }: DemoTenant, repositoryId: BackupRepositoryId): JobFields[] {
  const leaver = admin.addUser();
  admin.removeUser(leaver.id);
  const job = (name: string, schedule: SchedulePolicy['schedule'], item: JobItem): JobFields => ({
    name,
    description: '',
    isTeamsChatsEnabled: item.parts.includes('teamsChats'),
    isFullTextEnabled: false,
    fileVersions: item.parts.includes('oneDrive') ? 10 : 'none',
    backupType: 'SelectedItems',
    selectedItems: [item],
    excludedItems: [],
    repositoryId,
    proxyId: null,
    schedulePolicy: { schedule, backupWindow: null, retryNumber: 3, retryWaitInterval: 10 },
    runNow: true,
  });
  return [
    job(
      t.mailJob,
      { type: 'Periodically', periodicallyEvery: 'Minutes15' },
      { type: 'PartialOrganization', id: null, parts: ['mailbox'] },
    ),
    job(t.filesJob, daily('22:00'), { type: 'PersonalSites', id: null, parts: ['oneDrive'] }),
    job(t.sitesJob, daily('22:30'), { type: 'Site', id: null, parts: ['sites'] }),
    job(t.teamsJob, daily('23:15'), {
      type: 'PartialOrganization',
      id: null,
      parts: ['teams', 'teamsChats'],
    }),
    job(t.personJob({ name: leaver.name }), daily('23:00'), {
      type: 'User',
      id: leaver.id,
      parts: ['mailbox'],
    }),
  ];
}

const daily = (dailyTime: string): SchedulePolicy['schedule'] => ({
  type: 'Daily',
  dailyType: 'Everyday',
  dailyTime,
});

/** @throws with the engine's message */
function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
