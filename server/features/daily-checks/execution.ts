import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Actor, EventType } from '#contract/events.ts';
import { listStoredTypes, renameActor, renameEvent } from '#contract/former-events.ts';
import type { CompanyN, Ms, ProblemN, TenantId } from '#contract/ids.ts';
import type { Execution, ProblemAction } from '#contract/runs/calls.ts';
import type { ProblemRow, RunRow } from '#contract/runs/rows.ts';
import { worstFirst } from '#contract/runs/task.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadArchivedUntil } from '#server/platform/events/archive/log-cuts.ts';
import type { SyncScope } from '#server/platform/sync/scope.ts';
import { getExpected } from '../../platform/queries/expected-start.ts';
import {
  describeRun,
  getNote,
  toIsoTime,
  isoOrNull,
} from '#server/platform/queries/run-details.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';
import { historyMessages as t } from './history.messages.en.ts';

/**
 * Returns one run in full, as the API outputs it. `scope` limits the companies counted under "the
 * same cause elsewhere".
 */
export async function loadExecution(
  tx: TenantTx,
  run: RunRow,
  scope: SyncScope,
  now: Ms,
): Promise<Execution> {
  const job = (await tx.rows('job', [run.job])).get(run.job);
  const stat = (await tx.rows('stat', [run.job])).get(run.job);
  const company = (await tx.rows('company', [run.company])).get(run.company);
  const problem =
    run.problem === null ? undefined : (await tx.rows('problem', [run.problem])).get(run.problem);
  const log = run.hasLog
    ? await tx.sql
        .selectFrom('run_log')
        .select('body')
        .where('tenant_id', '=', tx.tenant)
        .where('run_n', '=', run.n)
        .executeTakeFirst()
    : undefined;
  const stored = await tx.sql
    .selectFrom('run_task')
    .select('tasks')
    .where('tenant_id', '=', tx.tenant)
    .where('run_n', '=', run.n)
    .executeTakeFirst();
  if (!job) throw new Error(`run ${run.n} names no job`);
  const history = problem ? await loadHistory(tx, problem) : [];
  return {
    ...describeRun(run, job),
    companyName: company?.name ?? '',
    note: getNote(problem),
    ignoredUntil: isoOrNull(problem?.snooze?.until ?? null),
    ignoredReason: problem?.snooze?.reason ?? null,
    state: getState(problem, now),
    problem: problem ? await loadProblem(tx, problem, scope) : null,
    expectedAt: isoOrNull(stat ? getExpected(job, stat) : null),
    lastSuccessAt: isoOrNull(stat?.lastSuccess ?? null),
    detail: run.detail,
    log: log?.body ?? null,
    isLogDeleted: run.hasLog && log === undefined,
    tasks: worstFirst(stored?.tasks ?? []),
    history,
    historyArchivedUntil:
      problem && isCutOff(history) ? isoOrNull(await loadArchivedUntil(tx)) : null,
  };
}

function getState(problem: ProblemRow | undefined, now: Ms): Execution['state'] {
  if (!problem || (problem.closedAt !== null && problem.review === null && !problem.exception))
    return 'none';
  if (problem.review !== null) return 'cleared';
  return problem.snooze !== null && problem.snooze.until > now
    ? 'snoozed'
    : problem.exception
      ? 'cleared'
      : 'pending';
}

async function loadProblem(
  tx: TenantTx,
  problem: ProblemRow,
  { companies, deleted }: SyncScope,
): Promise<Execution['problem']> {
  const cause = (await tx.rows('cause', [problem.cause])).get(problem.cause);
  const elsewhere = await tx.sql
    .selectFrom('problem')
    .innerJoin('company', (join) =>
      join
        .onRef('company.tenant_id', '=', 'problem.tenant_id')
        .onRef('company.n', '=', 'problem.company_n'),
    )
    .select([
      sql<string>`company.row->>'name'`.as('company'),
      (e) => e.fn.count<number>('problem.job_n').distinct().as('jobs'),
    ])
    .where('problem.tenant_id', '=', tx.tenant)
    .where('company.tenant_id', '=', tx.tenant)
    .where('problem.cause_n', '=', problem.cause)
    .where('problem.closed_at', 'is', null)
    .where('problem.job_n', '<>', problem.job)
    .$if(companies !== null, (query) =>
      query.where('problem.company_n', 'in', [0, ...(companies ?? [])]),
    )
    .$if(deleted.size > 0, (query) => query.where('problem.company_n', 'not in', [0, ...deleted]))
    .groupBy(sql`company.row->>'name'`)
    .orderBy('jobs', 'desc')
    .limit(20)
    .execute();
  return {
    state: problem.state,
    kind: cause?.kind ?? 'other',
    cause: cause?.template ?? '',
    openedAt: toIsoTime(problem.openedAt),
    closedAt: isoOrNull(problem.closedAt),
    runs: problem.runs,
    ticket: problem.ticket,
    elsewhere: elsewhere.map(({ company, jobs }) => ({ company, jobs })),
  };
}

const DONE = {
  'problem.reviewed@1': 'Reviewed',
  'problem.reopened@1': 'Review undone',
  'problem.snoozed@1': 'Snoozed',
  'problem.unsnoozed@1': 'Snooze ended',
  'problem.noted@1': 'Note',
  'problem.ticketSet@1': 'Ticket',
  'problem.excepted@1': 'Exception',
  'problem.unexcepted@1': 'Exception ended',
  'problem.ruleApplied@1': 'Rule',
  'problem.hintRated@1': 'Hint helped',
  'problem.opened@1': 'Began',
  'problem.closed@1': 'Over',
} as const satisfies Partial<Record<EventType, ProblemAction>>;
const HISTORY_TYPES = Object.keys(DONE) as (keyof typeof DONE)[];
const isHistoryEvent = (type: string): type is keyof typeof DONE => type in DONE;

const HISTORY = 100;
/**
 * Whether a history lacks its beginning, and not because it is longer than the list: then its earlier
 * changes are archived.
 */
const isCutOff = (history: Execution['history']): boolean =>
  history.length < HISTORY && history.at(-1)?.what !== 'Began';

interface HistoryRecord {
  readonly type: string;
  readonly at: Ms;
  readonly actor: Actor;
  readonly data: unknown;
}

/**
 * Selects the newest user actions on a problem: those on this problem by its entity name, and bulk
 * actions of its company since it began, or since the log begins. Each part uses its own index and
 * reads no further than its limit. The beginning is a subquery of its own: under row-level security,
 * no index looks for a `coalesce`.
 */
export const historyQuery = (
  tenant: TenantId,
  problem: ProblemN,
  company: CompanyN,
): RawBuilder<HistoryRecord> => {
  const actions = sql`tenant_id = ${tenant} and type in (${sql.join(listStoredTypes(HISTORY_TYPES))})`;
  const own = sql`entity = ${`problem:${problem}`} and entity not like 'run:%'`;
  return sql<HistoryRecord>`select type, at, actor, data from (
    (select seq, type, at, actor, data from event where ${actions} and ${own} order by seq desc limit ${HISTORY})
    union all
    (select seq, type, at, actor, data from event where ${actions} and entity = 'problem:*' and company = ${company}
      and seq > (select coalesce((select case type when 'problem.opened@1' then seq else 0 end from event where tenant_id = ${tenant} and ${own} order by seq limit 1), 0))
      and data::jsonb->'problems' @> to_jsonb(${problem}::bigint) order by seq desc limit ${HISTORY})
  ) as history order by seq desc limit ${HISTORY}`;
};

/** Returns who did what to the problem, newest first. */
async function loadHistory(
  tx: TenantTx,
  { n, company }: ProblemRow,
): Promise<Execution['history']> {
  const { rows: events } = await historyQuery(tx.tenant, n, company).execute(tx.sql);
  const names = new Map(
    (
      await tx.sql
        .selectFrom('person')
        .select(['id', 'name'])
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map(({ id, name }) => [id, name]),
  );
  return events.flatMap(({ at, ...stored }) => {
    const { type, data } = renameEvent(stored);
    const actor = renameActor(stored.actor);
    return !isHistoryEvent(type)
      ? []
      : [
          {
            at: toIsoTime(at),
            who:
              actor.kind === 'user'
                ? (names.get(actor.id) ?? actorMessages.formerUser)
                : actor.kind === 'source'
                  ? actorMessages.source
                  : actor.kind === 'rule'
                    ? actorMessages.rule({ name: actor.name })
                    : actorMessages.system,
            ...toHistoryEntry(DONE[type], data as Said),
          },
        ];
  });
}

/** The optional fields of the events in `DONE`. */
interface Said {
  readonly comment?: string | null;
  readonly content?: string | null;
  readonly reason?: string;
  readonly ticket?: string | null;
  readonly until?: Ms;
  readonly by?: 'success' | 'changed';
  readonly did?: readonly string[];
  readonly hint?: string | null;
  readonly name?: string;
  readonly helped?: boolean;
}

function toHistoryEntry(
  what: (typeof DONE)[keyof typeof DONE],
  { comment, content, reason, ticket, until, by, did, hint, name, helped }: Said,
): Pick<Execution['history'][number], 'what' | 'comment' | 'until'> {
  const none = { comment: null, until: null };
  switch (what) {
    case 'Note':
      return content == null
        ? { ...none, what: 'Note removed' }
        : { ...none, what, comment: content };
    case 'Ticket':
      return ticket == null
        ? { ...none, what: 'Ticket removed' }
        : { ...none, what, comment: ticket };
    case 'Snoozed':
      return { what, comment: reason ?? null, until: isoOrNull(until ?? null) };
    case 'Over':
      return { ...none, what: by === 'changed' ? 'Changed' : what };
    case 'Rule':
      return {
        ...none,
        what,
        comment:
          [did?.includes('notified') ? t.usersNotified : null, hint]
            .flatMap((text) => text ?? [])
            .join('. ') || null,
      };
    case 'Hint helped':
      return { ...none, what: helped === true ? what : 'Hint did not help', comment: name ?? null };
    default:
      return { ...none, what, comment: comment ?? null };
  }
}
