import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Actor, NewEvent, Logged } from '#contract/events.ts';
import type { Id, TableName, Tables } from '#contract/fold.ts';
import type { CommandId, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { Database } from './database.ts';
import type { DiskSpace } from './space.ts';

/** The one way to data. PGlite and PostgreSQL behave alike behind it. */
export interface Store {
  readonly kind: 'pglite' | 'postgres';
  /**
   * The only function that opens a transaction for a tenant: role, tenant and isolation are set
   * before `work` sees it.
   */
  tenant<T>(tenant: TenantId, work: (tx: TenantTx) => Promise<T>, how?: How): Promise<T>;
  /** For the few tables that no tenant owns (hosts, key index, migrations). */
  system<T>(work: (db: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Told after each commit that appended. A hint only: everything works without it (S13). */
  onAppend(listener: (tenant: TenantId, head: number) => void): () => void;
  tenants(): Promise<readonly TenantId[]>;
  /** The disk of the embedded database; null where the database is in memory or elsewhere. */
  space(): Promise<DiskSpace | null>;
  close(): Promise<void>;
}

/**
 * `long`: its statements may take minutes (a rebuild, a report over years). Others are given up
 * after half a minute.
 */
export interface How {
  readonly readOnly?: boolean;
  readonly long?: boolean;
}

export interface Head {
  readonly seq: number;
  readonly epoch: string;
}
export type Counter = 'company' | 'job' | 'run' | 'problem' | 'cause';

export interface By {
  readonly actor: Actor;
  readonly subject: UserId | null;
  readonly commandId: CommandId | null;
  readonly at: Ms;
}

/** Numbers of each kind. */
export type Numbers = Readonly<Record<Counter, number>>;

export interface TenantTx {
  readonly tenant: TenantId;
  /**
   * For statements of the areas. Every one carries `tenant_id = …` besides the policy: each must
   * hold alone.
   */
  readonly sql: Transaction<Database>;
  head(): Promise<Head>;
  /**
   * The first of `count` new numbers in a row. Locks the tenant's head row until the end of the
   * transaction.
   */
  take(counter: Counter, count: number): Promise<number>;
  /**
   * Locks the tenant's head row until the end of the transaction and answers the next number of
   * each kind, none of them taken.
   */
  lock(): Promise<Numbers>;
  /**
   * What an area remembers of this tenant from one transaction to the next, made where there is
   * none. Asked for under the lock of the head row; it is lost when somebody else has appended or a
   * transaction fails, so it must follow from the rows and be kept in step by whoever changes them.
   */
  memory<T extends object>(name: string, make: () => T): T;
  /** Rows by id, those that exist. */
  rows<T extends TableName>(table: T, ids: readonly Id[]): Promise<Map<Id, Tables[T]>>;
  /** All rows of a table, for the small ones. */
  all<T extends TableName>(table: T): Promise<Tables[T][]>;
  /**
   * Checks, numbers, writes and folds the events, and writes the rows they change: all of it or
   * nothing (LOG-3). `by`: of all of them, or of each. `taken`: how many new numbers of each kind
   * they use.
   */
  append(
    drafts: readonly NewEvent[],
    by: By | readonly By[],
    taken?: Partial<Numbers>,
  ): Promise<readonly Logged[]>;
  /**
   * A statement that answers nothing, behind those before it. What it fails of is what the
   * transaction fails of.
   */
  send(statement: CompiledQuery): void;
  /** Events after `seq`, at most `limit`, in order. */
  eventsAfter(seq: number, limit: number): Promise<Logged[]>;
}

export type Db = Kysely<Database>;
