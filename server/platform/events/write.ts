import { CompiledQuery, type Transaction } from 'kysely';
import type { Logged } from '#contract/events.ts';
import { TABLE_NAMES } from '#contract/tables.ts';
import type { TableName } from '#contract/tables.ts';
import type { Bytes, Day, Ms, TenantId } from '#contract/ids.ts';
import { type Given, parameters, selected, unnestOwned, unnestParams } from '../db/bulk.ts';
import type { Database } from '../db/database.ts';
import { canonical } from '../db/canonical.ts';
import { prepared } from '../db/prepared.ts';
import type { Folded } from './folding.ts';
import { getHashedText, type LogChain } from './log-hash.ts';
import type { ProjectedChanges } from './projection.ts';
import { getRecord, STATEMENTS } from './tables.ts';

/** Where a tenant's writes go. */
export interface WriteTarget {
  readonly tenant: TenantId;
  readonly sql: Transaction<Database>;
}

/**
 * Returns the runs whose row is exactly the data of the event that created them. They are written
 * with the events, so that their text is sent and parsed once.
 */
export function runsOfLog({ events, changes }: Folded): ReadonlySet<unknown> {
  const runs = new Set<unknown>();
  const { after, made } = changes.rows.run ?? {};
  for (const { event, company } of events)
    if (
      event.type === 'run.finished@1' &&
      company === event.data.company &&
      after?.get(event.data.n) === event.data &&
      made?.has(event.data.n) === true
    )
      runs.add(event.data);
  return runs;
}

/** Writes the events and `runs` of `runsOfLog`. `first`: the number of the first event. */
export async function writeLog(
  place: WriteTarget,
  { events, texts }: Folded,
  runs: ReadonlySet<unknown>,
  first: number,
  log: LogChain,
): Promise<void> {
  const by = commonAuthor(events);
  const actor = by && canonical(by.actor);
  const records = events.map((logged, index): Rec => {
    const { event, company, entity } = logged;
    const record: Record<string, unknown> = {
      seq: first + index,
      type: event.type,
      company,
      entity,
      data: texts[index],
    };
    if (by === null) {
      record['at'] = logged.at;
      record['actor'] = JSON.stringify(logged.actor);
      record['subject'] = logged.subject;
      record['command_id'] = logged.commandId;
    }
    if (event.type === 'run.finished@1' && runs.has(event.data)) {
      const { n, key, uid, job, startedAt, status, problem } = event.data;
      record['n'] = n;
      record['key_id'] = key;
      record['uid'] = uid;
      record['job_n'] = job;
      record['started_at'] = startedAt;
      record['status'] = status;
      record['problem_n'] = problem;
    }
    return record;
  });
  for (let from = 0; from < records.length; from += BATCH_SIZE) {
    const end = Math.min(from + BATCH_SIZE, records.length);
    // One text for many events, because each update of a digest costs more than a short text.
    let text = '';
    const hashed: string[] = [];
    for (let index = from; index < end; index++) {
      const logged = events[index];
      const data = texts[index];
      if (logged === undefined || data === undefined) throw new Error('An event without a text.');
      const { at, subject, company, entity, commandId, event } = logged;
      const seq = first + index;
      const fields = { seq, type: event.type, at, subject, company, entity, commandId, data };
      text += getHashedText({ ...fields, actor: actor ?? canonical(logged.actor) });
      if (text.length > DIGEST_CHARS) {
        hashed.push(text);
        text = '';
      }
    }
    log.add(first + from, first + end - 1, [...hashed, text]);
    const some = records.slice(from, end);
    const [begins, ends] = [first + from, first + end - 1];
    const placed = some.filter((record) => record['n'] !== undefined);
    // Sent at once, and run in this order. The error of the first one is why the others fail.
    const ended = await Promise.allSettled([
      by === null
        ? bulk(place, INSERT_EVENTS_OF_MANY, [...BY, ...EVENT], some)
        : bulk(place, INSERT_EVENTS, EVENT, some, [
            by.at,
            JSON.stringify(by.actor),
            by.subject,
            by.commandId,
          ]),
      bulk(place, INSERT_RUNS, RUN, placed, [begins, ends]),
    ]);
    const failure = ended.find((one) => one.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }
}

/** How much text a digest gets at once. */
const DIGEST_CHARS = 100_000;

/** Returns what events have in common if all have the same author; null otherwise. */
function commonAuthor(events: readonly Logged[]): Logged | null {
  const [one] = events;
  return one !== undefined &&
    events.every(
      ({ at, actor, subject, commandId }) =>
        at === one.at &&
        actor === one.actor &&
        subject === one.subject &&
        commandId === one.commandId,
    )
    ? one
    : null;
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
  { name: 'seq', type: 'bigint' },
  { name: 'n', type: 'bigint' },
  { name: 'key_id', type: 'text' },
  { name: 'uid', type: 'text' },
  { name: 'job_n', type: 'bigint' },
  { name: 'started_at', type: 'bigint' },
  { name: 'status', type: 'text' },
  { name: 'problem_n', type: 'bigint' },
];
const insertEvents = (columns: readonly Given[], from: number, by: string): string =>
  prepared(`insert into event (tenant_id, at, actor, subject, command_id, seq, type, company, entity, data)
    select h.tenant_id, ${by}, ${selected(EVENT)} from ${unnestOwned(columns, from)}`);
const INSERT_EVENTS = insertEvents(EVENT, 6, '$2::bigint, $3::text::jsonb, $4::text, $5::text');
const INSERT_EVENTS_OF_MANY = insertEvents(
  [...BY, ...EVENT],
  2,
  'x.at, x.actor::jsonb, x.subject, x.command_id',
);
/** The rows of results that are exactly the data of their events, `$2` to `$3`. */
const INSERT_RUNS =
  prepared(`insert into run (tenant_id, n, key_id, uid, job_n, company_n, started_at, status, problem_n, seq, row)
    select e.tenant_id, x.n, x.key_id, x.uid, x.job_n, e.company, x.started_at, x.status, x.problem_n, e.seq, e.data
    from event as e join ${unnestParams(RUN, 4)} on x.seq = e.seq
    where e.tenant_id = $1::uuid and e.seq between $2::bigint and $3::bigint`);

/**
 * Writes the rows, kinds and quarantine that a projection changed, except `runs`. Returns the
 * statements in flight, in this order. `first`: the number of the event that the changes count as
 * 0.
 */
export const writeChanges = (
  place: WriteTarget,
  changes: ProjectedChanges,
  runs: ReadonlySet<unknown>,
  first: number,
): Promise<void>[] => [
  ...TABLE_NAMES.map((table) => writeRows(place, table, changes, runs, first)),
  writeKinds(place, changes, first),
  writeQuarantine(place, changes, first),
];

async function writeRows(
  place: WriteTarget,
  table: TableName,
  { rows, runSeq }: ProjectedChanges,
  runs: ReadonlySet<unknown>,
  first: number,
): Promise<void> {
  const changed = rows[table];
  if (changed === undefined) return;
  const { columns, insert, put } = STATEMENTS[table];
  const records: Rec[] = [];
  let areNew = true;
  for (const [id, row] of changed.after) {
    if (runs.has(row)) continue;
    const seq = table === 'run' ? runSeq.get(id as number) : undefined;
    const record = getRecord(table, id, row, seq === undefined ? null : first + seq);
    record['row'] = JSON.stringify(row);
    records.push(record);
    areNew &&= changed.made.has(id);
  }
  await bulk(place, areNew ? insert : put, columns, records);
}

/** The days that several appends changed, in order. `first`: as in `writeChanges`. */
export type ChangedDays = { readonly first: number } & Pick<ProjectedChanges, 'days'>;

/** Returns the statement that writes changed days; null if there are none. */
export function getDaysStatement(
  tenant: TenantId,
  appends: readonly ChangedDays[],
): CompiledQuery | null {
  const all = new Map<Day, { day: Day; rows: number; seq: number }>();
  for (const { days, first } of appends)
    for (const [day, { gained, seq }] of days)
      all.set(day, { day, rows: (all.get(day)?.rows ?? 0) + gained, seq: first + seq });
  return all.size === 0
    ? null
    : CompiledQuery.raw(UPSERT_DAYS, [tenant, ...parameters(DAY, [...all.values()])]);
}

const DAY: readonly Given[] = [
  { name: 'day', type: 'text' },
  { name: 'rows', type: 'bigint' },
  { name: 'seq', type: 'bigint' },
];
const UPSERT_DAYS =
  prepared(`insert into run_day (tenant_id, day, rows, seq) select h.tenant_id, ${selected(DAY)} from ${unnestOwned(DAY, 2)}
  on conflict (tenant_id, day) do update set rows = run_day.rows + excluded.rows, seq = excluded.seq`);

async function writeKinds(
  place: WriteTarget,
  { kindSeq }: ProjectedChanges,
  first: number,
): Promise<void> {
  await bulk(
    place,
    UPSERT_KINDS,
    KIND,
    [...kindSeq].map(([company, seq]) => ({ company_n: company, seq: first + seq })),
  );
}

const KIND: readonly Given[] = [
  { name: 'company_n', type: 'bigint' },
  { name: 'seq', type: 'bigint' },
];
const UPSERT_KINDS =
  prepared(`insert into job_kind (tenant_id, company_n, seq) select h.tenant_id, ${selected(KIND)} from ${unnestOwned(KIND, 2)}
  on conflict (tenant_id, company_n) do update set seq = excluded.seq`);

export async function writeSamples(place: WriteTarget, samples: readonly Sample[]): Promise<void> {
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
export const getSample = ({ event }: Logged): Sample[] =>
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
  select h.tenant_id, ${selected(SAMPLE)} from ${unnestOwned(SAMPLE, 2)} on conflict (tenant_id, repository_id, at) do nothing`;

async function writeQuarantine(
  place: WriteTarget,
  { quarantined }: ProjectedChanges,
  first: number,
): Promise<void> {
  await bulk(
    place,
    INSERT_QUARANTINE,
    QUARANTINE,
    quarantined.map(({ seq, ...one }) => ({ ...one, seq: first + seq })),
  );
}

const QUARANTINE: readonly Given[] = [
  { name: 'seq', type: 'bigint' },
  { name: 'reason', type: 'text' },
  { name: 'at', type: 'bigint' },
];
const INSERT_QUARANTINE = `insert into quarantine (tenant_id, seq, reason, at) select h.tenant_id, ${selected(QUARANTINE)} from ${unnestOwned(QUARANTINE, 2)}`;

type Rec = Readonly<Record<string, unknown>>;
/** The maximum number of records per statement. */
export const BATCH_SIZE = 5000;

/** `$1` of the statement is the tenant, followed by `values`. */
const run = async (
  { sql, tenant }: WriteTarget,
  statement: string,
  values: readonly unknown[],
): Promise<void> =>
  void (await sql.executeQuery(CompiledQuery.raw(statement, [tenant, ...values])));

/** `$1` of the statement is the tenant, followed by `more` and the columns. */
async function bulk(
  place: WriteTarget,
  statement: string,
  columns: readonly Given[],
  records: readonly Rec[],
  more: readonly unknown[] = [],
): Promise<void> {
  for (let from = 0; from < records.length; from += BATCH_SIZE) {
    const some = records.length <= BATCH_SIZE ? records : records.slice(from, from + BATCH_SIZE);
    await run(place, statement, [...more, ...parameters(columns, some)]);
  }
}
