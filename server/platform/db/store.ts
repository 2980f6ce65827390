import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Actor, NewEvent, Logged } from '#contract/events.ts';
import type { RowId } from '#contract/fold.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import type { CommandId, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { Folded } from '../events/folding.ts';
import type { RowsBefore } from '../events/projection.ts';
import type { AppendHints } from './append-hints.ts';
import type { Database } from './database.ts';
import type { Presence } from './presence.ts';
import type { DatabaseDisk } from './space.ts';

/** The only access to data. PGlite and PostgreSQL behave the same behind it. */
export interface Store {
  readonly kind: 'pglite' | 'postgres';
  /**
   * The only function that opens a transaction for a tenant. It sets role, tenant and isolation
   * before `work` runs.
   */
  tenant<T>(tenant: TenantId, work: (tx: TenantTx) => Promise<T>, how?: How): Promise<T>;
  /** For the few tables that no tenant owns (hosts, key index, migrations). */
  system<T>(work: (db: Transaction<Database>) => Promise<T>): Promise<T>;
  /**
   * Calls `listener` after each commit that appended. Only a hint: everything works without it
   * (SYNC-5).
   */
  onAppend(listener: (tenant: TenantId, head: number) => void): () => void;
  /**
   * The same for commits of every server on this database that shares hints. Those of other servers
   * arrive within moments, or not at all.
   */
  onAppendAnywhere(listener: (tenant: TenantId) => void): () => void;
  /** Begins to notify other servers of appends, and to listen for theirs. Only PostgreSQL has others. */
  shareHints(): AppendHints;
  /**
   * Calls `listener` after each commit that scheduled a background job, with its due time. Only a
   * hint: jobs run without it, but later.
   */
  onJobScheduled(listener: (dueAt: Ms) => void): () => void;
  /** Shows the other servers on this database that this one lives, until it ends. */
  announce(owner: string): Presence;
  tenants(): Promise<readonly TenantId[]>;
  /** Returns the disk of the embedded database; null if the database is in memory or elsewhere. */
  space(): Promise<DatabaseDisk | null>;
  close(): Promise<void>;
}

/**
 * `long`: its statements may take minutes (a rebuild, a report over years). Other statements are
 * canceled after half a minute. `onCommit` is called after the commit, which may not be on disk
 * yet: don't publish it before the transaction resolves.
 */
export interface How {
  readonly readOnly?: boolean;
  readonly long?: boolean;
  readonly onCommit?: () => void;
}

export interface HeadPosition {
  readonly seq: number;
  readonly epoch: string;
}
/** `cut`: the last archived event. The log in the database begins after it; 0: with the first event. */
export interface LogHead extends HeadPosition {
  readonly cut: number;
}
export type Counter = 'company' | 'job' | 'run' | 'problem' | 'cause';

export interface EventMeta {
  readonly actor: Actor;
  readonly subject: UserId | null;
  readonly commandId: CommandId | null;
  readonly at: Ms;
}

/** The author of what happens without a user. */
export const byClock = (at: Ms): EventMeta => ({
  actor: { kind: 'clock' },
  subject: null,
  commandId: null,
  at,
});

/** The next number of each kind. */
export type CounterValues = Readonly<Record<Counter, number>>;

export interface TenantTx {
  readonly tenant: TenantId;
  /**
   * For statements of the features. Each one must filter by `tenant_id = …` in addition to the
   * policy: either alone must be sufficient.
   */
  readonly sql: Transaction<Database>;
  head(): Promise<LogHead>;
  /**
   * Reserves `count` consecutive new numbers and returns the first. Locks the tenant's head row
   * until the end of the transaction.
   */
  take(counter: Counter, count: number): Promise<number>;
  /**
   * Locks the tenant's head row until the end of the transaction and returns the next number of
   * each kind. Takes none of them.
   */
  lock(): Promise<CounterValues>;
  /**
   * Returns a feature's cache for this tenant across transactions, created on first use. Requires
   * the lock of the head row. The cache is lost when another server appends or a transaction fails,
   * so it must be derivable from the rows, and whoever changes the rows must update it.
   */
  memory<T extends object>(name: string, make: () => T): T;
  /** Runs `read` at the first call with this name in this transaction. Later calls share its result. */
  once<T>(name: string, read: () => Promise<T>): Promise<T>;
  /** Returns the existing rows by id. */
  rows<T extends TableName>(table: T, ids: readonly RowId[]): Promise<Map<RowId, Tables[T]>>;
  /**
   * Loads rows into `loaded`. Requires the lock of the head row, as does what reads them.
   */
  load(table: TableName, ids: Iterable<RowId>): Promise<void>;
  /**
   * The rows that this transaction has loaded and appended. Reading a row that was not loaded
   * throws, except under a number that is not taken yet: there is none.
   */
  readonly loaded: Required<RowsBefore>;
  /** Returns all rows of a table. For small tables. */
  all<T extends TableName>(table: T): Promise<Tables[T][]>;
  /**
   * Validates, numbers, writes and folds the events, and writes the changed rows: all or nothing
   * (LOG-3). `by`: the actor of all events, or of each. `taken`: how many new numbers of each kind
   * they use.
   */
  append(
    drafts: readonly NewEvent[],
    by: EventMeta | readonly EventMeta[],
    taken?: Partial<CounterValues>,
  ): Promise<readonly Logged[]>;
  /**
   * The same for events that were folded over `loaded`: their rows are written as they are.
   */
  appendFolded(folded: Folded, taken: Partial<CounterValues>): Promise<void>;
  /**
   * Sends a statement without waiting for its result, after those before it. If it fails, the
   * transaction fails.
   */
  send(statement: CompiledQuery): void;
  /**
   * Sends one statement before the commit, for all values with this name, in order: the one that
   * `makeStatement` of the first call makes. Nothing reads what it writes earlier in the transaction.
   */
  sendLast<T>(
    name: string,
    value: T,
    makeStatement: (values: readonly T[]) => CompiledQuery | null,
  ): void;
  /** After the commit, wakes the job runner of this server at this time. */
  wakeJobs(dueAt: Ms): void;
  /** Returns at most `limit` events after `seq`, in order. */
  eventsAfter(seq: number, limit: number): Promise<Logged[]>;
}

export type Db = Kysely<Database>;
