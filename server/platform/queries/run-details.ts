import type { Ms, RunN, UserId } from '#contract/ids.ts';
import type { ResultOut } from '#contract/reports/result-rows.ts';
import type { CauseRow, JobRow, ProblemRow, RunRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { KnownJob, KnownJobs } from './known-jobs.ts';
import { toRequestedReview } from '#contract/runs/review.ts';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

/** A result with its related rows. */
export interface RunDetails {
  readonly run: RunRow;
  readonly known: KnownJob;
  readonly problem: ProblemRow | undefined;
  readonly cause: CauseRow | undefined;
}

/** Returns results by number, in the requested order. Leaves out those that no longer exist. */
export async function loadRunDetails(
  tx: TenantTx,
  ns: readonly RunN[],
  jobs: KnownJobs,
): Promise<readonly RunDetails[]> {
  const runs = await tx.rows('run', ns);
  const problems = await tx.rows(
    'problem',
    once([...runs.values()].flatMap(({ problem }) => problem ?? [])),
  );
  const causes = await tx.rows('cause', once([...problems.values()].map(({ cause }) => cause)));
  return ns.flatMap((n) => {
    const run = runs.get(n);
    const known = run && jobs.get(run.job);
    const problem = run?.problem == null ? undefined : problems.get(run.problem);
    return run && known
      ? [{ run, known, problem, cause: problem && causes.get(problem.cause) }]
      : [];
  });
}

const once = <T>(all: readonly T[]): T[] => [...new Set(all)];

export const loadAllUserNames = async (tx: TenantTx): Promise<ReadonlyMap<UserId, string>> =>
  new Map(
    (
      await tx.sql
        .selectFrom('person')
        .select(['id', 'name'])
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map(({ id, name }) => [id, name]),
  );

export const toIsoTime = (at: Ms): string => new Date(at).toISOString();
export const isoOrNull = (at: Ms | null | undefined): string | null =>
  at == null ? null : toIsoTime(at);

/** Returns the fields that every answer about a run has. */
export const describeRun = (run: RunRow, job: JobRow) => ({
  _id: String(run.n),
  mongo_id: String(run.n),
  jobInstanceUid: job.uid,
  jobName: job.name,
  computerName: job.computer,
  serverName: job.server,
  source: job.source,
  type: job.type,
  entityGroup: job.group,
  managed: job.managed,
  scheduleState: getScheduleState(job),
  status: run.status,
  startTime: toIsoTime(run.startedAt),
  endTime: isoOrNull(run.endedAt),
  durationSec: run.durationSec,
  bytesTransferred: run.bytes,
  bytesProcessed: run.bytesProcessed,
  filesTotal: run.files,
  filesFailed: run.filesFailed,
  exitCode: run.exitCode,
  message: run.message,
  scheduledFor: isoOrNull(run.scheduledFor),
  level: run.level ?? null,
  errorCount: run.errorCount ?? null,
  warningCount: run.warningCount ?? null,
  anomaly: [...run.anomaly],
});

export const getResult = (
  { run, known: { job, companyName }, problem, cause }: RunDetails,
  names: ReadonlyMap<UserId, string>,
  anomalies: boolean,
  now: Ms,
): ResultOut => ({
  ...describeRun(run, job),
  company: run.company,
  companyName,
  note: getNote(problem),
  ignoredUntil: isoOrNull(problem?.snooze?.until),
  ignoredReason: problem?.snooze?.reason ?? null,
  state: toRequestedReview(problem, now, anomalies),
  problem: problem
    ? {
        state: problem.state,
        kind: cause?.kind ?? 'other',
        cause: cause?.template ?? '',
        openedAt: toIsoTime(problem.openedAt),
        closedAt: isoOrNull(problem.closedAt),
        runs: problem.runs,
        ticket: problem.ticket,
        reviewedBy: problem.review && (names.get(problem.review.by) ?? actorMessages.formerUser),
        reviewedAt: isoOrNull(problem.review?.at),
        comment: problem.review?.comment ?? null,
      }
    : null,
});

export const getNote = (problem: ProblemRow | undefined): ResultOut['note'] =>
  problem?.note
    ? { content: problem.note.content, authorId: problem.note.by, at: toIsoTime(problem.note.at) }
    : null;
