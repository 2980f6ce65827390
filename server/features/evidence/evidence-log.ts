import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Actor, EventOf, EventType } from '#contract/events.ts';
import { listStoredTypes, renameActor, renameEvent } from '#contract/former-events.ts';
import type { CompanyN, JobN, Ms, ProblemN, TenantId } from '#contract/ids.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** The event types that count as evidence, and their labels. */
const AUDITED_EVENTS = {
  'problem.reviewed@1': 'reviewed',
  'problem.reopened@1': 'reopened',
  'problem.snoozed@1': 'snoozed',
  'problem.unsnoozed@1': 'unsnoozed',
  'problem.noted@1': 'noted',
  'problem.ticketSet@1': 'ticketLinked',
  'job.calibrated@1': 'markedNormal',
  'job.ignored@1': 'ignored',
  'job.unignored@1': 'unignored',
} as const satisfies Partial<Record<EventType, Evidence['what']>>;
type AuditedType = keyof typeof AUDITED_EVENTS;
const AUDITED_TYPES = Object.keys(AUDITED_EVENTS) as AuditedType[];
type AuditedEvent = EventOf<AuditedType>;

/** An event of the log that is evidence. */
export interface AuditRecord {
  readonly seq: number;
  readonly at: Ms;
  readonly actor: Actor;
  readonly subject: string | null;
  readonly company: CompanyN;
  readonly event: AuditedEvent;
}
/**
 * An action on one problem; `problem` is null for an action on a job. `index` is the position
 * within the action.
 */
export interface EvidenceLine {
  readonly record: AuditRecord;
  readonly index: number;
  readonly problem: ProblemN | null;
  readonly job: JobN | null;
  readonly what: Evidence['what'];
}

/** Returns one line per problem, in the order of the event. */
export function getLines(action: AuditRecord): EvidenceLine[] {
  const { event } = action;
  const what = AUDITED_EVENTS[event.type];
  if ('problems' in event.data)
    return event.data.problems.map((problem, index): EvidenceLine => ({
      record: action,
      index,
      problem,
      job: null,
      what,
    }));
  return [{ record: action, index: 0, problem: null, job: event.data.n, what }];
}

/**
 * Times in the log can be out of order by this much: concurrent events, and servers whose clocks
 * differ.
 */
const SLACK: Ms = 86_400_000;

/**
 * Returns the sequence numbers that enclose a period: every event of the period is above `after`
 * and not above `max`.
 */
export async function bounds(
  tx: TenantTx,
  from: Ms,
  to: Ms,
): Promise<{ readonly after: number; readonly max: number }> {
  const { seq } = await tx.head();
  return {
    after: await lastBefore(tx, from - SLACK, seq),
    max: await lastBefore(tx, to + SLACK, seq),
  };
}

/**
 * Selects the number of the last event before a time by binary search: 20 lookups in 600,000 events
 * instead of reading a year of them. `offset 0` forces each lookup to use the key; as a plain join
 * the planner read the whole log. So it does, under row-level security, if `middle` is calculated in the
 * lookup: a division is not leakproof. Events that the log no longer has were before any time.
 */
export const lastBeforeQuery = (
  tenant: TenantId,
  at: Ms,
  head: number,
): RawBuilder<{ low: number }> => sql`with recursive half(low, high, middle) as (
    select 0::bigint, ${head}::bigint + 1, (${head}::bigint + 1) / 2
  union all
    select rest.low, rest.high, (rest.low + rest.high) / 2
    from half left join lateral (select at from event where tenant_id = ${tenant} and seq = half.middle offset 0) as e on true
      cross join lateral (select case when e.at >= ${at} then half.low else half.middle end as low,
        case when e.at >= ${at} then half.middle else half.high end as high) as rest
    where half.high - half.low > 1
  ) select max(low) as low from half`;

const lastBefore = async (tx: TenantTx, at: Ms, head: number): Promise<number> =>
  (await lastBeforeQuery(tx.tenant, at, head).execute(tx.sql)).rows[0]?.low ?? 0;

interface EvidenceQuery {
  readonly next: number;
  readonly after: number;
  readonly from: Ms;
  readonly to: Ms;
  readonly companies: readonly CompanyN[] | null;
  readonly without?: readonly CompanyN[];
}
interface Found {
  readonly seq: number;
  readonly type: AuditedType;
  readonly at: Ms;
  readonly actor: Actor;
  readonly subject: string | null;
  readonly company: CompanyN | null;
  readonly data: unknown;
}

/**
 * Selects the newest evidence events before `next`, newest first. Each type is read from the end of
 * the index `event_by_type`, up to the limit only.
 */
export function buildRecordsQuery(
  tenant: TenantId,
  { next, after, from, to, companies, without = [] }: EvidenceQuery,
  count: number,
): RawBuilder<Found> {
  const only =
    companies !== null
      ? sql`and company in (${sql.join(companies)})`
      : without.length > 0
        ? sql`and (company is null or company not in (${sql.join(without)}))`
        : sql``;
  return sql<Found>`select d.* from (values ${sql.join(listStoredTypes(AUDITED_TYPES).map((type) => sql`(${type}::text)`))}) as wanted(type)
    cross join lateral (
      select seq, type, at, actor, subject, company, data from event
      where tenant_id = ${tenant} and type = wanted.type and entity not like 'run:%' and seq > ${after} and seq < ${next} and at >= ${from} and at < ${to} ${only}
      order by seq desc limit ${count}
    ) as d order by d.seq desc limit ${count}`;
}

export async function loadRecordsBefore(
  tx: TenantTx,
  request: EvidenceQuery,
  count: number,
): Promise<AuditRecord[]> {
  const { rows } = await buildRecordsQuery(tx.tenant, request, count).execute(tx.sql);
  return rows.map(({ type, data, company, actor, ...rest }) => ({
    ...rest,
    actor: renameActor(actor),
    company: company ?? 0,
    event: renameEvent({ type, data }) as AuditedEvent,
  }));
}
