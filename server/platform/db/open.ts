import { AsyncLocalStorage } from 'node:async_hooks';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';
import { flushFolder } from '../flush-files.ts';
import { endLoss, hasLoss } from './acknowledged.ts';
import { type BaseCopies, makeBaseCopies } from './base-copies.ts';
import { type AppendHints, connectAppendHints, NO_APPEND_HINTS } from './append-hints.ts';
import { connectPglite, connectPostgres } from './connect.ts';
import type { Database } from './database.ts';
import { LONG_MESSAGE_MS, MESSAGE_MS } from './embedded.ts';
import { distributeNewTables } from './distribute.ts';
import { changeEpochs, getEnterStatement } from './epochs.ts';
import { limitLog } from './limit-log.ts';
import { holdFolder } from './lock.ts';
import { logMigrations, migrate, refuseOtherVersion } from './migrate.ts';
import { APP_ROLE } from './migrations/migration.ts';
import { holdPresence, NO_PRESENCE, type Presence } from './presence.ts';
import { isDiskFull, retrying, StoreError } from './retry.ts';
import { isPaused, type SpaceWatch, watchSpace } from './space.ts';
import type { Db, How, Store } from './store.ts';
import { inTransaction } from './transact.ts';
import { vacuumTables } from './vacuum-tables.ts';
import { tenantTx } from '../events/transaction.ts';
import { makeFairMutex } from './fair-mutex.ts';
import { makeRowCache } from '../events/row-cache.ts';

export interface StoreOptions {
  /** Its folder `pg` holds the embedded database. Ignored with `databaseUrl` or `memory`. */
  readonly dataDir: string;
  /** PostgreSQL 15 or newer instead of the embedded database. */
  readonly databaseUrl: string | null;
  /**
   * Whether the embedded database in a folder is on disk before a transaction ends, so that a power
   * cut loses nothing. On by default.
   */
  readonly flushes?: boolean;
  /**
   * Where the log of the embedded database may end although more was acknowledged: what a start that
   * refuses says. All devices reload then.
   */
  readonly acceptedLoss?: string | null;
  readonly log: Log;
  readonly clock: Clock;
  /** An embedded database in memory, for tests. `image` is a migrated folder to start from. */
  readonly memory?: boolean;
  readonly image?: Blob;
  /** A database of another version is refused instead of changed. Only on PostgreSQL. */
  readonly mustBeCurrent?: boolean;
  /** How many connections to PostgreSQL at most; 10 by default. */
  readonly connections?: number;
}

/** A store with the methods for its owner. */
export interface OpenStore extends Store {
  /**
   * Runs `work` while no other server on this database runs any, for the first start. On
   * PostgreSQL, a session lock on its own connection excludes the others and ends with the server.
   * A folder of the embedded database has only one server.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs one transaction over all tenants, a snapshot if `readOnly`: only for backup and restore.
   * `enter` selects whose rows are visible from then on.
   */
  across<T>(
    work: (sql: Transaction<Database>, enter: (tenant: TenantId) => Promise<void>) => Promise<T>,
    how: { readonly readOnly: boolean },
  ): Promise<T>;
  /** Makes copies of the embedded database while it runs; null for any other. */
  readonly copies: BaseCopies | null;
}

/**
 * Opens the database and migrates its tables to this version.
 * @throws FolderHeld if another process owns the folder.
 */
export async function openStore({
  dataDir,
  databaseUrl,
  flushes = true,
  acceptedLoss = null,
  log,
  clock,
  memory = false,
  image,
  mustBeCurrent = false,
  connections,
}: StoreOptions): Promise<OpenStore> {
  if (databaseUrl !== null) {
    const db = connectPostgres(databaseUrl, log, connections);
    return begin({
      db,
      kind: 'postgres',
      clock,
      log,
      space: null,
      allow: () => undefined,
      flushes: true,
      finishFlush: () => Promise.resolve(),
      announce: (owner) => holdPresence(databaseUrl, owner, clock, log),
      shareHints: (onAppended) => connectAppendHints(databaseUrl, clock, log, onAppended),
      close: () => db.destroy(),
      mustBeCurrent,
      distributeNew: () => distributeNewTables(databaseUrl),
    });
  }
  if (memory)
    return begin({
      ...(await connectPglite(
        { dir: null, image: image ?? null, flushes: false },
        log,
        clock,
        null,
      )),
      kind: 'pglite',
      announce: () => NO_PRESENCE,
      shareHints: () => NO_APPEND_HINTS,
      clock,
      log,
      space: null,
      flushes: false,
    });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const hold = await holdFolder(dataDir, clock.now());
  let space: SpaceWatch | null = null;
  try {
    const watch = (space = await watchSpace(dataDir, clock, log));
    const dir = await ownFolder(join(dataDir, 'pg'));
    flushFolder(dataDir);
    const { close, ...connected } = await connectPglite(
      { dir, image: null, flushes, acceptedLoss },
      log,
      clock,
      watch,
    );
    const logLimit = limitLog(connected.db, clock, log, connected.allow);
    const stopVacuum = vacuumTables(connected.db, clock, log, connected.allow, {
      isPaused: async () => isPaused((await watch.look()).state),
    });
    const store = await begin({
      ...connected,
      kind: 'pglite',
      copies: makeBaseCopies(connected.db, logLimit, connected.allow),
      announce: () => NO_PRESENCE,
      shareHints: () => NO_APPEND_HINTS,
      clock,
      log,
      space: watch,
      flushes,
      close: async () => {
        watch.stop();
        await stopVacuum();
        await logLimit.stop();
        await close();
        await hold.release();
      },
    });
    if (hasLoss(dir)) {
      await store.across(
        (sql) =>
          changeEpochs((text, values) => sql.executeQuery(CompiledQuery.raw(text, [...values]))),
        { readOnly: false },
      );
      endLoss(dir);
      log.warn('the end of the database was lost, as accepted: all devices reload');
    }
    return store;
  } catch (error) {
    space?.stop();
    await hold.release();
    throw error;
  }
}

/**
 * Creates a folder that only its owner may enter, even inside somebody else's folder: otherwise
 * others could change the files of the embedded database.
 */
async function ownFolder(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  return dir;
}

/**
 * `allow`: sets how long a statement of the embedded database may take. `flushes`: what is committed
 * is on disk. `finishFlush` resolves when everything that was read and written so far is on disk.
 * `close` ends the connections and releases their resources.
 */
interface Base {
  readonly db: Db;
  readonly kind: Store['kind'];
  readonly clock: Clock;
  readonly log: Log;
  readonly space: SpaceWatch | null;
  readonly allow: (ms: Ms) => void;
  readonly flushes: boolean;
  readonly finishFlush: () => Promise<void>;
  readonly announce: (owner: string) => Presence;
  readonly shareHints: (onAppended: (tenant: TenantId) => void) => AppendHints;
  readonly close: () => Promise<void>;
  readonly mustBeCurrent?: boolean;
  /** Distributes new tables over the nodes of Citus. */
  readonly distributeNew?: () => Promise<unknown>;
  readonly copies?: BaseCopies;
}

async function begin(base: Base): Promise<OpenStore> {
  const { db, clock, log } = base;
  try {
    base.allow(LONG_MESSAGE_MS);
    const migrations = await retrying(
      clock,
      () => (base.mustBeCurrent === true ? refuseOtherVersion(db) : migrate(db)),
      () => false,
    );
    if (migrations.length > 0) {
      logMigrations(log, migrations);
      await base.distributeNew?.();
    }
    return getStore(base);
  } catch (error) {
    await base.close();
    throw error;
  }
}

function getStore(base: Base): OpenStore {
  const { db, kind, clock, log, space, allow, announce, close } = base;
  const listeners = new Set<(tenant: TenantId, head: number) => void>();
  const anywhere = new Set<(tenant: TenantId) => void>();
  const jobListeners = new Set<(dueAt: Ms) => void>();
  let hints = NO_APPEND_HINTS;
  const warm = makeRowCache();
  const turns = makeFairMutex(clock);
  const inside = new AsyncLocalStorage<{ open: boolean }>();

  /** May run `work` again, so `work` must have no effects outside its transaction. */
  async function transact<T>(
    tenant: TenantId | null,
    { readOnly = false, long = false }: How,
    work: (tx: Transaction<Database>) => Promise<T>,
  ): Promise<T> {
    // The embedded database has one connection: the inner transaction would wait for the outer one
    // forever.
    if (inside.getStore()?.open === true)
      throw new Error('A transaction was opened inside another.');
    let committing = false;
    const patience = long ? LONG_MESSAGE_MS : MESSAGE_MS;
    return retrying(
      clock,
      async () => {
        committing = false;
        const place = { open: true };
        const paused = !readOnly && space !== null && isPaused((await space.look()).state);
        const begin = [
          ...getBeginStatements(tenant, readOnly, paused),
          ...(kind === 'postgres' ? [`set local statement_timeout = ${patience}`] : []),
        ].join('; ');
        const on = {
          begin: () => {
            allow(patience);
          },
          commit: () => {
            committing = true;
          },
        };
        try {
          return await inside.run(place, () => inTransaction(db, begin, work, on));
        } catch (error) {
          if (isDiskFull(error)) space?.expire();
          throw paused && isRefusedWrite(error) ? new StoreError('disk-full', error) : error;
        } finally {
          place.open = false;
        }
      },
      () => committing,
    );
  }

  /**
   * Waits until the disk has what a transaction wrote, and what it read, which may be another one's.
   * Only then may anybody learn of it.
   * @throws StoreError if the disk fails, so that it is unknown what it has.
   */
  async function onDisk({ readOnly = false }: How): Promise<void> {
    try {
      await base.finishFlush();
    } catch (error) {
      warm.clear();
      if (isDiskFull(error)) space?.expire();
      throw new StoreError(
        isDiskFull(error) ? 'disk-full' : readOnly ? 'connection' : 'unknown',
        error,
      );
    }
  }

  /** A transaction over all providers, or of the server itself. */
  async function transactAlone<T>(
    how: How,
    work: (tx: Transaction<Database>) => Promise<T>,
  ): Promise<T> {
    const value = await transact(null, how, work);
    await onDisk(how);
    return value;
  }

  /** The transaction has committed: no error of a listener may make it look as if it had failed. */
  function notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      log.error('a listener of the database failed', { error });
    }
  }

  function notifyHead(tenant: TenantId, head: number): void {
    for (const listener of listeners)
      notify(() => {
        listener(tenant, head);
      });
    notifyAnywhere(tenant);
    notify(() => {
      hints.send(tenant);
    });
  }

  function notifyAnywhere(tenant: TenantId): void {
    for (const listener of anywhere)
      notify(() => {
        listener(tenant);
      });
  }

  return {
    kind,
    async tenant(tenant, work, how = {}) {
      let own: ReturnType<typeof tenantTx> | null = null;
      try {
        const [value, done] = await transact(tenant, how, async (sql) => {
          own?.ended();
          const one = (own = tenantTx(tenant, sql, warm, turns));
          return [await one.run(work), one] as const;
        });
        // The next transaction of this provider begins while this one waits for the disk.
        const reached = done.committed();
        done.ended();
        notify(() => how.onCommit?.());
        await onDisk(how);
        if (reached !== null) notifyHead(tenant, reached);
        const { jobsDueAt } = done;
        if (jobsDueAt !== null) {
          for (const listener of jobListeners)
            notify(() => {
              listener(jobsDueAt);
            });
        }
        return value;
      } finally {
        (own as ReturnType<typeof tenantTx> | null)?.ended();
      }
    },
    exclusively: (work) =>
      kind === 'pglite'
        ? work()
        : db.connection().execute(async (connection) => {
            const ask = (name: string): Promise<boolean> =>
              connection
                .executeQuery<{ got: boolean }>(
                  CompiledQuery.raw(`select ${name}(${FIRST_START_LOCK}) as got`),
                )
                .then(({ rows }) => rows[0]?.got === true);
            while (!(await ask('pg_try_advisory_lock')))
              await new Promise<void>((resolve) => {
                clock.after(LOCK_POLL_MS, resolve);
              });
            try {
              return await work();
            } finally {
              await ask('pg_advisory_unlock');
            }
          }),
    across: (work, { readOnly }) =>
      transactAlone({ readOnly, long: true }, (sql) =>
        work(
          sql,
          async (tenant) =>
            void (await sql.executeQuery(CompiledQuery.raw(getEnterStatement(tenant)))),
        ),
      ),
    system: (work) => transactAlone({}, work),
    onAppend(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onAppendAnywhere(listener) {
      anywhere.add(listener);
      return () => void anywhere.delete(listener);
    },
    shareHints: () => (hints = base.shareHints(notifyAnywhere)),
    onJobScheduled(listener) {
      jobListeners.add(listener);
      return () => void jobListeners.delete(listener);
    },
    space: async () => (space === null ? null : { ...(await space.look()), flushes: base.flushes }),
    announce,
    copies: base.copies ?? null,
    tenants: () =>
      transactAlone({ readOnly: true }, async (sql) =>
        (
          await sql.selectFrom('tenant_list').select('tenant_id').orderBy('tenant_id').execute()
        ).map((one) => one.tenant_id),
      ),
    close,
  };
}

/** An arbitrary number that no other lock uses. It must never change. */
const FIRST_START_LOCK = 7_203_412;
const LOCK_POLL_MS = 200;

/**
 * Sets the role and tenant for this transaction. As statements, because on Citus `set_config` stays
 * on one node.
 */
const getBeginStatements = (
  tenant: TenantId | null,
  readOnly: boolean,
  paused: boolean,
): readonly string[] => [
  readOnly
    ? 'begin isolation level repeatable read, read only'
    : paused
      ? 'begin read only'
      : 'begin',
  `set local role ${APP_ROLE}`,
  ...(tenant === null ? [] : [getEnterStatement(tenant)]),
];

/** The error is a write refused in a read-only transaction, or follows from one. */
const isRefusedWrite = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '25006' || error.code === '25P02');
