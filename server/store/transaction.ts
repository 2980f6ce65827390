import { CompiledQuery, sql as raw, type Transaction } from 'kysely';
import type { Actor, Logged } from '#contract/events.ts';
import type { Id, TableName, Tables } from '#contract/fold.ts';
import type { TenantId } from '#contract/ids.ts';
import { append, type Ground } from './append.ts';
import { given, parameters } from './bulk.ts';
import type { Database } from './database.ts';
import type { Counter, Head, TenantTx } from './store.ts';
import { PROJECTED } from './tables.ts';
import { nothingKnown, type Warm } from './warm.ts';

/** A tenant's transaction; and for when it is committed: the head that it reached by appending (null: appended nothing). */
export function tenantTx(tenant: TenantId, sql: Transaction<Database>, warm: Warm): { readonly tx: TenantTx; committed(): number | null } {
  // From the moment at which the head row is locked nobody else changes rows, so what was read since is kept and not read again.
  let { held, brought } = nothingKnown();
  let lock: { readonly epoch: string; seq: number } | null = null;
  let appended = false;

  function lockedAt(row: Head | undefined, before: number): void {
    if (!row) throw new Error('There is no such provider.');
    if (lock === null) ({ held, brought } = warm.take(tenant, row.epoch, before) ?? { held, brought });
    lock = { epoch: row.epoch, seq: row.seq };
  }

  const ground: Ground = {
    tenant, sql,
    get held() { return held; },
    async raise(count) {
      const row = await sql.updateTable('head').set({ seq: raw<number>`seq + ${count}` }).where('tenant_id', '=', tenant)
        .returning(['seq', 'epoch']).executeTakeFirst();
      const before = (row?.seq ?? 0) - count;
      lockedAt(row, before);
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
    const { rows } = await sql.executeQuery(CompiledQuery.raw(
      `select t.${id} as id, t.row from ${given(columns, 2)} join ${table} as t on t.tenant_id = $1::uuid and t.${id} = x.${id}`,
      [tenant, ...parameters(columns, ids.map((one) => ({ [id]: one })))],
    ));
    return new Map((rows as { id: Id; row: Tables[T] }[]).map((one) => [one.id, one.row]));
  }

  const tx: TenantTx = {
    tenant, sql,
    async head(): Promise<Head> {
      const row = await sql.selectFrom('head').select(['seq', 'epoch']).where('tenant_id', '=', tenant).executeTakeFirst();
      if (!row) throw new Error('There is no such provider.');
      return row;
    },
    async take(counter, count) {
      const column = COLUMN_OF[counter];
      const row = await sql.updateTable('head').set({ [column]: raw`${raw.ref(column)} + ${count}` }).where('tenant_id', '=', tenant)
        .returning(['seq', 'epoch', raw<number>`${raw.ref(column)} - ${count}`.as('first')]).executeTakeFirst();
      lockedAt(row, row?.seq ?? 0);
      if (!row) throw new Error('There is no such provider.');
      // a number just given has no row yet
      for (const name of TABLES_OF[counter]) for (let n = row.first; n < row.first + count; n++) brought[name].add(n);
      return row.first;
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
    append: (drafts, by) => append(ground, drafts, by),
    async eventsAfter(seq, limit) {
      const rows = await sql.selectFrom('event').selectAll().where('tenant_id', '=', tenant).where('seq', '>', seq)
        .orderBy('seq').limit(limit).execute();
      return rows.map(loggedOf);
    },
  };
  return {
    tx,
    committed() {
      if (lock !== null) warm.give(tenant, lock.epoch, lock.seq, { held, brought });
      return appended && lock !== null ? lock.seq : null;
    },
  };
}

const COLUMN_OF = {
  company: 'next_company', job: 'next_job', run: 'next_run', problem: 'next_problem', cause: 'next_cause',
} as const satisfies Record<Counter, keyof Database['head']>;

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
