import type { NewEvent, Event } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import type { RunN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { HintOut, HintShown } from '#contract/hints/calls.ts';
import { hintAsksSomething, hintMatcher, hintTells } from '#contract/hints/hints.ts';
import type { HintFields, HintResult, HintRow } from '#contract/hints/hints.ts';
import { ok } from '#contract/result.ts';
import { NOT_FOUND, toFieldFailure } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { runIdempotently, refusal } from '#server/platform/http/idempotent-command.ts';
import { loadAllUserNames } from '#server/platform/queries/run-details.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { type SyncScope, toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

type Done = Record<string, never>;

/**
 * HINT-1 to HINT-3: users who see the whole provider manage hints, their audience reads them, and
 * Daybook counts where they helped.
 */
export function hintHandlers(
  context: AppContext,
): Pick<
  Handlers,
  'listHints' | 'listApplicableHints' | 'createHint' | 'changeHint' | 'removeHint' | 'rateHint'
> {
  return {
    listHints: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const scope = toScope(ctx.session);
          const hints = (await loadHints(tx)).filter((hint) => reads(scope, hint));
          const [names, helped, results] = [
            await loadAllUserNames(tx),
            await countHelped(tx),
            await openResults(tx, scope),
          ];
          const data = hints.map(
            ({ removedAt: _removedAt, madeBy, changedAt, ...hint }): HintOut => {
              const matches = hintMatcher(hint.when);
              return {
                ...toHintOutput(hint),
                madeBy: names.get(madeBy) ?? actorMessages.formerUser,
                changedAt,
                matched: results.filter(matches).length,
                helped: helped.get(hint.id) ?? { problems: 0, last: null },
              };
            },
          );
          return ok({ data, count: data.length, hints: data });
        },
        { readOnly: true },
      ),

    listApplicableHints: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const scope = toScope(ctx.session);
          return ok({
            hints: (await loadHints(tx)).filter((hint) => reads(scope, hint)).map(toHintOutput),
          });
        },
        { readOnly: true },
      ),

    createHint: ({ hint }, ctx) =>
      runIdempotently<{ _id: string }>(context, ctx, async (tx) => {
        const refused = getRefusal(toScope(ctx.session), hint);
        if (refused) return refusal(refused);
        if ((await loadHints(tx)).length >= LIMITS.hints)
          return refusal({ kind: 'conflict', message: MESSAGES.hintsFull({ max: LIMITS.hints }) });
        const id = context.chance.uuid();
        return {
          drafts: [about(id, { type: 'hint.saved@1', data: { id, ...hint } })],
          answer: () => ok({ _id: id }),
        };
      }),

    changeHint: ({ id, hint }, ctx) =>
      runIdempotently<Done>(context, ctx, async (tx) => {
        const refused =
          (await missing(tx, toScope(ctx.session), id)) ?? getRefusal(toScope(ctx.session), hint);
        return refused
          ? refusal(refused)
          : { drafts: [about(id, { type: 'hint.saved@1', data: { id, ...hint } })], answer: done };
      }),

    removeHint: ({ id }, ctx) =>
      runIdempotently<Done>(context, ctx, async (tx) => {
        const scope = toScope(ctx.session);
        const refused =
          (await missing(tx, scope, id)) ?? (scope.companies === null ? null : FORBIDDEN);
        return refused
          ? refusal(refused)
          : { drafts: [about(id, { type: 'hint.deleted@1', data: { id } })], answer: done };
      }),

    rateHint: ({ id, run, helped }, ctx) =>
      runIdempotently<Done>(context, ctx, async (tx) => {
        const scope = toScope(ctx.session);
        const hint = (await loadHints(tx)).find((one) => one.id === id && reads(scope, one));
        const problem = await loadProblem(tx, scope, run);
        if (!hint || problem === null) return refusal(NOT_FOUND);
        if ((problem.helpedBy ?? []).includes(id) === helped) return { drafts: [], answer: done };
        const event: Event = {
          type: 'problem.hintRated@1',
          data: { problem: problem.n, hint: id, name: hint.name, helped },
        };
        return {
          drafts: [{ event, company: problem.company, entity: `problem:${problem.n}` }],
          answer: done,
        };
      }),
  };
}

const done = () => ok({});
const about = (id: string, event: Event): NewEvent => ({
  event,
  company: null,
  entity: `hint:${id}`,
});

const FORBIDDEN: Failure = { kind: 'forbidden', message: MESSAGES.hintNotYours };

export const reads = (scope: SyncScope, hint: Pick<HintRow, 'inside'>): boolean =>
  !hint.inside || scope.companies === null;
const toHintOutput = ({
  id,
  name,
  when,
  summary,
  steps,
  links,
  inside,
}: Pick<HintRow, 'id' | keyof HintFields>): HintShown => ({
  _id: id,
  name,
  when,
  summary,
  says: summary,
  steps,
  links,
  inside,
});

/** Sorted by name. */
const loadHints = async (tx: TenantTx): Promise<HintRow[]> =>
  (await tx.all('hint'))
    .filter(({ removedAt }) => removedAt === null)
    .toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));

async function missing(tx: TenantTx, scope: SyncScope, id: string): Promise<Failure | null> {
  return (await loadHints(tx)).some((hint) => hint.id === id && reads(scope, hint))
    ? null
    : NOT_FOUND;
}

function getRefusal(scope: SyncScope, hint: HintFields): Failure | null {
  if (scope.companies !== null) return FORBIDDEN;
  if (!hintAsksSomething(hint.when)) return toFieldFailure('hint.when', MESSAGES.hintAsksNothing);
  return hintTells(hint) ? null : toFieldFailure('hint.summary', MESSAGES.hintTellsNothing);
}

async function loadProblem(tx: TenantTx, scope: SyncScope, n: RunN) {
  const run = (await tx.rows('run', [n])).get(n);
  if (!run || run.problem === null || !isCompanyInScope(scope, run.company)) return null;
  return (await tx.rows('problem', [run.problem])).get(run.problem) ?? null;
}

/**
 * Returns for each hint the number of problems it helped with and the last time. A withdrawn rating
 * does not count.
 */
async function countHelped(tx: TenantTx): Promise<ReadonlyMap<string, HintOut['helped']>> {
  const rows = await tx.sql
    .selectFrom('hint_rating')
    .select((e) => [
      'helped_by as hint',
      e.fn.countAll<number>().as('problems'),
      e.fn.max('at').as('last'),
    ])
    .where('tenant_id', '=', tx.tenant)
    .where('helped_by', 'is not', null)
    .groupBy('helped_by')
    .$narrowType<{ hint: string }>()
    .execute();
  return new Map(rows.map(({ hint, problems, last }) => [hint, { problems, last }]));
}

/** Returns the newest result of each open problem in the form that hints match. */
async function openResults(tx: TenantTx, scope: SyncScope): Promise<readonly HintResult[]> {
  const open = await tx.sql
    .selectFrom('problem')
    .select('row')
    .where('tenant_id', '=', tx.tenant)
    .where('closed_at', 'is', null)
    .execute();
  const problems = open
    .map(({ row }) => row)
    .filter(({ company }) => isCompanyInScope(scope, company));
  const [runs, causes, jobs] = [
    await tx.rows(
      'run',
      problems.map(({ lastRun }) => lastRun),
    ),
    await tx.rows('cause', distinct(problems.map(({ cause }) => cause))),
    await tx.rows('job', distinct(problems.map(({ job }) => job))),
  ];
  return problems.flatMap((problem) => {
    const cause = causes.get(problem.cause);
    const job = jobs.get(problem.job);
    const message = runs.get(problem.lastRun)?.message;
    return job
      ? [
          {
            texts: [message, cause?.template].flatMap((text) => text ?? []),
            kind: cause?.kind ?? 'other',
            source: job.source,
          },
        ]
      : [];
  });
}

const distinct = <N>(all: readonly N[]): N[] => [...new Set(all)];
