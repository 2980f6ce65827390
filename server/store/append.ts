import { CompiledQuery, type Transaction } from 'kysely';
import type { Draft, Logged } from '#contract/events.ts';
import { type Id, type TableName, type Tables, touches } from '#contract/fold.ts';
import type { Bytes, Ms, TenantId } from '#contract/ids.ts';
import { type Given, given, parameters, selected } from './bulk.ts';
import type { Database } from './database.ts';
import { checked } from './gate.ts';
import { type Changes, type Held, project } from './projection.ts';
import type { By } from './store.ts';
import { recordOf, STATEMENTS, TABLE_NAMES } from './tables.ts';

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
  await run(ground, INSERT_EVENTS, [by.at, JSON.stringify(by.actor), by.subject, by.commandId, ...parameters(EVENT, records)]);
}

const EVENT: readonly Given[] = [
  { name: 'seq', type: 'bigint' }, { name: 'type', type: 'text' }, { name: 'company', type: 'int' }, { name: 'entity', type: 'text' }, { name: 'data', type: 'json' },
];
const INSERT_EVENTS = `insert into event (tenant_id, at, actor, subject, command_id, seq, type, company, entity, data)
  select $1::uuid, $2::bigint, $3::text::jsonb, $4::text, $5::text, ${selected(EVENT)} from ${given(EVENT, 6)}`;

async function writeRows<T extends TableName>(ground: Ground, table: T, changes: Changes): Promise<void> {
  const rows = ground.held[table];
  const { columns, insert, update } = STATEMENTS[table];
  const given = (ids: ReadonlySet<Id>): string[] =>
    parameters(columns, [...ids].map((id) => recordOf(table, id, rows.get(id) as Tables[T], changes.runSeq.get(id as number) ?? null)));
  const { made, changed } = changes.rows[table];
  if (made.size > 0) await run(ground, insert, given(made));
  if (changed.size > 0) await run(ground, update, given(changed));
}

async function writeDays(ground: Ground, { days }: Changes): Promise<void> {
  if (days.size > 0) await run(ground, UPSERT_DAYS, parameters(DAY, [...days].map(([day, { gained, seq }]) => ({ day, rows: gained, seq }))));
}

const DAY: readonly Given[] = [{ name: 'day', type: 'text' }, { name: 'rows', type: 'bigint' }, { name: 'seq', type: 'bigint' }];
const UPSERT_DAYS = `insert into run_day (tenant_id, day, rows, seq) select $1::uuid, ${selected(DAY)} from ${given(DAY, 2)}
  on conflict (tenant_id, day) do update set rows = run_day.rows + excluded.rows, seq = excluded.seq`;

async function writeSamples(ground: Ground, events: readonly Logged[]): Promise<void> {
  const samples = events.flatMap(sampleOf);
  if (samples.length > 0) await run(ground, INSERT_SAMPLES, parameters(SAMPLE, samples));
}

export interface Sample { readonly repository_id: string; readonly at: Ms; readonly capacity: Bytes | null; readonly free: Bytes | null; readonly used: Bytes | null }

/** What a repository held at a moment; the first that was said of a moment counts. */
export const sampleOf = ({ event }: Logged): (Sample & Record<string, unknown>)[] => event.type !== 'repository.sampled@1' ? [] : [{
  repository_id: event.data.id, at: event.data.at, capacity: event.data.capacityBytes, free: event.data.freeBytes, used: event.data.usedBytes,
}];

const SAMPLE: readonly Given[] = [
  { name: 'repository_id', type: 'text' }, { name: 'at', type: 'bigint' }, { name: 'capacity', type: 'bigint' }, { name: 'free', type: 'bigint' },
  { name: 'used', type: 'bigint' },
];
const INSERT_SAMPLES = `insert into repository_sample (tenant_id, repository_id, at, capacity, free, used)
  select $1::uuid, ${selected(SAMPLE)} from ${given(SAMPLE, 2)} on conflict (tenant_id, repository_id, at) do nothing`;

async function writeQuarantine(ground: Ground, { quarantined }: Changes): Promise<void> {
  if (quarantined.length > 0) await run(ground, INSERT_QUARANTINE, parameters(QUARANTINE, quarantined));
}

const QUARANTINE: readonly Given[] = [{ name: 'seq', type: 'bigint' }, { name: 'reason', type: 'text' }, { name: 'at', type: 'bigint' }];
const INSERT_QUARANTINE = `insert into quarantine (tenant_id, seq, reason, at) select $1::uuid, ${selected(QUARANTINE)} from ${given(QUARANTINE, 2)}`;

/** `$1` is the tenant. */
async function run(ground: Ground, statement: string, more: readonly unknown[]): Promise<void> {
  await ground.sql.executeQuery(CompiledQuery.raw(statement, [ground.tenant, ...more]));
}
