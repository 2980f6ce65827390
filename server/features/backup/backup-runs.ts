import { sql } from 'kysely';
import { getChainedAfter, listChain } from '#contract/backup/chains.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { EngineResult, EngineScope, EnginePage } from '#contract/engine/engine.ts';
import type { SessionLogLine } from '#contract/engine/sessions.ts';
import type {
  BackupJobId,
  BackupSessionId,
  KeyId,
  Ms,
  OrganizationId,
  TenantId,
} from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { checkedExecution } from '../ingest/check-records.ts';
import { followJobs } from '../ingest/follow-jobs.ts';
import type { Normal } from '../ingest/normalize.ts';
import { recordResults } from '../ingest/pipeline.ts';
import { getEngineFor } from './engine-calls.ts';
import { checkLackingAgain } from './organization-access.ts';
import { isCollected } from './server-collected.ts';
import {
  type EndedSession,
  jobFacts,
  toReportedJob,
  type SessionDetails,
  sessionExecution,
} from './session-execution.ts';
import { warnOfRepositories } from './repository-warnings.ts';
import { mailSessions, type SessionReport } from './session-mails.ts';

/** Events about jobs and sessions in one step. */
const BATCH_SIZE = 100;
const LOG_PAGE_ROWS = 500;
const MAX_LOG_LINES = 1_000;
/** At least this often, whatever the log says. */
const FALLBACK_MS: Ms = 15 * 60_000;

/**
 * SUITE-30: records every finished session of a backup job as a result in Monitoring, and keeps the
 * jobs there as they are. It follows the log. A step that was interrupted is repeated: a session is
 * recorded under its own id, so once. Administrators learn by email of damaged data (SUITE-35).
 * Organizations that lacked permissions, or were denied an access, are checked again (ENG-50).
 */
export function backupRuns(context: AppContext): JobHandler<'backup-runs'> {
  /** Whose chained jobs were updated since this process began: former versions stored no interval. */
  const updated = new Set<TenantId>();
  return async ({ tenant, now, signal }) => {
    while (!signal.aborted) {
      const news = await context.store.tenant(
        tenant,
        (tx) => readNews(tx, { withChained: !updated.has(tenant) }),
        { readOnly: true },
      );
      const reports: SessionReport[] = [];
      const denied = new Set<OrganizationId>();
      for (const site of news.sites) {
        const recorded = await recordSite(context, tenant, site, news);
        reports.push(...recorded);
        if (recorded.some(({ details }) => details?.session.isAccessDenied === true))
          denied.add(site.organization.id);
      }
      updated.add(tenant);
      // Emails are queued with the end of the step, so once.
      await context.store.tenant(tenant, async (tx) => {
        await storeSeen(tx, news.to);
        await warnOfRepositories(tx, context, news.from, news.to);
        await mailSessions(tx, context, reports, news.timeZone);
      });
      for (const { organization, ended } of news.sites) {
        const isDenied = denied.has(organization.id);
        if (isDenied || ended.some(({ point }) => point !== null))
          await checkLackingAgain(context, tenant, organization, { isDenied });
      }
      if (!news.isMore) break;
    }
    return now + FALLBACK_MS;
  };
}

/** What happened in an organization. */
interface Site {
  readonly organization: OrganizationRow;
  readonly jobs: Map<string, BackupJobRow>;
  readonly ended: EndedSession[];
}
interface News {
  readonly sites: readonly Site[];
  /** Deleted jobs, too. */
  readonly everyJob: ReadonlyMap<string, BackupJobRow>;
  readonly timeZone: string;
  /** After this event. */
  readonly from: number;
  /** Up to this event. */
  readonly to: number;
  readonly isMore: boolean;
}

async function readNews(
  tx: TenantTx,
  { withChained }: { readonly withChained: boolean },
): Promise<News> {
  const { seq: head } = await tx.head();
  const seen = await tx.sql
    .selectFrom('backup_runs_seen')
    .select('log_seq')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirst();
  // A restored log can be shorter than the part that was read.
  const from = Math.min(seen?.log_seq ?? 0, head);
  const { rows: events } = await sql<{
    seq: number;
    type: string;
    at: Ms;
    data: { id: BackupSessionId; job?: BackupJobId };
  }>`
    select seq, type, at, data from event where tenant_id = ${tx.tenant} and seq > ${from} and seq <= ${head}
      and type in ('backupsession.ended@1', 'backupjob.created@1', 'backupjob.updated@1', 'backupjob.enabled@1',
        'backupjob.disabled@1', 'backupjob.deleted@1', 'organization.updated@1', 'organization.deleted@1')
    order by seq limit ${BATCH_SIZE}`.execute(tx.sql);
  const isMore = events.length === BATCH_SIZE;
  const organizations = events.flatMap(({ type, data }) =>
    type.startsWith('organization.') ? [data.id as string as OrganizationId] : [],
  );
  const ids = events.flatMap(({ type, data }) =>
    type.startsWith('organization.') ? [] : [data.job ?? (data.id as string as BackupJobId)],
  );
  const jobs = new Map(
    (await tx.rows('backupJob', [...new Set(ids)])) as Map<string, BackupJobRow>,
  );
  const everyJob = new Map<string, BackupJobRow>(
    jobs.size > 0 || organizations.length > 0 || withChained
      ? (await tx.all('backupJob')).map((job) => [job.id, job])
      : [],
  );
  // What a job's schedule says also goes for the jobs that start after it.
  const changed = new Set(jobs.keys());
  for (const job of everyJob.values()) {
    const { chain } = listChain(job, everyJob);
    if (
      organizations.includes(job.organization) ||
      chain.some(({ id }) => changed.has(id)) ||
      (withChained && job.removedAt === null && getChainedAfter(job) !== null)
    )
      jobs.set(job.id, job);
  }
  const owners = await tx.rows('organization', [
    ...new Set([...organizations, ...[...jobs.values()].map(({ organization }) => organization)]),
  ]);
  const sites = new Map<string, Site>();
  for (const organization of owners.values())
    sites.set(organization.id, { organization, jobs: new Map(), ended: [] });
  for (const job of jobs.values()) sites.get(job.organization)?.jobs.set(job.id, job);
  for (const { type, at, data } of events) {
    const job = type === 'backupsession.ended@1' ? jobs.get(data.job ?? '') : undefined;
    if (job) sites.get(job.organization)?.ended.push({ ...(data as EndedSession), at });
  }
  return {
    sites: [...sites.values()],
    everyJob,
    timeZone: await loadZone(tx),
    from,
    to: isMore ? (events.at(-1)?.seq ?? head) : head,
    isMore,
  };
}

const storeSeen = (tx: TenantTx, log_seq: number) =>
  tx.sql
    .insertInto('backup_runs_seen')
    .values({ tenant_id: tx.tenant, log_seq })
    .onConflict((on) => on.column('tenant_id').doUpdateSet({ log_seq }))
    .execute();

/** Returns the sessions that were recorded. */
async function recordSite(
  context: AppContext,
  tenant: TenantId,
  { organization, jobs, ended }: Site,
  { everyJob, timeZone }: Pick<News, 'everyJob' | 'timeZone'>,
): Promise<readonly SessionReport[]> {
  const key = await openKey(context, tenant, organization);
  if (key === null) return [];
  const facts = new Map(
    [...jobs.values()].map((job) => [job.id, jobFacts(job, organization, timeZone, everyJob)]),
  );
  const executions: Normal[] = [];
  const reports: SessionReport[] = [];
  for (const session of ended) {
    const [job, said] = [jobs.get(session.job), facts.get(session.job)];
    if (!job || !said) continue;
    // Deleting a job stops its session: that is no failure.
    if (job.removedAt !== null && session.result === 'cancelled') continue;
    const details = await readDetails(context, tenant, organization, session);
    const startedAt =
      details?.session.startedAt ??
      job.recent.find(({ id }) => id === session.id)?.startedAt ??
      session.at;
    reports.push({ organization, job, ended: session, startedAt, details });
    const checked = checkedExecution(
      sessionExecution(said, session, startedAt, details),
      executions.length,
      context.clock.now(),
    );
    if ('error' in checked)
      context.log.warn('a backup session could not be recorded as a result', {
        tenant,
        session: session.id,
        error: checked.error,
      });
    else executions.push(checked);
  }
  // A connection of Monitoring to the same server reports its jobs already.
  const isReported = await isCollected(context, tenant, organization);
  if (executions.length > 0 && !isReported)
    await recordResults(context, tenant, key, executions, context.clock.now());
  await context.store.tenant(tenant, async (tx) => {
    const at = context.clock.now();
    await followJobs(
      tx,
      key,
      [...facts.values()].map((said) =>
        toReportedJob(isReported ? { ...said, enabled: false } : said),
      ),
      at,
      ({ uid }) => jobs.get(uid)?.removedAt === null,
    );
    if (organization.removedAt !== null)
      await tx.append(
        [
          {
            event: { type: 'key.revoked@1', data: { id: key.id } },
            company: key.company,
            entity: `key:${key.id}`,
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at },
      );
  });
  return reports;
}

/**
 * Returns the key that records the sessions of an organization, and makes it the first time. It has
 * no secret, so nobody else can report these jobs. Null: the organization or its company is gone.
 */
async function openKey(
  context: AppContext,
  tenant: TenantId,
  { id, name, company, removedAt }: OrganizationRow,
): Promise<IngestKeyRow | null> {
  const find = async (tx: TenantTx): Promise<IngestKeyRow | null> =>
    (await tx.all('key')).find(
      ({ organization, revokedAt }) => organization === id && revokedAt === null,
    ) ?? null;
  const there = await context.store.tenant(tenant, find, { readOnly: true });
  if (there !== null || removedAt !== null) return there;
  return context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const known = await find(tx);
    const owner = (await tx.rows('company', [company])).get(company);
    if (known !== null || !owner || owner.deletedAt !== undefined) return known;
    const key = context.chance.uuid() as KeyId;
    await tx.append(
      [
        {
          event: {
            type: 'key.created@1',
            data: {
              id: key,
              name,
              company,
              tool: 'office365',
              managed: true,
              hint: id.slice(0, 4),
              organization: id,
            },
          },
          company,
          entity: `key:${key}`,
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
    );
    return find(tx);
  });
}

async function readDetails(
  context: AppContext,
  tenant: TenantId,
  organization: OrganizationRow,
  { id, job }: EndedSession,
): Promise<SessionDetails | null> {
  const { jobs } = getEngineFor(context, organization);
  const scope: EngineScope = { tenant, organization: organization.id, user: null };
  const [session] = getValue(
    await jobs.listSessions(scope, { job, session: id, cursor: null, limit: 1 }),
  ).rows;
  if (!session) return null;
  const log: SessionLogLine[] = [];
  for (let cursor: string | null = null; ;) {
    const page: EnginePage<SessionLogLine> = getValue(
      await jobs.listLog(scope, { session: id, cursor, limit: LOG_PAGE_ROWS }),
    );
    log.push(...page.rows);
    cursor = page.next;
    if (cursor === null || log.length >= MAX_LOG_LINES) return { session, log };
  }
}

/** @throws If the engine can't answer now. */
function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(`The engine failed (${result.error.kind}).`);
  return result.value;
}
