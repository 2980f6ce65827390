import type { UserId } from '#contract/ids.ts';
import type { Event, Logged } from '#contract/events.ts';
import type { JobRow, ProblemRow } from '#contract/runs/rows.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import { EVENT_SCOPES, TABLE_OF, TABLES } from '#contract/tables.ts';
import type { ReplicatedTable, Tables } from '#contract/tables.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { isCompanyInScope, seesView } from './scope.ts';
import type { SyncScope } from './scope.ts';

/**
 * Returns what a scope may read of an event. Events and rows are filtered in the same way, so the
 * visible events fold into the visible rows (SYNC-2).
 */
export function visibleEvent(scope: SyncScope, logged: Logged): Logged | null {
  if (!mayRead(scope, logged)) return null;
  const event = visibleData(scope, logged.event);
  return scope.reads.has('work') || isBy(scope, logged)
    ? { ...logged, event }
    : { ...logged, event, actor: { kind: 'clock' }, subject: null };
}

/** Returns what a scope may read of a row that it may hold. */
export function visibleRow<T extends ReplicatedTable>(
  scope: SyncScope,
  table: T,
  row: Tables[T],
): Tables[T] {
  const visible = VISIBLE[table];
  return visible === undefined ? row : visible(scope, row);
}

/** Tables of which some scopes read only a part of each row. */
const VISIBLE: {
  readonly [T in ReplicatedTable]?: (scope: SyncScope, row: Tables[T]) => Tables[T];
} = {
  company: visibleCompany,
  job: visibleJob,
  problem: visibleProblem,
};

function visibleCompany({ reads }: SyncScope, row: CompanyRow): CompanyRow {
  if (reads.has('companySettings') || row.applications === undefined) return row;
  return { ...row, applications: NO_APPLICATIONS, veeamId: null, notify: [] };
}

function visibleJob({ reads }: SyncScope, row: JobRow): JobRow {
  return reads.has('work') ? row : { ...row, missedIgnored: null, disabledIgnored: null };
}

function visibleProblem({ reads, own }: SyncScope, row: ProblemRow): ProblemRow {
  if (reads.has('work')) return row;
  const {
    n,
    job,
    company,
    cause,
    state,
    openedAt,
    lastAt,
    lastRun,
    runs,
    closedAt,
    closedBy,
    review,
    snooze,
    exception,
    unexcused,
  } = row;
  const by = (id: UserId): UserId => (id === own ? own : NOBODY);
  return {
    n,
    job,
    company,
    cause,
    state,
    openedAt,
    lastAt,
    lastRun,
    runs,
    closedAt,
    closedBy,
    note: null,
    ticket: null,
    review: review && { by: by(review.by), at: review.at, comment: null },
    snooze: snooze && { by: by(snooze.by), at: snooze.at, until: snooze.until, reason: '' },
    ...(exception !== undefined && { exception: exception && { ...exception, name: SOME_RULE } }),
    ...(unexcused && { unexcused }),
  };
}

/** The name that the fold uses for actions of the clock. */
const NOBODY = 'clock' as UserId;
const SOME_RULE = 'Rule';

function mayRead(scope: SyncScope, { event, company }: Logged): boolean {
  const tells = EVENT_SCOPES[event.type];
  if (tells === 'none') return false;
  if (tells === 'self') return 'id' in event.data && event.data.id === scope.self;
  if (!scope.reads.has(tells)) return false;
  // The deletion is the last event that a device gets about a company.
  if (event.type === 'company.deleted@1' && scope.deleted.has(event.data.n)) return true;
  if (company !== null && !isCompanyInScope(scope, company)) return false;
  switch (TABLES[TABLE_OF[event.type]].scope?.rows) {
    // The text of a cause may come from other companies. The causes of visible results are sent
    // with them.
    case 'problem':
    case 'provider':
      return scope.companies === null;
    case 'shared':
      return seesView(scope, event.data as SharedData);
    default:
      return true;
  }
}

function visibleData({ reads }: SyncScope, event: Event): Event {
  if (event.type === 'company.updated@1')
    return reads.has('companySettings')
      ? event
      : {
          ...event,
          data: { ...event.data, applications: NO_APPLICATIONS, veeamId: null, notify: [] },
        };
  if (reads.has('work')) return event;
  switch (event.type) {
    case 'run.finished@1':
      return { ...event, data: { ...event.data, exitCode: null, hasLog: false, detail: {} } };
    case 'problem.reviewed@1':
      return { ...event, data: { ...event.data, comment: null } };
    case 'problem.snoozed@1':
      return { ...event, data: { ...event.data, reason: '' } };
    case 'problem.excepted@1':
      return { ...event, data: { ...event.data, name: SOME_RULE } };
    default:
      return event;
  }
}

const isBy = ({ own }: SyncScope, { actor, subject }: Logged): boolean =>
  (subject ?? (actor.kind === 'user' ? actor.id : null)) === own;

/** The owner of a shared row, and whether it is shared, are in each of its events. */
type SharedData = Parameters<typeof seesView>[1];
