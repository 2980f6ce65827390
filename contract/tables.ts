import type { PreferenceRow } from './auth/preferences.ts';
import type { BackupJobRow } from './backup/jobs.ts';
import type { OrganizationRow } from './backup/organizations.ts';
import type { BackupProxyRow, BackupRepositoryRow } from './backup/repositories.ts';
import type { SubscriptionRow } from './billing/subscriptions.ts';
import type { UsageMonthRow } from './billing/usage-months.ts';
import type { PinRow } from './companies/pins.ts';
import type { ShiftRow } from './daily-checks/hand-over.ts';
import type { ViewRow } from './daily-checks/saved-views.ts';
import type { EventOf, EventType, Logged } from './events.ts';
import type { HintRow } from './hints/hints.ts';
import type { HintRatingRow } from './hints/ratings.ts';
import type { RestoreRoleRow } from './restore/roles.ts';
import type { RestoreSessionRow } from './restore/sessions.ts';
import type { RestoreRequestRow } from './restore/requests.ts';
import type { RestoreTaskRow } from './restore/tasks.ts';
import type { RuleRow } from './rules/rules.ts';
import type {
  CauseRow,
  ComputerRow,
  JobRow,
  IngestKeyRow,
  ProblemRow,
  RepositoryRow,
  RunRow,
  StatRow,
} from './runs/rows.ts';
import type { Readable } from './sync/readable.ts';
import type { TicketRow } from './tickets/tickets.ts';
import type { CompanyRow, UserRow } from './users/rows.ts';

/**
 * The registry of tables: one entry for each table that folds fill. The server's projection, the
 * bootstrap, what a scope may read, and the device's tables and snapshots derive from it.
 *
 * It loads no package, because the device reads it before the first rows. The schema of a table's
 * rows and its fold are in `FOLDS` (fold.ts), which compiles only with one for every entry here.
 */
export const TABLES = {
  company: table<CompanyRow>()({
    key: 'n',
    replicatedAs: 'companies',
    scope: { readBy: 'company', rows: 'company' },
    events: {
      'company.created@1': 'company',
      'company.updated@1': 'company',
      'company.deleted@1': 'company',
      'company.restored@1': 'company',
    },
    lookups: {},
  }),
  user: table<UserRow>()({
    key: 'id',
    replicatedAs: null,
    scope: { readBy: 'self', rows: 'self' },
    events: {
      'user.created@1': 'none',
      'user.scoped@1': 'self',
      'user.updated@1': 'self',
      'user.deleted@1': 'self',
      'user.removed@1': 'self',
    },
    lookups: {},
  }),
  job: table<JobRow>()({
    key: 'n',
    replicatedAs: 'jobs',
    scope: { readBy: 'result', rows: 'company' },
    events: {
      'job.found@1': 'result',
      'job.updated@1': 'result',
      'job.calibrated@1': 'work',
      'job.ignored@1': 'work',
      'job.unignored@1': 'work',
    },
    lookups: {
      key_id: text((row) => row.key),
      uid: text((row) => row.uid),
      company_n: number((row) => row.company),
    },
  }),
  /** Filled by events of jobs and runs. */
  stat: table<StatRow>()({
    key: 'n',
    replicatedAs: null,
    scope: null,
    events: {},
    lookups: {},
  }),
  /** Devices get the rows as binary columns, a day at a time (SYNC-4). */
  run: table<RunRow>()({
    key: 'n',
    replicatedAs: null,
    scope: { readBy: 'result', rows: 'company' },
    events: {
      'run.started@1': 'result',
      'run.finished@1': 'result',
      'run.missed@1': 'result',
    },
    lookups: {
      key_id: text((row) => row.key),
      uid: text((row) => row.uid),
      job_n: number((row) => row.job),
      company_n: number((row) => row.company),
      started_at: number((row) => row.startedAt),
      status: text((row) => row.status),
      problem_n: number((row) => row.problem),
    },
  }),
  cause: table<CauseRow>()({
    key: 'n',
    replicatedAs: 'causes',
    scope: { readBy: 'result', rows: 'problem' },
    events: { 'cause.found@1': 'result' },
    lookups: { kind: text((row) => row.kind), template: text((row) => row.template) },
  }),
  problem: table<ProblemRow>()({
    key: 'n',
    replicatedAs: 'problems',
    scope: { readBy: 'result', rows: 'company' },
    events: {
      'problem.opened@1': 'result',
      'problem.closed@1': 'result',
      'problem.reviewed@1': 'result',
      'problem.reopened@1': 'result',
      'problem.snoozed@1': 'result',
      'problem.unsnoozed@1': 'result',
      'problem.excepted@1': 'result',
      'problem.unexcepted@1': 'result',
      'problem.noted@1': 'work',
      'problem.ticketSet@1': 'work',
      'problem.ticketLinked@1': 'work',
      'problem.ruleApplied@1': 'work',
      'problem.hintRated@1': 'work',
    },
    lookups: {
      job_n: number((row) => row.job),
      company_n: number((row) => row.company),
      cause_n: number((row) => row.cause),
      last_at: number((row) => row.lastAt),
      closed_at: number((row) => row.closedAt),
      ticket_id: text((row) => row.linkedTicket?.id ?? null),
    },
  }),
  key: table<IngestKeyRow>()({
    key: 'id',
    replicatedAs: 'keys',
    scope: { readBy: 'key', rows: 'company' },
    events: {
      'key.created@1': 'key',
      'key.rotated@1': 'key',
      'key.revoked@1': 'key',
      'key.firstResultReceived@1': 'key',
    },
    lookups: { company_n: number((row) => row.company) },
  }),
  computer: table<ComputerRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {
      'computer.seen@1': 'none',
      'computer.noted@1': 'none',
      'computer.ignored@1': 'none',
      'computer.unignored@1': 'none',
    },
    lookups: {
      key_id: text((row) => row.key),
      company_n: number((row) => row.company),
      seen_at: number((row) => row.seenAt),
    },
  }),
  repository: table<RepositoryRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: { 'repository.sampled@1': 'none' },
    lookups: { key_id: text((row) => row.key), company_n: number((row) => row.company) },
  }),
  view: table<ViewRow>()({
    key: 'id',
    replicatedAs: 'views',
    scope: { readBy: 'view', rows: 'shared' },
    events: { 'view.saved@1': 'view', 'view.deleted@1': 'view' },
    lookups: {},
  }),
  hint: table<HintRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: { 'hint.saved@1': 'none', 'hint.deleted@1': 'none' },
    lookups: {},
  }),
  /** Filled by events of problems. */
  hintRating: table<HintRatingRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {},
    lookups: {
      /** The hint if it helped, otherwise null. */
      helped_by: text(({ helped, hint }) => (helped ? hint : null)),
      at: number((row) => row.at),
    },
  }),
  rule: table<RuleRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {
      'rule.created@1': 'none',
      'rule.updated@1': 'none',
      'rule.deleted@1': 'none',
      'rules.ordered@1': 'none',
    },
    lookups: {},
  }),
  shift: table<ShiftRow>()({
    key: 'id',
    replicatedAs: 'shifts',
    scope: { readBy: 'shift', rows: 'provider' },
    events: { 'shift.handedOver@1': 'shift' },
    lookups: { received_at: number((row) => row.receivedAt) },
  }),
  preference: table<PreferenceRow>()({
    key: 'id',
    replicatedAs: 'preferences',
    scope: { readBy: 'self', rows: 'self' },
    events: { 'user.preferenceSaved@1': 'self' },
    lookups: { user_id: text((row) => row.user) },
  }),
  pin: table<PinRow>()({
    key: 'id',
    replicatedAs: 'pins',
    scope: { readBy: 'self', rows: 'self' },
    events: { 'company.pinned@1': 'self' },
    lookups: { user_id: text((row) => row.user) },
  }),
  ticket: table<TicketRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {
      'ticket.created@1': 'none',
      'ticket.updated@1': 'none',
      'ticket.linked@1': 'none',
      'ticket.deleted@1': 'none',
    },
    lookups: {
      company_n: number((row) => row.company),
      number: number((row) => row.number),
      /** 1 if open, 0 if closed, -1 if deleted. */
      open: number((row) => (row.deletedAt !== null ? -1 : row.status.closed ? 0 : 1)),
      made_at: number((row) => row.madeAt),
      remote_id: text((row) => row.remote?.id ?? null),
    },
  }),
  organization: table<OrganizationRow>()({
    key: 'id',
    replicatedAs: 'organizations',
    scope: { readBy: 'organization', rows: 'company' },
    events: {
      'organization.created@1': 'organization',
      'organization.updated@1': 'organization',
      'organization.renewed@1': 'organization',
      'organization.approvalset@1': 'organization',
      'organization.holdplaced@1': 'organization',
      'organization.holdreleased@1': 'organization',
      'organization.personexcluded@1': 'organization',
      'organization.exclusionended@1': 'organization',
      'organization.deleted@1': 'organization',
    },
    lookups: { company_n: number((row) => row.company) },
  }),
  backupRepository: table<BackupRepositoryRow>()({
    key: 'id',
    replicatedAs: 'backupRepositories',
    scope: { readBy: 'backupRepository', rows: 'company' },
    events: {
      'backuprepository.created@1': 'backupRepository',
      'backuprepository.updated@1': 'backupRepository',
      'backuprepository.verified@1': 'backupRepository',
      'backuprepository.cleaned@1': 'backupRepository',
      'backuprepository.tampered@1': 'backupRepository',
      'backuprepository.deleted@1': 'backupRepository',
    },
    lookups: { company_n: number((row) => row.company) },
  }),
  backupProxy: table<BackupProxyRow>()({
    key: 'id',
    replicatedAs: 'backupProxies',
    scope: { readBy: 'backupRepository', rows: 'provider' },
    events: {
      'backupproxy.joined@1': 'backupRepository',
      'backupproxy.updated@1': 'backupRepository',
      'backupproxy.left@1': 'backupRepository',
    },
    lookups: {},
  }),
  /** Filled by events of jobs and of their sessions. */
  backupJob: table<BackupJobRow>()({
    key: 'id',
    replicatedAs: 'backupJobs',
    scope: { readBy: 'backupJob', rows: 'company' },
    events: {
      'backupjob.created@1': 'backupJob',
      'backupjob.updated@1': 'backupJob',
      'backupjob.enabled@1': 'backupJob',
      'backupjob.disabled@1': 'backupJob',
      'backupjob.notificationsUpdated@1': 'backupJob',
      'backupjob.deleted@1': 'backupJob',
      'backupsession.started@1': 'backupJob',
      'backupsession.ended@1': 'backupJob',
    },
    lookups: {
      company_n: number((row) => row.company),
      organization_id: text((row) => row.organization),
      repository_id: text((row) => row.repository),
    },
  }),
  restoreSession: table<RestoreSessionRow>()({
    key: 'id',
    replicatedAs: 'restoreSessions',
    scope: { readBy: 'self', rows: 'self' },
    events: { 'restoresession.opened@1': 'self', 'restoresession.stopped@1': 'self' },
    lookups: { user_id: text((row) => row.user) },
  }),
  restoreTask: table<RestoreTaskRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: { 'restoretask.ended@1': 'none' },
    lookups: {},
  }),
  restoreRole: table<RestoreRoleRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {
      'restorerole.created@1': 'none',
      'restorerole.updated@1': 'none',
      'restorerole.deleted@1': 'none',
    },
    lookups: {
      company_n: number((row) => row.company),
      organization_id: text((row) => row.organization),
    },
  }),
  restoreRequest: table<RestoreRequestRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: { 'restoretask.requested@1': 'none', 'restoretask.decided@1': 'none' },
    /** 1 while it waits for approval. */
    lookups: {
      waiting: number(({ expiresAt, decision }) =>
        expiresAt !== null && decision === null ? 1 : 0,
      ),
    },
  }),
  /** Pages request them when they open: what a company pays is on no device. */
  subscription: table<SubscriptionRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {
      'subscription.started@1': 'none',
      'subscription.paid@1': 'none',
      'subscription.failed@1': 'none',
      'subscription.disabled@1': 'none',
      'subscription.forgiven@1': 'none',
      'subscription.cancelled@1': 'none',
      'subscription.rolledBack@1': 'none',
      'subscription.levelChanged@1': 'none',
      'subscription.updated@1': 'none',
      'subscription.trialChanged@1': 'none',
      'subscription.cardAttached@1': 'none',
      'subscription.ended@1': 'none',
    },
    lookups: { company_n: number((row) => row.company) },
  }),
  usageMonth: table<UsageMonthRow>()({
    key: 'id',
    replicatedAs: null,
    scope: null,
    events: {
      'usage.counted@1': 'none',
      'usage.updated@1': 'none',
      'usage.acknowledged@1': 'none',
      'usage.unacknowledged@1': 'none',
      'usage.invoiced@1': 'none',
      'usage.released@1': 'none',
    },
    lookups: { company_n: number((row) => row.company), month: text((row) => row.month) },
  }),
} as const;

export type TableName = keyof typeof TABLES;
/** The row of each table. */
export type Tables = { readonly [T in TableName]: RowIn<(typeof TABLES)[T]> };
type RowIn<E> = E extends { readonly '~row'?: infer R } ? NonNullable<R> : never;

/** An entry of the registry. `R`: the table's row. */
interface Entry<R> {
  /** The field with the key: a number from the server, or a text. */
  readonly key: 'n' | 'id';
  /** The field of the bootstrap with the rows; null if devices don't get them as rows. */
  readonly replicatedAs: string | null;
  /** Who may hold rows on a device; null: nobody. */
  readonly scope: TableScope<R> | null;
  /** The events about the table, and what a user must be allowed to read to get each (SYNC-6). */
  readonly events: { readonly [E in EventType]?: EventScope };
  /** The server's columns beside the row, to look rows up by. */
  readonly lookups: Readonly<Record<string, Lookup<R>>>;
}

/** `self`: the user's own data, for that user alone. */
interface TableScope<R> {
  readonly readBy: Readable | 'self';
  readonly rows: RowScope<R>;
}

/** `none`: never synced; pages request the data when they open. */
export type EventScope = Readable | 'self' | 'none';

/**
 * The rows that a user may hold, besides the right to read the table:
 *
 *   company   those of the user's companies
 *   provider  all of them, for users who see all companies
 *   self      the user's own
 *   shared    the user's own, and shared ones for users who see all companies
 *   problem   those of problems that the user may hold; their events as for `provider`
 */
type RowScope<R> =
  | 'provider'
  | 'problem'
  | (R extends { readonly company: number } | CompanyRow ? 'company' : never)
  | (R extends { readonly user: string } | UserRow ? 'self' : never)
  | (R extends { readonly owner: string; readonly shared: boolean } ? 'shared' : never);

interface Lookup<R, V extends string | number | null = string | number | null> {
  readonly type: 'text' | 'bigint';
  readonly of: (row: R) => V;
}

/** Tables that devices hold as rows. */
export type ReplicatedTable = {
  [T in TableName]: (typeof TABLES)[T]['replicatedAs'] extends null ? never : T;
}[TableName];
export type ReplicatedAs<T extends ReplicatedTable> = NonNullable<
  (typeof TABLES)[T]['replicatedAs']
>;

export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];
export const REPLICATED_TABLES = TABLE_NAMES.filter(
  (name): name is ReplicatedTable => TABLES[name].replicatedAs !== null,
);

/** The events about a table, or about any of several. */
export type EventsAbout<T extends TableName> = T extends TableName
  ? keyof (typeof TABLES)[T]['events'] & EventType
  : never;
export interface LoggedAbout<T extends TableName> extends Logged {
  readonly event: EventOf<EventsAbout<T>>;
}

/** The table that each event is about. An event that no entry lists doesn't compile. */
export const TABLE_OF: Readonly<Record<EventType, TableName>> = Object.fromEntries(
  TABLE_NAMES.flatMap((name) => Object.keys(TABLES[name].events).map((type) => [type, name])),
) as { readonly [T in TableName as EventsAbout<T>]: T };

/** What a user must be allowed to read to get each event. */
export const EVENT_SCOPES = Object.assign(
  {},
  ...TABLE_NAMES.map((name) => TABLES[name].events),
) as Readonly<Record<EventType, EventScope>>;

/** Curried, so that the entry's own texts stay literal types while its row is named. */
function table<R>() {
  return <const E extends Entry<R>>(entry: E): E & { readonly '~row'?: R } => entry;
}

function text<R, V extends string | null>(of: (row: R) => V): Lookup<R, V> {
  return { type: 'text', of };
}
function number<R, V extends number | null>(of: (row: R) => V): Lookup<R, V> {
  return { type: 'bigint', of };
}
