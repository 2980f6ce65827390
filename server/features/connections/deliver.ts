import { createHash } from 'node:crypto';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ExecutionIn, Ingested } from '#contract/ingest/calls.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { checkedExecution } from '../ingest/check-records.ts';
import { followJobs, jobsByUid } from '../ingest/follow-jobs.ts';
import { bySource, recordResults } from '../ingest/pipeline.ts';
import { loadChannels, openChannels } from './channels.ts';
import { forgetGone, keepFound, type CollectTask, type Thing } from './task.ts';

/** The fields that a system reports of a job, and those of a run. */
export type JobFacts = Pick<
  ExecutionIn,
  | 'job'
  | 'jobInstanceUid'
  | 'computer'
  | 'server'
  | 'source'
  | 'type'
  | 'entityGroup'
  | 'managed'
  | 'enabled'
  | 'schedule'
  | 'graceSec'
> & { readonly jobInstanceUid: string };
export type RunFacts = Omit<ExecutionIn, keyof JobFacts>;

export interface JobFound {
  /** The id of the row in its list. */
  readonly uid: string;
  readonly company: CompanyN | null;
  readonly facts: JobFacts;
  /** Null if the system reports no run. */
  readonly run: RunFacts | null;
  readonly byArrival?: boolean;
  /** Other fields that identify the job later: its organization and its agent. */
  readonly more: Readonly<Record<string, string | number | null>>;
}

/** A stored job: a hash of what was last recorded (`mark`), its company, and its latest start. */
export interface StoredJob {
  readonly facts: JobFacts;
  readonly mark: string;
  readonly company: CompanyN | null;
  readonly lastStart: Ms;
  readonly movedAt: Ms;
  readonly more: JobFound['more'];
}

/** The maximum number of results recorded in one transaction. */
const BATCH_SIZE = 500;

/**
 * Records a page of jobs in the same way as posted results (RUN-2). Jobs are identified by their
 * own id and runs by their start, so recording a page twice changes nothing. Unchanged jobs are
 * skipped. A page is stored after it was recorded, so an interrupted page is recorded again with
 * the same effect.
 */
export async function deliverJobs(task: CollectTask, jobs: readonly JobFound[]): Promise<void> {
  const { context, tenant, connection } = task;
  const known = await context.store.tenant(
    tenant,
    (tx) =>
      loadStoredJobs(
        tx,
        task,
        jobs.map(({ uid }) => uid),
      ),
    { readOnly: true },
  );
  const marked = jobs.map((job) => ({
    job,
    mark: getDeliveryMark(job),
    before: known.get(job.uid),
  }));
  const changed = marked.filter(({ mark, before }) => mark !== before?.mark);
  const channels = await openChannels(
    context,
    tenant,
    connection,
    changed.flatMap(({ job: { company } }) => (company === null ? [] : [company])),
  );
  const runs = new Map<CompanyN, { readonly execution: unknown; readonly byArrival: boolean }[]>();
  const idle = new Map<CompanyN, JobFacts[]>();
  const left = new Map<CompanyN, string[]>();
  for (const {
    job: { company, facts, run, byArrival = false },
    before,
  } of changed) {
    if (before?.company != null && before.company !== company)
      put(left, before.company, facts.jobInstanceUid);
    if (company === null) continue;
    // Runs from before a job moved to this company belong to the previous company and stay there.
    const elsewhere =
      before?.company != null &&
      before.company !== company &&
      run !== null &&
      Date.parse(run.startTime) <= before.lastStart;
    if (run === null || elsewhere) put(idle, company, facts);
    else put(runs, company, { execution: { ...facts, ...run }, byArrival });
  }
  // In parallel, so that companies waiting for the same lock share a transaction.
  await Promise.all(
    [...runs].map(([company, all]) => recordRuns(task, all, channels.get(company))),
  );
  for (const [company, all] of idle) await findJobs(task, all, channels.get(company));
  for (const [company, uids] of left)
    await context.store.tenant(tenant, (tx) =>
      retire(tx, channels.get(company), uids, context.clock.now()),
    );
  await context.store.tenant(tenant, (tx) =>
    keepFound(
      tx,
      task,
      marked.map(({ job: { uid, company, facts, run, more }, mark, before }): Thing => {
        const moved = before !== undefined && before.company !== null && before.company !== company;
        const stored: StoredJob = {
          facts,
          mark,
          company,
          more,
          lastStart: Math.max(before?.lastStart ?? 0, run === null ? 0 : Date.parse(run.startTime)),
          movedAt: moved ? context.clock.now() : (before?.movedAt ?? 0),
        };
        return { uid, name: facts.job, company, row: { ...stored } };
      }),
    ),
  );
}

const getDeliveryMark = ({ facts, run, company }: JobFound): string =>
  createHash('sha256')
    .update(JSON.stringify([company, facts, run]))
    .digest('base64url')
    .slice(0, 22);

function put<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Returns the number of new results. */
export async function recordRuns(
  { context, tenant, connection }: Pick<CollectTask, 'context' | 'tenant' | 'connection'>,
  runs: readonly { readonly execution: unknown; readonly byArrival?: boolean }[],
  key: IngestKeyRow | null | undefined,
): Promise<number> {
  if (key == null) return 0;
  let accepted = 0;
  for (let first = 0; first < runs.length; first += BATCH_SIZE) {
    const now = context.clock.now();
    const checked = runs
      .slice(first, first + BATCH_SIZE)
      .map(({ execution, byArrival }, index) => checkedExecution(execution, index, now, byArrival));
    const recorded = await recordResults(
      context,
      tenant,
      key,
      fitRecords({ context, tenant, connection }, checked),
      now,
    );
    if (recorded.ok) accepted += recorded.value.accepted;
  }
  return accepted;
}

/** Returns the valid records and logs the others. */
export function fitRecords<T extends object>(
  { context, tenant, connection }: Pick<CollectTask, 'context' | 'tenant' | 'connection'>,
  checked: readonly T[],
): Exclude<T, Refused>[] {
  const refused = (checked as readonly unknown[]).filter(isRefused);
  const [first] = refused;
  if (first)
    context.log.warn('a collected result is not fit to be kept', {
      tenant,
      connection: connection.id,
      count: refused.length,
      first: first.error,
    });
  return checked.filter((one): one is Exclude<T, Refused> => !isRefused(one));
}
type Refused = Ingested['rejected'][number];
const isRefused = (one: unknown): one is Refused =>
  typeof one === 'object' && one !== null && 'error' in one;

/**
 * Adds jobs that have not run yet, or not in this company, so that they are visible, and updates
 * changed ones.
 */
async function findJobs(
  { context, tenant, connection }: CollectTask,
  jobs: readonly JobFacts[],
  key: IngestKeyRow | undefined,
): Promise<void> {
  if (key === undefined) return;
  const now = context.clock.now();
  const startTime = new Date(now).toISOString();
  const checked = jobs.map((facts, index) =>
    checkedExecution({ ...facts, status: 'Running', startTime }, index, now),
  );
  const fit = fitRecords({ context, tenant, connection }, checked).map(({ job }) => job);
  await context.store.tenant(tenant, (tx) => followJobs(tx, key, fit, context.clock.now()));
}

/** Disables jobs that the system no longer has: no runs are expected, and their results stay. */
async function retire(
  tx: TenantTx,
  key: IngestKeyRow | undefined,
  uids: readonly string[],
  at: Ms,
): Promise<void> {
  if (key === undefined || uids.length === 0) return;
  await tx.lock();
  const rows = await tx.rows(
    'job',
    (await jobsByUid(tx, key, uids)).map(({ n }) => n),
  );
  const on = [...rows.values()].filter(({ enabled }) => enabled);
  await tx.append(
    on.map(
      ({
        n,
        name,
        source,
        type,
        group,
        computer,
        server,
        managed,
        schedule,
        graceSec,
        company,
      }) => ({
        event: {
          type: 'job.updated@1' as const,
          data: {
            n,
            name,
            source,
            type,
            group,
            computer,
            server,
            managed,
            enabled: false,
            schedule,
            graceSec,
          },
        },
        company,
        entity: `job:${n}`,
      }),
    ),
    bySource(key.id, at),
  );
}

/**
 * A system that temporarily loses its servers reports no jobs, so a job counts as removed only
 * after this time. Until then its runs are expected.
 */
const GONE_MS: Ms = 12 * 3_600_000;

/** Disables jobs that have been missing for long. Call it after a complete round. */
export async function retireGone(task: CollectTask): Promise<void> {
  const { context, tenant, connection } = task;
  await context.store.tenant(tenant, async (tx) => {
    const gone = (await forgetGone(tx, task, GONE_MS)).map(
      ({ row }) => row as unknown as StoredJob,
    );
    const channels = await loadChannels(tx, connection.id);
    for (const key of channels)
      await retire(
        tx,
        key,
        gone.flatMap(({ company, facts }) =>
          company === key.company ? [facts.jobInstanceUid] : [],
        ),
        context.clock.now(),
      );
  });
}

async function loadStoredJobs(
  { sql, tenant }: TenantTx,
  { connection, entity }: CollectTask,
  uids: readonly string[],
): Promise<Map<string, StoredJob>> {
  if (uids.length === 0) return new Map();
  const rows = await sql
    .selectFrom('collected')
    .select(['uid', 'row'])
    .where('tenant_id', '=', tenant)
    .where('connection_id', '=', connection.id)
    .where('entity', '=', entity)
    .where('uid', 'in', [...uids])
    .execute();
  return new Map(rows.map(({ uid, row }) => [uid, row as unknown as StoredJob]));
}
