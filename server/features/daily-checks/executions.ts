import type { Change, DecidedChange, RefusedChange, Target } from '#contract/runs/change.ts';
import { getChanges, decideChange } from '#contract/runs/change.ts';
import type { CompanyN, RunN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Handlers, Principal } from '#server/platform/http/handler.ts';
import { runIdempotently, refusal } from '#server/platform/http/idempotent-command.ts';
import type { CommandDecision } from '#server/platform/http/idempotent-command.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadExecution } from './execution.ts';

const NOT_FOUND = failed({ kind: 'not-found', message: MESSAGES.notFound });
type Changed = OutputOf<'changeExecutions'>;

export function executionHandlers(
  context: AppContext,
): Pick<Handlers, 'getExecution' | 'changeExecution' | 'changeExecutions'> {
  return {
    async getExecution({ id }, { tenant, session, now }) {
      const found = await context.store.tenant(
        tenant,
        async (tx) => {
          const run = (await tx.rows('run', [id])).get(id);
          return run && inScope(session, run.company)
            ? await loadExecution(tx, run, toScope(session), now)
            : null;
        },
        { readOnly: true },
      );
      return found ? ok(found) : NOT_FOUND;
    },

    changeExecution: ({ id, ...request }, ctx) =>
      runIdempotently<Changed>(context, ctx, async (tx) => {
        const changes = readChanges(request);
        if (!changes.ok) return refusal(changes.failure);
        const { drafts, refused } = await decide(tx, ctx.session, changes.value, [id], ctx.now);
        const [first] = refused;
        return first
          ? refusal(first.failure)
          : { drafts, answer: (seq) => ok({ seq, accepted: 1, refused: [] }) };
      }),

    changeExecutions: ({ ids, ...request }, ctx) =>
      runIdempotently<Changed>(context, ctx, async (tx): Promise<CommandDecision<Changed>> => {
        const changes = readChanges(request);
        if (!changes.ok) return refusal(changes.failure);
        const runs = [...new Set(ids)];
        const { drafts, refused } = await decide(tx, ctx.session, changes.value, runs, ctx.now);
        return {
          drafts,
          answer: (seq) =>
            ok({
              seq,
              accepted: runs.length - refused.length,
              refused: refused.map(({ run, failure }) => ({
                run,
                kind: failure.kind,
                message: failure.message,
              })),
            }),
        };
      }),
  };
}

type ChangeInput = Parameters<typeof getChanges>[0];
interface Changes {
  readonly list: readonly Change[];
  /** Fields describe the desired state, not an action. */ readonly byFields: boolean;
}

function readChanges(request: ChangeInput): Result<Changes> {
  const list = getChanges(request);
  if (request.ignoredReason !== undefined && typeof request.ignoredUntil !== 'number')
    return bad('ignoredReason', MESSAGES.reasonAlone);
  if (list.length === 0) return bad('change', MESSAGES.nothingToChange);
  return ok({ list, byFields: request.change === undefined });
}

const bad = (path: string, message: string): Result<never> =>
  failed({ kind: 'bad-input', message, issues: [{ path, message }] });

const inScope = (session: Principal, company: CompanyN): boolean =>
  isCompanyInScope(toScope(session), company);

async function decide(
  tx: TenantTx,
  session: Principal,
  { list, byFields }: Changes,
  request: readonly RunN[],
  now: number,
): Promise<DecidedChange> {
  const runs = await tx.rows('run', request);
  const problems = await tx.rows('problem', [
    ...new Set([...runs.values()].flatMap(({ problem }) => (problem === null ? [] : [problem]))),
  ]);
  const targets = new Map<RunN, Target>();
  for (const run of runs.values()) {
    if (inScope(session, run.company))
      targets.set(run.n, {
        run,
        problem: run.problem === null ? null : (problems.get(run.problem) ?? null),
      });
  }
  const names = new Map(
    (
      await tx.sql
        .selectFrom('person')
        .select(['id', 'name'])
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map(({ id, name }) => [id, name]),
  );
  const decideOne = (change: Change, of: readonly RunN[]): DecidedChange =>
    decideChange(
      change,
      of,
      targets,
      session.userId,
      now,
      (id) => names.get(id) ?? 'somebody else',
    );
  // A result gets none of the changes if one of them is refused.
  const refused = new Map<RunN, RefusedChange>();
  for (const change of list)
    for (const one of decideOne(change, request).refused)
      if (!refused.has(one.run)) refused.set(one.run, one);
  const free = request.filter((run) => !refused.has(run));
  const drafts = list.flatMap(
    (change) =>
      decideOne(
        change,
        byFields ? free.filter((run) => !isSo(change, targets.get(run)?.problem)) : free,
      ).drafts,
  );
  return { drafts, refused: [...refused.values()] };
}

/**
 * Returns whether the problem already has the desired state, so that sending back what was read
 * changes nothing.
 */
function isSo(change: Change, problem: Target['problem'] | undefined): boolean {
  if (!problem) return false;
  return change.kind === 'note'
    ? (problem.note?.content ?? null) === change.content
    : change.kind === 'unsnooze' && problem.snooze === null;
}
