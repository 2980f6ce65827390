import type { Logged } from './events.ts';
import type {
  CauseRow,
  ComputerRow,
  JobRow,
  KeyRow,
  ProblemRow,
  RepositoryRow,
  RunRow,
  StatRow,
} from './runs/rows.ts';
import { foldMonitoring, touchesMonitoring } from './runs/fold.ts';
import { foldPeople, touchesPeople } from './users/fold.ts';
import { foldAccount, touchesAccount } from './auth/fold.ts';
import { foldDesk, touchesDesk } from './tickets/fold.ts';
import type { TicketRow } from './tickets/tickets.ts';
import type { PreferenceRow } from './auth/preferences.ts';
import type { ShiftRow } from './daily-checks/hand-over.ts';
import type { HintRow } from './hints/hints.ts';
import type { RuleRow } from './rules/rules.ts';
import type { ViewRow } from './daily-checks/saved-views.ts';
import type { CompanyRow, UserRow } from './users/rows.ts';

export interface Tables {
  company: CompanyRow;
  user: UserRow;
  key: KeyRow;
  job: JobRow;
  stat: StatRow;
  run: RunRow;
  cause: CauseRow;
  problem: ProblemRow;
  computer: ComputerRow;
  repository: RepositoryRow;
  view: ViewRow;
  rule: RuleRow;
  hint: HintRow;
  shift: ShiftRow;
  preference: PreferenceRow;
  ticket: TicketRow;
}
export type TableName = keyof Tables;
export type Id = number | string;

/** A table that a fold reads and writes. Rows are values: `set` replaces the whole row. */
export interface Table<R> {
  get(id: Id): R | undefined;
  set(id: Id, row: R): void;
}

/** The tables that the caller maintains. A fold skips changes to tables that are missing here. */
export type Rows = { readonly [T in TableName]?: Table<Tables[T]> };

/** Rows that folding an event may read or write, so that the caller can load them first. */
export type Touch = { readonly [T in TableName]: readonly [table: T, id: Id] }[TableName];

const PEOPLE = new Set([
  'company.made@1',
  'company.changed@1',
  'company.deleted@1',
  'user.made@1',
  'user.scoped@1',
  'user.changed@1',
  'user.deleted@1',
  'user.removed@1',
]);

/**
 * Applies an event to the tables. It is deterministic: the result is the same on the server, on a
 * device and in a rebuild from event 0 (LOG-5).
 *
 * @throws Error if the log contradicts itself (LOG-7).
 */
export function fold(rows: Rows, logged: Logged): void {
  if (!foldPeople(rows, logged) && !foldAccount(rows, logged) && !foldDesk(rows, logged))
    foldMonitoring(rows, logged);
}

export function touches(logged: Pick<Logged, 'event'>): Touch[] {
  const { event } = logged;
  return PEOPLE.has(event.type)
    ? touchesPeople(event)
    : [...touchesAccount(event), ...touchesDesk(event), ...touchesMonitoring(event)];
}

/** Returns empty in-memory tables, for tests, rebuilds and the simulator. */
export function memoryRows(): { readonly [T in TableName]: Map<Id, Tables[T]> } {
  return {
    company: new Map(),
    user: new Map(),
    key: new Map(),
    job: new Map(),
    stat: new Map(),
    run: new Map(),
    cause: new Map(),
    problem: new Map(),
    computer: new Map(),
    repository: new Map(),
    view: new Map(),
    rule: new Map(),
    hint: new Map(),
    shift: new Map(),
    preference: new Map(),
    ticket: new Map(),
  };
}
