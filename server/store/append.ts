import { CompiledQuery, type Transaction } from 'kysely';
import type { Draft, Logged } from '#contract/events.ts';
import { type Id, type TableName, type Tables, touches } from '#contract/fold.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Database } from './database.ts';
import { checked } from './gate.ts';
import { type Changes, type Held, project } from './projection.ts';
import type { By } from './store.ts';
import { recordOf, TABLE_NAMES, upsertOf } from './tables.ts';

/** What an append needs of its transaction. `bring` loads rows into `held`, one query a table; the head row is locked by `raise`. */
export interface Ground {
  readonly tenant: TenantId;
  readonly sql: Transaction<Database>;
  readonly held: Held;
  /** Raises the head by `count` and answers what it was. */
  raise(count: number): Promise<number>;
  bring(table: TableName, ids: ReadonlySet<Id>): Promise<void>;
}

/** LOG-2, LOG-3: numbers, events and rows in the one transaction, in which the head row is locked first. */
export async function append(ground: Ground, drafts: readonly Draft[], by: By): Promise<readonly Logged[]> {
  if (drafts.length === 0) return [];
  const passed = checked(drafts);
  const before = await ground.raise(passed.length);
  const events = passed.map((draft, index): Logged => ({ ...draft, ...by, seq: before + 1 + index }));
  for (const [table, ids] of touched(events)) await ground.bring(table, ids);
  const changes = project(ground.held, events);
  await writeEvents(ground, events, by);
  for (const table of TABLE_NAMES) await writeRows(ground, table, changes);
  await writeDays(ground, changes);
  await writeSamples(ground, events);
  await writeQuarantine(ground, changes);
  return events;
}

function touched(events: readonly Logged[]): Map<TableName, Set<Id>> {
  const all = new Map<TableName, Set<Id>>();
  for (const event of events) {
    for (const [table, id] of touches(event)) {
      const ids = all.get(table);
      if (ids) ids.add(id);
      else all.set(table, new Set([id]));
    }
  }
  return all;
}

async function writeEvents(ground: Ground, events: readonly Logged[], by: By): Promise<void> {
  const records = events.map(({ seq, event, company, entity }) => ({ seq, type: event.type, company, entity, data: event.data }));
  await bulk(ground, INSERT_EVENTS, records, [by.at, JSON.stringify(by.actor), by.subject, by.commandId]);
}

const INSERT_EVENTS = `insert into event (tenant_id, seq, type, at, actor, subject, company, entity, command_id, data)
  select $1::uuid, seq, type, $3::bigint, $4::text::jsonb, $5::text, company, entity, $6::text, data
  from json_to_recordset($2::text::json) as x(seq bigint, type text, company int, entity text, data jsonb)`;

async function writeRows<T extends TableName>(ground: Ground, table: T, changes: Changes): Promise<void> {
  const ids = changes.changed[table];
  if (ids.size === 0) return;
  const rows = ground.held[table];
  const records = [...ids].map((id) => recordOf(table, id, rows.get(id) as Tables[T], changes.runSeq.get(id as number) ?? null));
  await bulk(ground, upsertOf(table), records);
}

async function writeDays(ground: Ground, { days }: Changes): Promise<void> {
  if (days.size === 0) return;
  await bulk(ground, `insert into run_day (tenant_id, day, rows, seq)
    select $1::uuid, day, gained, seq from json_to_recordset($2::text::json) as x(day text, gained bigint, seq bigint)
    on conflict (tenant_id, day) do update set rows = run_day.rows + excluded.rows, seq = excluded.seq`,
  [...days].map(([day, one]) => ({ day, ...one })));
}

async function writeSamples(ground: Ground, events: readonly Logged[]): Promise<void> {
  const samples = samplesOf(events);
  if (samples.length === 0) return;
  await bulk(ground, `insert into repository_sample (tenant_id, repository_id, at, capacity, free, used)
    select $1::uuid, repository_id, at, capacity, free, used
    from json_to_recordset($2::text::json) as x(repository_id text, at bigint, capacity bigint, free bigint, used bigint)
    on conflict (tenant_id, repository_id, at) do nothing`, samples);
}

/** The first sample of a moment counts. */
export const samplesOf = (events: readonly Logged[]): { repository_id: string; at: number; capacity: number | null; free: number | null; used: number | null }[] =>
  events.flatMap(({ event }) => event.type !== 'repository.sampled@1' ? [] : [{
    repository_id: event.data.id, at: event.data.at, capacity: event.data.capacityBytes, free: event.data.freeBytes, used: event.data.usedBytes,
  }]);

async function writeQuarantine(ground: Ground, { quarantined }: Changes): Promise<void> {
  if (quarantined.length === 0) return;
  await bulk(ground, `insert into quarantine (tenant_id, seq, reason, at)
    select $1::uuid, seq, reason, at from json_to_recordset($2::text::json) as x(seq bigint, reason text, at bigint)`, quarantined);
}

async function bulk(ground: Ground, statement: string, records: readonly unknown[], more: readonly unknown[] = []): Promise<void> {
  await ground.sql.executeQuery(CompiledQuery.raw(statement, [ground.tenant, JSON.stringify(records), ...more]));
}
