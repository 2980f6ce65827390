import { CompiledQuery, sql as raw, type Transaction } from 'kysely';
import type { Actor, Logged } from '#contract/events.ts';
import type { Id, TableName, Tables } from '#contract/fold.ts';
import type { TenantId } from '#contract/ids.ts';
import { append, type Ground } from './append.ts';
import { given, parameters } from './bulk.ts';
import type { Database } from './database.ts';
import type { Counter, Head, Numbers, TenantTx } from './store.ts';
import { PROJECTED } from './tables.ts';
import type { Release, Turns } from './turns.ts';
import { nothingKnown, type Warm } from './warm.ts';

/** A tenant's transaction; and for when it is committed: the head that it reached by appending (null: appended nothing). */
export function tenantTx(tenant: TenantId, sql: Transaction<Database>, warm: Warm, turns: Turns): { readonly tx: TenantTx; committed(): number | null; ended(): void } {
  // From the moment at which the head row is locked nobody else changes rows, so what was read since is kept and not read again.
  let { held, brought, memory } = nothingKnown();
  let lock: { readonly epoch: string; seq: number } | null = null;
  let appended = false;
  let release: Promise<Release> | null = null;
  /** Before the first statement that locks the head row. */
  const turn = async (): Promise<void> => void await (release ??= turns.next(tenant));
  const end = async (): Promise<void> => { (await release)?.(); };

  function lockedAt(row: Head | undefined, before: number): void {
    if (!row) throw new Error('There is no such provider.');
    if (lock === null) ({ held, brought, memory } = warm.take(tenant, row.epoch, before) ?? { held, brought, memory });
    lock = { epoch: row.epoch, seq: row.seq };
  }

  /** A number just given has no row yet. */
  function fresh(counter: Counter, first: number, count: number): void {
    for (const name of TABLES_OF[counter]) for (let n = first; n < first + count; n++) brought[name].add(n);
  }

  const ground: Ground = {
    tenant, sql,
    get held() { return held; },
    async raise(count, taken) {
      await turn();
      const { rows } = await sql.executeQuery(CompiledQuery.raw(RAISE, [tenant, count, ...COUNTERS.map((counter) => taken[counter] ?? 0)]));
      const row = (rows as HeadRecord[])[0];
      const before = (row?.seq ?? 0) - count;
      lockedAt(row, before);
      for (const counter of COUNTERS) fresh(counter, (row?.[counter] ?? 0) - (taken[counter] ?? 0), taken[counter] ?? 0);
      appended = true;
      return before;
    },
    async bring(table, ids) {
      const missing = [...ids].filter((id) => !brought[table].has(id));
      if (missing.length === 0) return;
      const rows = held[table] as Map<Id, unknown>;
      for (const [id, row] of await read(table, missing)) rows.set(id, row);
      for (const id of missing) brought[table].add(id);
    },
  };

  async function read<T extends TableName>(name: T, ids: readonly Id[]): Promise<Map<Id, Tables[T]>> {
    const { table, id } = PROJECTED[name];
    const columns = [{ name: id, type: id === 'n' ? 'bigint' : 'text' }] as const;
    // Each by its key, whatever the planner believes of the table: a join read all rows of the tenant.
    const { rows } = await sql.executeQuery(CompiledQuery.raw(
      `select x.${id} as id, (select t.row from ${table} as t where t.tenant_id = $1::uuid and t.${id} = x.${id}) as row from ${given(columns, 2)}`,
      [tenant, ...parameters(columns, ids.map((one) => ({ [id]: one })))],
    ));
    return new Map((rows as { id: Id; row: Tables[T] | null }[]).flatMap((one) => (one.row === null ? [] : [[one.id, one.row] as const])));
  }

  const tx: TenantTx = {
    tenant, sql,
    async head(): Promise<Head> {
      const row = await sql.selectFrom('head').select(['seq', 'epoch']).where('tenant_id', '=', tenant).executeTakeFirst();
      if (!row) throw new Error('There is no such provider.');
      return row;
    },
    async take(counter, count) {
      await turn();
      const column = COLUMN_OF[counter];
      const row = await sql.updateTable('head').set({ [column]: raw`${raw.ref(column)} + ${count}` }).where('tenant_id', '=', tenant)
        .returning(['seq', 'epoch', raw<number>`${raw.ref(column)} - ${count}`.as('first')]).executeTakeFirst();
      lockedAt(row, row?.seq ?? 0);
      if (!row) throw new Error('There is no such provider.');
      fresh(counter, row.first, count);
      return row.first;
    },
    async lock() {
      await turn();
      const { rows } = await sql.executeQuery(CompiledQuery.raw(LOCK, [tenant]));
      const row = (rows as HeadRecord[])[0];
      lockedAt(row, row?.seq ?? 0);
      if (!row) throw new Error('There is no such provider.');
      return { company: row.company, job: row.job, run: row.run, problem: row.problem, cause: row.cause };
    },
    memory<T extends object>(name: string, make: () => T): T {
      if (lock === null) throw new Error('What is remembered holds only under the lock of the head row.');
      let one = memory.get(name) as T | undefined;
      if (one === undefined) memory.set(name, (one = make()));
      return one;
    },
    async rows(table, ids) {
      if (lock === null) return read(table, ids);
      await ground.bring(table, new Set(ids));
      const rows: ReadonlyMap<Id, Tables[typeof table]> = held[table];
      return new Map(ids.flatMap((id) => { const row = rows.get(id); return row === undefined ? [] : [[id, row] as const]; }));
    },
    async all<T extends TableName>(name: T) {
      const { table, id } = PROJECTED[name];
      const { rows } = await sql.executeQuery(CompiledQuery.raw(`select row from ${table} where tenant_id = $1 order by ${id}`, [tenant]));
      return (rows as { row: Tables[T] }[]).map((one) => one.row);
    },
    append: (drafts, by, taken) => append(ground, drafts, by, taken),
    async eventsAfter(seq, limit) {
      const rows = await sql.selectFrom('event').selectAll().where('tenant_id', '=', tenant).where('seq', '>', seq)
        .orderBy('seq').limit(limit).execute();
      return rows.map(loggedOf);
    },
  };
  return {
    tx,
    committed() {
      if (lock !== null) warm.give(tenant, lock.epoch, lock.seq, { held, brought, memory });
      return appended && lock !== null ? lock.seq : null;
    },
    ended: () => void end(),
  };
}

const COLUMN_OF = {
  company: 'next_company', job: 'next_job', run: 'next_run', problem: 'next_problem', cause: 'next_cause',
} as const satisfies Record<Counter, keyof Database['head']>;

const COUNTERS = Object.keys(COLUMN_OF) as readonly Counter[];
type HeadRecord = Head & Numbers;
const HEAD = `seq, epoch, ${COUNTERS.map((counter) => `${COLUMN_OF[counter]} as ${counter}`).join(', ')}`;
const LOCK = `select ${HEAD} from head where tenant_id = $1 for no key update`;
const RAISE = `update head set seq = seq + $2::bigint, ${COUNTERS.map((counter, index) => `${COLUMN_OF[counter]} = ${COLUMN_OF[counter]} + $${index + 3}::bigint`).join(', ')}
  where tenant_id = $1 returning ${HEAD}`;

const TABLES_OF = { company: ['company'], job: ['job', 'stat'], run: ['run'], problem: ['problem'], cause: ['cause'] } as const satisfies Record<Counter, readonly TableName[]>;

interface EventRecord {
  readonly seq: number; readonly type: string; readonly at: number; readonly actor: Actor; readonly subject: string | null;
  readonly company: number | null; readonly entity: string; readonly command_id: string | null; readonly data: unknown;
}

/** The log's record as an event. It was checked by its schema on its way in. */
export const loggedOf = (row: EventRecord): Logged => ({
  seq: row.seq, at: row.at, actor: row.actor, subject: row.subject, commandId: row.command_id, company: row.company, entity: row.entity,
  event: { type: row.type, data: row.data } as Logged['event'],
});
