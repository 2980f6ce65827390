import type * as v from 'valibot';
import { foldAccount, touchesAccount } from './auth/fold.ts';
import { PreferenceRowSchema } from './auth/preferences.ts';
import {
  foldBackupJobs,
  foldBackupProxies,
  foldBackupRepositories,
  foldOrganizations,
  touchesBackupJobs,
  touchesBackupProxies,
  touchesBackupRepositories,
  touchesOrganizations,
} from './backup/fold.ts';
import { BackupJobRowSchema } from './backup/jobs.ts';
import { OrganizationRowSchema } from './backup/organizations.ts';
import { BackupProxyRowSchema, BackupRepositoryRowSchema } from './backup/repositories.ts';
import {
  foldSubscriptions,
  SubscriptionRowSchema,
  touchesSubscriptions,
} from './billing/subscriptions.ts';
import {
  foldUsageMonths,
  touchesUsageMonths,
  UsageMonthRowSchema,
} from './billing/usage-months.ts';
import { foldPins, PinRowSchema, touchesPins } from './companies/pins.ts';
import { foldDailyChecks, touchesDailyChecks } from './daily-checks/fold.ts';
import { ShiftRowSchema } from './daily-checks/hand-over.ts';
import { ViewRowSchema } from './daily-checks/saved-views.ts';
import type { EventOf, Logged } from './events.ts';
import { foldHints, touchesHints } from './hints/fold.ts';
import { HintRowSchema } from './hints/hints.ts';
import { HintRatingRowSchema } from './hints/ratings.ts';
import { foldRestoreRoles, RestoreRoleRowSchema, touchesRestoreRoles } from './restore/roles.ts';
import {
  foldRestoreSessions,
  RestoreSessionRowSchema,
  touchesRestoreSessions,
} from './restore/sessions.ts';
import {
  foldRestoreRequests,
  RestoreRequestRowSchema,
  touchesRestoreRequests,
} from './restore/requests.ts';
import { foldRestoreTasks, RestoreTaskRowSchema, touchesRestoreTasks } from './restore/tasks.ts';
import { RuleRowSchema } from './rules/rules.ts';
import { foldMonitoring, touchesMonitoring } from './runs/fold.ts';
import {
  CauseRowSchema,
  ComputerRowSchema,
  JobRowSchema,
  KeyRowSchema,
  ProblemRowSchema,
  RepositoryRowSchema,
  RunRowSchema,
  StatRowSchema,
} from './runs/rows.ts';
import { TABLE_NAMES, TABLE_OF } from './tables.ts';
import type { EventsAbout, LoggedAbout, TableName, Tables } from './tables.ts';
import { foldTickets, touchesTickets } from './tickets/fold.ts';
import { TicketRowSchema } from './tickets/tickets.ts';
import { foldPeople, touchesPeople } from './users/fold.ts';
import { CompanyRowSchema, UserRowSchema } from './users/rows.ts';

export type RowId = number | string;

/** A table that a fold reads and writes. Rows are values: `set` replaces the whole row. */
export interface FoldTable<R> {
  get(id: RowId): R | undefined;
  set(id: RowId, row: R): void;
}

/** The tables that the caller maintains. A fold skips changes to tables that are missing here. */
export type Rows = { readonly [T in TableName]?: FoldTable<Tables[T]> };

/** Rows that folding an event may read or write, so that the caller can load them first. */
export type Touch = { readonly [T in TableName]: readonly [table: T, id: RowId] }[TableName];

const people = { fold: foldPeople, touches: touchesPeople };
const account = { fold: foldAccount, touches: touchesAccount };
const monitoring = { fold: foldMonitoring, touches: touchesMonitoring };
const dailyChecks = { fold: foldDailyChecks, touches: touchesDailyChecks };
const hints = { fold: foldHints, touches: touchesHints };
const tickets = { fold: foldTickets, touches: touchesTickets };

/** The schema of each table's rows, and the fold of the events about it. */
export const FOLDS: { readonly [T in TableName]: TableFold<T> } = {
  company: { row: CompanyRowSchema, ...people },
  user: { row: UserRowSchema, ...people },
  key: { row: KeyRowSchema, ...monitoring },
  job: { row: JobRowSchema, ...monitoring },
  stat: { row: StatRowSchema, ...monitoring },
  run: { row: RunRowSchema, ...monitoring },
  cause: { row: CauseRowSchema, ...monitoring },
  problem: { row: ProblemRowSchema, ...monitoring },
  computer: { row: ComputerRowSchema, ...monitoring },
  repository: { row: RepositoryRowSchema, ...monitoring },
  view: { row: ViewRowSchema, ...dailyChecks },
  hint: { row: HintRowSchema, ...hints },
  hintRating: { row: HintRatingRowSchema, ...monitoring },
  rule: { row: RuleRowSchema, ...monitoring },
  shift: { row: ShiftRowSchema, ...dailyChecks },
  preference: { row: PreferenceRowSchema, ...account },
  pin: { row: PinRowSchema, fold: foldPins, touches: touchesPins },
  ticket: { row: TicketRowSchema, ...tickets },
  organization: {
    row: OrganizationRowSchema,
    fold: foldOrganizations,
    touches: touchesOrganizations,
  },
  backupRepository: {
    row: BackupRepositoryRowSchema,
    fold: foldBackupRepositories,
    touches: touchesBackupRepositories,
  },
  backupProxy: {
    row: BackupProxyRowSchema,
    fold: foldBackupProxies,
    touches: touchesBackupProxies,
  },
  backupJob: { row: BackupJobRowSchema, fold: foldBackupJobs, touches: touchesBackupJobs },
  restoreSession: {
    row: RestoreSessionRowSchema,
    fold: foldRestoreSessions,
    touches: touchesRestoreSessions,
  },
  restoreTask: {
    row: RestoreTaskRowSchema,
    fold: foldRestoreTasks,
    touches: touchesRestoreTasks,
  },
  restoreRole: {
    row: RestoreRoleRowSchema,
    fold: foldRestoreRoles,
    touches: touchesRestoreRoles,
  },
  restoreRequest: {
    row: RestoreRequestRowSchema,
    fold: foldRestoreRequests,
    touches: touchesRestoreRequests,
  },
  subscription: {
    row: SubscriptionRowSchema,
    fold: foldSubscriptions,
    touches: touchesSubscriptions,
  },
  usageMonth: { row: UsageMonthRowSchema, fold: foldUsageMonths, touches: touchesUsageMonths },
};

interface TableFold<T extends TableName> {
  readonly row: v.GenericSchema<unknown, Tables[T]>;
  /** Applies an event about the table; it may change rows of other tables, too. */
  readonly fold: (rows: Rows, logged: LoggedAbout<T>) => void;
  readonly touches: (event: EventOf<EventsAbout<T>>) => readonly Touch[];
}

/**
 * Applies an event to the tables. It is deterministic: the result is the same on the server, on a
 * device and in a rebuild from event 0 (LOG-5).
 *
 * @throws Error if the log contradicts itself (LOG-7).
 */
export function fold(rows: Rows, logged: Logged): void {
  getFold(logged.event).fold(rows, logged);
}

export const touches = ({ event }: Pick<Logged, 'event'>): readonly Touch[] =>
  getFold(event).touches(event);

/** The fold of the table that the event is about, so it takes this event. */
const getFold = ({ type }: Logged['event']) =>
  FOLDS[TABLE_OF[type]] as {
    readonly fold: (rows: Rows, logged: Logged) => void;
    readonly touches: (event: Logged['event']) => readonly Touch[];
  };

/** Returns empty in-memory tables, for tests, rebuilds and the simulator. */
export const memoryRows = (): { readonly [T in TableName]: Map<RowId, Tables[T]> } =>
  emptyTables(TABLE_NAMES);

/** Returns an empty map for each of these tables. */
export const emptyTables = <T extends TableName>(
  names: readonly T[],
): { readonly [N in T]: Map<RowId, Tables[N]> } =>
  Object.fromEntries(names.map((name) => [name, new Map()])) as {
    readonly [N in T]: Map<RowId, Tables[N]>;
  };
