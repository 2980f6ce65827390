import { toLowerCaseId } from '#contract/id-schema.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import type { JobN, KeyId, Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { JobRow, ProblemRow } from '#contract/runs/rows.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { SessionContext, Handlers, Principal } from '#server/platform/http/handler.ts';
import { runIdempotently, refusal } from '#server/platform/http/idempotent-command.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';

type Done = OutputOf<'ignoreMissed'>;
type Of = { readonly jobInstanceUid: string; readonly key?: KeyId | undefined };
const done = (seq: number) => ok<Done>({ seq });

/** The snooze reason of a problem whose job was ignored. */
export const NOT_EXPECTED = MESSAGES.notExpected;

/** DESK-4: marks a missed or disabled job as expected. */
export function jobHandlers(
  context: AppContext,
): Pick<Handlers, 'ignoreMissed' | 'unignoreMissed' | 'ignoreDisabled' | 'unignoreDisabled'> {
  const change = (
    ctx: SessionContext,
    of: Of,
    decide: (tx: TenantTx, job: JobRow) => Promise<readonly NewEvent[]> | Failure,
  ): Promise<Result<Done>> =>
    runIdempotently<Done>(context, ctx, async (tx) => {
      const job = await loadJob(tx, ctx.session, of);
      if (!job.ok) return refusal(job.failure);
      const decided = decide(tx, job.value);
      return 'kind' in decided ? refusal(decided) : { drafts: await decided, answer: done };
    });

  return {
    ignoreMissed: ({ ignoredUntil, ...of }, ctx) =>
      change(
        ctx,
        of,
        (tx, job) => badEnd(ignoredUntil, ctx.now) ?? ignoreMissed(tx, job, ignoredUntil),
      ),
    unignoreMissed: (of, ctx) => change(ctx, of, unignoreMissed),
    ignoreDisabled: (of, ctx) =>
      change(ctx, of, (_tx, job) =>
        job.enabled
          ? { kind: 'conflict', message: MESSAGES.jobNotDisabled }
          : Promise.resolve([
              about(job, {
                type: 'job.ignored@1',
                data: { n: job.n, what: 'disabled', until: null },
              }),
            ]),
      ),
    unignoreDisabled: (of, ctx) =>
      change(ctx, of, async (_tx, job) =>
        job.disabledIgnored === null
          ? []
          : [about(job, { type: 'job.unignored@1', data: { n: job.n, what: 'disabled' } })],
      ),
  };
}

/** Returns why the end of the ignore period is invalid; null if it is valid. */
export function badEnd(until: Ms, now: Ms): Failure | null {
  const message =
    until <= now
      ? MESSAGES.ignoreTooShort
      : until > now + LIMITS.snoozeMaxMs
        ? MESSAGES.ignoreTooLong
        : null;
  return message === null
    ? null
    : { kind: 'bad-input', message, issues: [{ path: 'ignoredUntil', message }] };
}

async function ignoreMissed(tx: TenantTx, job: JobRow, until: Ms): Promise<readonly NewEvent[]> {
  const problem = await loadMissed(tx, job);
  return [
    about(job, { type: 'job.ignored@1', data: { n: job.n, what: 'missed', until } }),
    ...(problem
      ? [
          on(problem, {
            type: 'problem.snoozed@1',
            data: { problems: [problem.n], until, reason: NOT_EXPECTED },
          }),
        ]
      : []),
  ];
}

/** Keeps a snooze that a user has set since. */
async function unignoreMissed(tx: TenantTx, job: JobRow): Promise<readonly NewEvent[]> {
  const { missedIgnored } = job;
  if (missedIgnored === null) return [];
  const problem = await loadMissed(tx, job);
  const own =
    problem?.snooze?.until === missedIgnored.until && problem?.snooze?.at === missedIgnored.at;
  return [
    about(job, { type: 'job.unignored@1', data: { n: job.n, what: 'missed' } }),
    ...(problem && own
      ? [on(problem, { type: 'problem.unsnoozed@1', data: { problems: [problem.n] } })]
      : []),
  ];
}

const about = (job: JobRow, event: NewEvent['event']): NewEvent => ({
  event,
  company: job.company,
  entity: `job:${job.n}`,
});
const on = (problem: ProblemRow, event: NewEvent['event']): NewEvent => ({
  event,
  company: problem.company,
  entity: `problem:${problem.n}`,
});

/** Returns the job's open problem if it is a missed run; otherwise null. */
async function loadMissed(tx: TenantTx, job: JobRow): Promise<ProblemRow | null> {
  const problem =
    job.problem === null ? undefined : (await tx.rows('problem', [job.problem])).get(job.problem);
  return problem?.state === 'Missed' && problem.closedAt === null ? problem : null;
}

async function loadJob(
  tx: TenantTx,
  session: Principal,
  { jobInstanceUid, key }: Of,
): Promise<Result<JobRow>> {
  let query = tx.sql
    .selectFrom('job')
    .select('n')
    .where('tenant_id', '=', tx.tenant)
    .where('uid', '=', jobInstanceUid);
  if (key !== undefined) query = query.where('key_id', '=', toLowerCaseId(key));
  const found = await tx.rows(
    'job',
    (await query.execute()).map(({ n }): JobN => n),
  );
  const scope = toScope(session);
  const [job, ...others] = [...found.values()].filter(({ company }) =>
    isCompanyInScope(scope, company),
  );
  if (!job) return failed({ kind: 'not-found', message: MESSAGES.notFound });
  return others.length > 0 ? failed({ kind: 'conflict', message: MESSAGES.jobAmbiguous }) : ok(job);
}
