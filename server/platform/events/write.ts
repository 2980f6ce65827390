import { CompiledQuery, type Transaction } from 'kysely';
import type { Logged } from '#contract/events.ts';
import { TABLE_NAMES } from '#contract/tables.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import type { Bytes, Ms, TenantId } from '#contract/ids.ts';
import { type Given, given, parameters, selected } from '../db/bulk.ts';
import type { Database } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import type { Changes, Held } from './projection.ts';
import type { By } from '../db/store.ts';
import { recordOf, STATEMENTS } from './tables.ts';

/** Where a tenant's writes go. */
export interface Place {
  readonly tenant: TenantId;
  readonly sql: Transaction<Database>;
  readonly held: Held;
}

/**
 * Writes the events and, in the same statement, the runs they create: such a row equals the event's
 * data, so its text is sent and parsed once. Removes those runs from the remaining changes. `by`
 * null: each event has its own actor.
 */
export async function writeLog(
  place: Place,
  events: readonly Logged[],
  by: By | null,
  changes: Changes,
): Promise<void> {
  const { made } = changes.rows.run;
  const records = events.map(({ seq, event, company, entity, at, actor, subject, commandId }) => {
    const envelope = { seq, type: event.type, company, entity, data: event.data };
    const record =
      by === null
        ? { ...envelope, at, actor: JSON.stringify(actor), subject, command_id: commandId }
        : envelope;
    if (
      event.type !== 'run.finished@1' ||
      company !== event.data.company ||
      !made.has(event.data.n) ||
      place.held.run.get(event.data.n) !== event.data
    )
      return record;
    made.delete(event.data.n);
    const { n, key, uid, job, startedAt, status, problem } = event.data;
    return {
      ...record,
      n,
      key_id: key,
      uid,
      job_n: job,
      started_at: startedAt,
      status,
      problem_n: problem,
    };
  });
  if (by === null) await bulk(place, INSERT_LOG_OF_MANY, [...BY, ...EVENT, ...RUN], records);
  else
    await bulk(place, INSERT_LOG, [...EVENT, ...RUN], records, [
      by.at,
      JSON.stringify(by.actor),
      by.subject,
      by.commandId,
    ]);
}

const BY: readonly Given[] = [
  { name: 'at', type: 'bigint' },
  { name: 'actor', type: 'text' },
  { name: 'subject', type: 'text' },
  { name: 'command_id', type: 'text' },
];
const EVENT: readonly Given[] = [
  { name: 'seq', type: 'bigint' },
  { name: 'type', type: 'text' },
  { name: 'company', type: 'int' },
  { name: 'entity', type: 'text' },
  { name: 'data', type: 'json' },
];
const RUN: readonly Given[] = [
  { name: 'n', type: 'bigint' },
  { name: 'key_id', type: 'text' },
  { name: 'uid', type: 'text' },
  { name: 'job_n', type: 'bigint' },
  { name: 'started_at', type: 'bigint' },
  { name: 'status', type: 'text' },
  { name: 'problem_n', type: 'bigint' },
];
const insertLog = (columns: readonly Given[], from: number, by: string): string =>
  prepared(`with x as materialized (select ${selected(columns)} from ${given(columns, from)}),
  logged as (insert into event (tenant_id, at, actor, subject, command_id, seq, type, company, entity, data)
    select $1::uuid, ${by}, seq, type, company, entity, data from x)
  insert into run (tenant_id, n, key_id, uid, job_n, company_n, started_at, status, problem_n, seq, row)
    select $1::uuid, n, key_id, uid, job_n, company, started_at, status, problem_n, seq, data from x where n is not null`);
const INSERT_LOG = insertLog(
  [...EVENT, ...RUN],
  6,
  '$2::bigint, $3::text::jsonb, $4::text, $5::text',
);
const INSERT_LOG_OF_MANY = insertLog(
  [...BY, ...EVENT, ...RUN],
  2,
  'at, actor::jsonb, subject, command_id',
);

/**
 * Writes the rows, days and quarantine that a projection changed. Returns the statements in flight,
 * in this order.
 */
export const writeChanges = (place: Place, changes: Changes): Promise<void>[] => [
  ...TABLE_NAMES.map((table) => writeRows(place, table, changes)),
  writeDays(place, changes),
  writeQuarantine(place, changes),
];

async function writeRows(place: Place, table: TableName, changes: Changes): Promise<void> {
  const { made, changed } = changes.rows[table];
  if (made.size + changed.size === 0) return;
  const rows = place.held[table];
  const { columns, insert, put } = STATEMENTS[table];
  const records = [...made, ...changed].map((id): Rec =>
    recordOf(
      table,
      id,
      rows.get(id) as Tables[TableName],
      changes.runSeq.get(id as number) ?? null,
    ),
  );
  await bulk(place, changed.size === 0 ? insert : put, columns, records);
}

async function writeDays(place: Place, { days }: Changes): Promise<void> {
  await bulk(
    place,
    UPSERT_DAYS,
    DAY,
    [...days].map(([day, { gained, seq }]) => ({ day, rows: gained, seq })),
  );
}

const DAY: readonly Given[] = [
  { name: 'day', type: 'text' },
  { name: 'rows', type: 'bigint' },
  { name: 'seq', type: 'bigint' },
];
const UPSERT_DAYS =
  prepared(`insert into run_day (tenant_id, day, rows, seq) select $1::uuid, ${selected(DAY)} from ${given(DAY, 2)}
  on conflict (tenant_id, day) do update set rows = run_day.rows + excluded.rows, seq = excluded.seq`);

export async function writeSamples(place: Place, samples: readonly Sample[]): Promise<void> {
  await bulk(place, INSERT_SAMPLES, SAMPLE, samples);
}

export type Sample = {
  readonly repository_id: string;
  readonly at: Ms;
  readonly capacity: Bytes | null;
  readonly free: Bytes | null;
  readonly used: Bytes | null;
};

/** Returns the sample of a repository at a time. The first one for a time wins. */
export const sampleOf = ({ event }: Logged): Sample[] =>
  event.type !== 'repository.sampled@1'
    ? []
    : [
        {
          repository_id: event.data.id,
          at: event.data.at,
          capacity: event.data.capacityBytes,
          free: event.data.freeBytes,
          used: event.data.usedBytes,
        },
      ];

const SAMPLE: readonly Given[] = [
  { name: 'repository_id', type: 'text' },
  { name: 'at', type: 'bigint' },
  { name: 'capacity', type: 'bigint' },
  { name: 'free', type: 'bigint' },
  { name: 'used', type: 'bigint' },
];
const INSERT_SAMPLES = `insert into repository_sample (tenant_id, repository_id, at, capacity, free, used)
  select $1::uuid, ${selected(SAMPLE)} from ${given(SAMPLE, 2)} on conflict (tenant_id, repository_id, at) do nothing`;

async function writeQuarantine(place: Place, { quarantined }: Changes): Promise<void> {
  await bulk(place, INSERT_QUARANTINE, QUARANTINE, quarantined);
}

const QUARANTINE: readonly Given[] = [
  { name: 'seq', type: 'bigint' },
  { name: 'reason', type: 'text' },
  { name: 'at', type: 'bigint' },
];
const INSERT_QUARANTINE = `insert into quarantine (tenant_id, seq, reason, at) select $1::uuid, ${selected(QUARANTINE)} from ${given(QUARANTINE, 2)}`;

type Rec = Readonly<Record<string, unknown>>;
/** The maximum number of records per statement. */
export const AT_ONCE = 5000;

/** `$1` of the statement is the tenant, followed by `more` and the columns. */
async function bulk(
  place: Place,
  statement: string,
  columns: readonly Given[],
  records: readonly Rec[],
  more: readonly unknown[] = [],
): Promise<void> {
  for (let from = 0; from < records.length; from += AT_ONCE) {
    const some = records.length <= AT_ONCE ? records : records.slice(from, from + AT_ONCE);
    await place.sql.executeQuery(
      CompiledQuery.raw(statement, [place.tenant, ...more, ...parameters(columns, some)]),
    );
  }
}
