import { CompiledQuery, type Transaction } from 'kysely';
import type { Actor, Logged } from '#contract/events.ts';
import type { RowId } from '#contract/fold.ts';
import { renameActor, renameEvent } from '#contract/former-events.ts';
import { TABLE_NAMES, TABLES } from '#contract/tables.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import type { CommandId, Ms, TenantId, UserId } from '#contract/ids.ts';
import { append, appendFolded, type WriteContext, type PendingStatements } from './append.ts';
import { unnestParams, parameters } from '../db/bulk.ts';
import type { Database } from '../db/database.ts';
import type { Counter, HeadPosition, LogHead, CounterValues, TenantTx } from '../db/store.ts';
import { prepared } from '../db/prepared.ts';
import { sqlName } from '../db/projected-tables.ts';
import type { Release, FairMutex } from '../db/fair-mutex.ts';
import { makeLastStatements } from './last-statements.ts';
import { makeLogChain, type SealedEnd } from './log-hash.ts';
import { nothingKnown, type RowCache } from './row-cache.ts';

export interface OwnTx {
  readonly tx: TenantTx;
  /**
   * Runs the work and resolves when everything it sent is written, so that the transaction can
   * commit.
   */
  run<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
  /**
   * Call after the commit. Returns the head that its appends reached; null if it appended nothing.
   */
  committed(): number | null;
  /** When the earliest background job that it scheduled is due; null if it scheduled none. */
  readonly jobsDueAt: Ms | null;
  ended(): void;
}

export function tenantTx(
  tenant: TenantId,
  sql: Transaction<Database>,
  warm: RowCache,
  turns: FairMutex,
): OwnTx {
  // Once the head row is locked, nobody else changes rows, so rows read since then stay valid in
  // the cache.
  let { cached, brought, memory } = nothingKnown();
  let lock: HeadRecord | null = null;
  let appended = false;
  let jobsDueAt: Ms | null = null;
  let release: Promise<Release> | null = null;
  const results = new Map<string, Promise<unknown>>();
  /** Call before the first statement that locks the head row. */
  const turn = async (): Promise<void> => void (await (release ??= turns.next(tenant)));
  const end = async (): Promise<void> => {
    (await release)?.();
  };

  const sent = sending();
  const send = (statement: CompiledQuery): void => {
    sent.add(sql.executeQuery(statement));
  };
  const chain = makeLogChain(tenant, send);
  const last = makeLastStatements(send);
  /** By how much the head row has yet to be raised. */
  let unsent: { readonly count: number; readonly taken: Partial<CounterValues> } | null = null;

  /** `raised`: how many events the same statement added. */
  function lockedAt(row: HeadRecord | undefined, raised = 0): HeadRecord {
    if (!row) throw new Error('There is no such provider.');
    if (lock === null)
      ({ cached, brought, memory } = warm.take(tenant, row.epoch, row.seq - raised) ?? {
        cached,
        brought,
        memory,
      });
    return (lock = row);
  }

  /**
   * Raises the head by the number of events, and the counters by the numbers taken. Returns the
   * previous head. Nobody else can change a locked head: its new value is known, and `sendRaise` writes
   * it once for the whole transaction.
   */
  async function raise(count: number, taken: Partial<CounterValues>): Promise<HeadRecord> {
    await turn();
    let before = lock;
    if (before === null) {
      const row = await askToRaise(count, taken);
      before = moved(lockedAt(row, count), count, taken, -1);
    } else {
      lock = moved(before, count, taken, 1);
      unsent = {
        count: (unsent?.count ?? 0) + count,
        taken: Object.fromEntries(
          COUNTERS.map((one) => [one, (unsent?.taken[one] ?? 0) + (taken[one] ?? 0)]),
        ),
      };
    }
    for (const counter of COUNTERS) fresh(counter, before[counter], taken[counter] ?? 0);
    return before;
  }

  const askToRaise = (
    count: number,
    taken: Partial<CounterValues>,
  ): Promise<HeadRecord | undefined> =>
    ask(RAISE, [tenant, count, ...COUNTERS.map((counter) => taken[counter] ?? 0)]);

  function sendRaise(): void {
    const after = lock;
    if (unsent === null || after === null) return;
    const { count, taken } = unsent;
    unsent = null;
    sent.add(askToRaise(count, taken).then((row) => checkHead(row, after)));
  }

  const ask = async (
    statement: string,
    values: readonly unknown[],
  ): Promise<HeadRecord | undefined> =>
    ((await sql.executeQuery(CompiledQuery.raw(statement, [...values]))).rows as HeadRecord[])[0];

  /** A number just taken has no row yet. */
  function fresh(counter: Counter, first: number, count: number): void {
    for (const name of TABLES_OF[counter])
      for (let n = first; n < first + count; n++) brought[name].add(n);
  }

  const context: WriteContext = {
    tenant,
    sql,
    get cached() {
      return cached;
    },
    sent,
    chain,
    last,
    async raise(count, taken) {
      const { seq } = await raise(count, taken);
      appended = true;
      return seq;
    },
    async loadRows(table, ids) {
      const missing: RowId[] = [];
      for (const id of ids) if (!brought[table].has(id)) missing.push(id);
      if (missing.length === 0) return;
      const rows = cached[table] as Map<RowId, unknown>;
      for (const [id, row] of await read(table, missing)) rows.set(id, row);
      for (const id of missing) brought[table].add(id);
    },
  };

  const loaded = Object.fromEntries(
    TABLE_NAMES.map((name) => [
      name,
      {
        get(id: RowId) {
          const row = cached[name].get(id);
          if (row === undefined && !brought[name].has(id) && !isUntaken(name, id))
            throw new Error(`Row ${id} of ${name} was not loaded.`);
          return row;
        },
      },
    ]),
  ) as unknown as TenantTx['loaded'];

  /** A number that no statement has taken has no row. */
  function isUntaken(name: TableName, id: RowId): boolean {
    const counter = COUNTER_OF[name];
    return lock !== null && counter !== undefined && (id as number) >= lock[counter];
  }

  async function read<T extends TableName>(
    name: T,
    ids: readonly RowId[],
  ): Promise<Map<RowId, Tables[T]>> {
    const id = TABLES[name].key;
    const columns = [{ name: id, type: id === 'n' ? 'bigint' : 'text' }] as const;
    // Finds each row by its key, whatever the planner estimates: a join read all rows of the
    // tenant.
    const { rows } = await sql.executeQuery(
      CompiledQuery.raw(
        `select x.${id} as id, (select t.row from ${sqlName(name)} as t where t.tenant_id = $1::uuid and t.${id} = x.${id}) as row from ${unnestParams(columns, 2)}`,
        [
          tenant,
          ...parameters(
            columns,
            ids.map((one) => ({ [id]: one })),
          ),
        ],
      ),
    );
    return new Map(
      (rows as { id: RowId; row: Tables[T] | null }[]).flatMap((one) =>
        one.row === null ? [] : [[one.id, one.row] as const],
      ),
    );
  }

  const tx: TenantTx = {
    tenant,
    sql,
    async head(): Promise<LogHead> {
      sendRaise();
      const row = await sql
        .selectFrom('head')
        .select(['seq', 'epoch', 'cut_seq as cut'])
        .where('tenant_id', '=', tenant)
        .executeTakeFirst();
      if (!row) throw new Error('There is no such provider.');
      return row;
    },
    take: async (counter, count) => (await raise(0, { [counter]: count }))[counter],
    async lock() {
      await turn();
      return lock ?? lockedAt(await ask(LOCK, [tenant]));
    },
    memory<T extends object>(name: string, make: () => T): T {
      if (lock === null)
        throw new Error('What is remembered holds only under the lock of the head row.');
      let one = memory.get(name) as T | undefined;
      if (one === undefined) memory.set(name, (one = make()));
      return one;
    },
    once<T>(name: string, read: () => Promise<T>): Promise<T> {
      const known = results.get(name) as Promise<T> | undefined;
      if (known) return known;
      const result = read();
      results.set(name, result);
      result.catch(() => results.delete(name));
      return result;
    },
    async rows(table, ids) {
      if (lock === null) return read(table, ids);
      await context.loadRows(table, ids);
      const rows: ReadonlyMap<RowId, Tables[typeof table]> = cached[table];
      return new Map(
        ids.flatMap((id) => {
          const row = rows.get(id);
          return row === undefined ? [] : [[id, row] as const];
        }),
      );
    },
    async load(table, ids) {
      if (lock === null) throw new Error('Rows are loaded only under the lock of the head row.');
      await context.loadRows(table, ids);
    },
    loaded,
    async all<T extends TableName>(name: T) {
      const { rows } = await sql.executeQuery(
        CompiledQuery.raw(
          `select row from ${sqlName(name)} where tenant_id = $1 order by ${TABLES[name].key}`,
          [tenant],
        ),
      );
      return (rows as { row: Tables[T] }[]).map((one) => one.row);
    },
    append: (drafts, by, taken) => append(context, drafts, by, taken),
    appendFolded: (folded, taken) => appendFolded(context, folded, taken),
    send,
    sendLast: (name, value, makeStatement) => {
      last.add(name, value, makeStatement);
    },
    wakeJobs(dueAt) {
      jobsDueAt = Math.min(jobsDueAt ?? dueAt, dueAt);
    },
    async eventsAfter(seq, limit) {
      const rows = await sql
        .selectFrom('event')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(toLogged);
    },
  };
  return {
    tx,
    async run(work) {
      try {
        const value = await work(tx);
        sendRaise();
        if (lock !== null) chain.send(lock);
        last.send();
        await sent.all();
        return value;
      } catch (error) {
        // A statement after a failed one fails only because of that one.
        if ((error as { readonly code?: unknown }).code === '25P02') await sent.all();
        throw error;
      }
    },
    committed() {
      if (lock !== null) warm.give(tenant, lock.epoch, lock.seq, { cached, brought, memory });
      return appended && lock !== null ? lock.seq : null;
    },
    get jobsDueAt() {
      return jobsDueAt;
    },
    ended: () => void end(),
  };
}

/** Tracks statements in flight, in order. */
function sending(): PendingStatements {
  let supplied: Promise<unknown>[] = [];
  return {
    add(statement) {
      statement.catch(() => undefined);
      supplied.push(statement);
    },
    async few() {
      const late = supplied.slice(0, -MAX_SENT);
      supplied = supplied.slice(-MAX_SENT);
      await inOrder(late);
    },
    all: () => inOrder(supplied),
  };
}

/** The maximum number of statements in flight, because their texts use memory. */
const MAX_SENT = 20;

async function inOrder(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const statement of statements) await statement;
}

const COLUMN_OF = {
  company: 'next_company',
  job: 'next_job',
  run: 'next_run',
  problem: 'next_problem',
  cause: 'next_cause',
} as const satisfies Record<Counter, keyof Database['head']>;

const COUNTERS = Object.keys(COLUMN_OF) as readonly Counter[];
type HeadRecord = HeadPosition & CounterValues & SealedEnd;
const moved = (
  head: HeadRecord,
  count: number,
  taken: Partial<CounterValues>,
  sign: 1 | -1,
): HeadRecord => ({
  ...head,
  seq: head.seq + sign * count,
  ...(Object.fromEntries(
    COUNTERS.map((counter) => [counter, head[counter] + sign * (taken[counter] ?? 0)]),
  ) as CounterValues),
});

function checkHead(row: HeadRecord | undefined, head: HeadRecord): true {
  if (row?.seq !== head.seq || COUNTERS.some((counter) => row[counter] !== head[counter]))
    throw new Error('The head row does not stand where it should.');
  return true;
}
const HEAD = `seq, epoch, sealed_seq as "sealedSeq", sealed_hash as "sealedHash", ${COUNTERS.map((counter) => `${COLUMN_OF[counter]} as ${counter}`).join(', ')}`;
const LOCK = prepared(`select ${HEAD} from head where tenant_id = $1 for no key update`);
const RAISE =
  prepared(`update head set seq = seq + $2::bigint, ${COUNTERS.map((counter, index) => `${COLUMN_OF[counter]} = ${COLUMN_OF[counter]} + $${index + 3}::bigint`).join(', ')}
  where tenant_id = $1 returning ${HEAD}`);

const TABLES_OF = {
  company: ['company'],
  job: ['job', 'stat'],
  run: ['run'],
  problem: ['problem'],
  cause: ['cause'],
} as const satisfies Record<Counter, readonly TableName[]>;

const COUNTER_OF: { readonly [T in TableName]?: Counter } = Object.fromEntries(
  COUNTERS.flatMap((counter) => TABLES_OF[counter].map((name) => [name, counter])),
);

interface EventRecord {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly actor: Actor;
  readonly subject: UserId | null;
  readonly company: number | null;
  readonly entity: string;
  readonly command_id: CommandId | null;
  readonly data: unknown;
}

/** Converts a log record to an event of today. Its schema was checked when it was written. */
export const toLogged = (row: EventRecord): Logged => ({
  seq: row.seq,
  at: row.at,
  actor: renameActor(row.actor),
  subject: row.subject,
  commandId: row.command_id,
  company: row.company,
  entity: row.entity,
  event: renameEvent({ type: row.type, data: row.data }) as Logged['event'],
});
