import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { getRecoveryPointObjective } from '#contract/backup/objective.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { RETENTION_POLICIES } from '#contract/backup/retention.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { BackupJobId, Ms, OrganizationId } from '#contract/ids.ts';
import { ok } from '#contract/result.ts';
import { getDay, dayText, startOfDay } from '#contract/time/day.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import {
  countLicensedUsers,
  getLicenseWindow,
  getToday,
} from '#server/platform/queries/licensed-users.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import {
  countFirstPoints,
  countPoints,
  countSessions,
  countUsers,
  listLargestUsers,
  listPastObjective,
  listWaiting,
} from './dashboard-queries.ts';
import { compareByName, findVisibleCompany, isRowVisible } from './lookup.ts';

type Names =
  | 'getBackupStatus'
  | 'getUsersStatus'
  | 'getLicenseActivity'
  | 'getLicenses'
  | 'listHighestStorageUsers'
  | 'getRetentionStatus';

const ACTIVITY_DAYS = 30;

/** What the sections of the dashboard are about. */
interface CompanyScope {
  readonly organizations: ReadonlyMap<OrganizationId, OrganizationRow>;
  readonly jobs: ReadonlyMap<BackupJobId, BackupJobRow>;
  /** Deleted jobs, too. */
  readonly everyJob: ReadonlyMap<string, BackupJobRow>;
  readonly repositories: readonly BackupRepositoryRow[];
}

/** SUITE-22: the figures of the dashboard of Microsoft 365, from rows and restore points. */
export function backupDashboardHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(
    ctx: SessionContext,
    input: ParsedInputOf<'getBackupStatus'>,
    work: (tx: TenantTx, reach: CompanyScope) => Promise<T>,
  ) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => ok(await work(tx, await loadReach(tx, ctx, input))),
      { readOnly: true },
    );

  return {
    getBackupStatus: (input, ctx) =>
      read(ctx, input, async (tx, reach) => {
        const named = (jobId: BackupJobId) => getNames(reach, jobId);
        const past = await listPastObjective(tx, listObjectives(reach), ctx.now);
        const waiting = await listWaiting(tx, [...reach.jobs.keys()], ctx.now);
        return {
          sessions: await countSessions(tx, [...reach.jobs.keys()], ctx.now - DAY_MS),
          pastObjective: {
            count: past.count,
            rows: past.rows.map(({ jobId, ...row }) => ({ ...row, ...named(jobId) })),
          },
          waiting: waiting.map(({ jobId, ...row }) => ({ ...row, ...named(jobId) })),
        };
      }),

    getUsersStatus: (input, ctx) => read(ctx, input, (tx, reach) => countUsers(tx, getIds(reach))),

    getLicenseActivity: (input, ctx) =>
      read(ctx, input, async (tx, reach) => {
        const { timeZone } = await loadCompanyLimit(tx);
        const today = getDay(ctx.now, timeZone, 0);
        const first = today - ACTIVITY_DAYS + 1;
        const added = new Map<number, number>();
        for (const at of await countFirstPoints(
          tx,
          getIds(reach),
          startOfDay(first, timeZone, 0),
        )) {
          const day = getDay(at, timeZone, 0);
          added.set(day, (added.get(day) ?? 0) + 1);
        }
        return {
          days: Array.from({ length: ACTIVITY_DAYS }, (_, index) => ({
            day: dayText(first + index),
            added: added.get(first + index) ?? 0,
          })),
        };
      }),

    getLicenses: (input, ctx) =>
      read(ctx, input, async (tx, reach) => {
        const { timeZone } = await loadCompanyLimit(tx);
        const today = getLicenseWindow(getToday(ctx.now, timeZone), timeZone, ctx.now);
        const counts = new Map(
          (await countLicensedUsers(tx, getIds(reach), [today])).map((row) => [
            row.organizationId,
            row.used,
          ]),
        );
        const organizations = [...reach.organizations.values()].map(({ id, name }) => ({
          organizationId: id,
          organizationName: name,
          used: counts.get(id) ?? 0,
        }));
        return {
          used: organizations.reduce((sum, { used }) => sum + used, 0),
          organizations: organizations.toSorted((a, b) => b.used - a.used),
        };
      }),

    listHighestStorageUsers: (input, ctx) =>
      read(ctx, input, async (tx, reach) => ({
        rows: (await listLargestUsers(tx, getIds(reach))).map((row) => ({
          ...row,
          organizationName: reach.organizations.get(row.organizationId)?.name ?? '',
        })),
      })),

    getRetentionStatus: (input, ctx) =>
      read(ctx, input, async (tx, { repositories }) => {
        const points = await countPoints(
          tx,
          repositories.map(({ id }) => id),
        );
        return {
          policies: RETENTION_POLICIES.flatMap((retentionPolicy) => {
            const own = repositories.filter((row) => row.retentionPolicy === retentionPolicy);
            const counts = own.flatMap(({ id }) => points.get(id) ?? []);
            return own.length === 0
              ? []
              : [
                  {
                    retentionPolicy,
                    repositories: own.length,
                    points: counts.reduce((sum, { count }) => sum + count, 0),
                    oldestPointAt:
                      counts.length === 0
                        ? null
                        : Math.min(...counts.map(({ oldestAt }) => oldestAt)),
                  },
                ];
          }),
        };
      }),
  };
}

const getIds = ({ organizations }: CompanyScope): OrganizationId[] => [...organizations.keys()];

async function loadReach(
  tx: TenantTx,
  { session }: SessionContext,
  { companyId, organizationId }: ParsedInputOf<'getBackupStatus'>,
): Promise<CompanyScope> {
  const company =
    companyId === undefined ? null : ((await findVisibleCompany(tx, session, companyId))?.n ?? 0);
  const organizations = (await tx.all('organization'))
    .filter(
      (row) =>
        isRowVisible(session, row) &&
        (company === null || row.company === company) &&
        (organizationId === undefined || row.id === organizationId),
    )
    .sort(compareByName);
  const seen = new Map(organizations.map((row) => [row.id, row]));
  const isOwn = (row: {
    readonly organization: OrganizationId;
    readonly removedAt: Ms | null;
  }): boolean => row.removedAt === null && seen.has(row.organization);
  const jobs = await tx.all('backupJob');
  return {
    organizations: seen,
    jobs: new Map(jobs.filter(isOwn).map((row) => [row.id, row])),
    everyJob: new Map(jobs.map((row) => [row.id, row])),
    repositories: (await tx.all('backupRepository')).filter(isOwn),
  };
}

/** The jobs that start automatically, and how old restore points of their objects may be. */
const listObjectives = ({ jobs, everyJob }: CompanyScope) =>
  [...jobs.values()].flatMap((job) => {
    const objectiveMs = job.enabled ? getRecoveryPointObjective(job, everyJob) : null;
    return objectiveMs === null ? [] : [{ jobId: job.id, createdAt: job.createdAt, objectiveMs }];
  });

function getNames(
  { jobs, organizations }: CompanyScope,
  jobId: BackupJobId,
): Pick<
  OutputOf<'getBackupStatus'>['waiting'][number],
  'jobId' | 'jobName' | 'organizationId' | 'organizationName'
> {
  const job = jobs.get(jobId);
  const organization = job && organizations.get(job.organization);
  return {
    jobId,
    jobName: job?.name ?? '',
    organizationId: organization?.id ?? ('' as OrganizationId),
    organizationName: organization?.name ?? '',
  };
}
