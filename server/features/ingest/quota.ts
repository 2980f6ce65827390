import { CompiledQuery } from 'kysely';
import type { Failure } from '#contract/errors.ts';
import type { Bytes, KeyId, Ms, TenantId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import {
  type IngestUsage,
  readIngestUsage,
  usageMemory,
} from '../../platform/tenancy/ingest-usage.ts';
import { type Given, parameters, selected, unnestOwned } from '../../platform/db/bulk.ts';
import { prepared } from '../../platform/db/prepared.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { clampLog } from './clamp-log.ts';
import type { Normal } from './normalize.ts';

/** A key's usage today, and its limits. */
export interface Allowance {
  readonly key: KeyId;
  readonly usage: IngestUsage;
}

/** The approximate size of an event, its row and their index entries, without a log and objects. */
export const RECORD_BYTES: Bytes = 1_000;
/**
 * The share of a quota after which logs are dropped, so that results without logs are stored for
 * longer.
 */
const LOG_SHARE = 0.8;
/** How often a refusal is recorded. */
const REFUSED_EVERY_MS: Ms = 60_000;
/** The longest time that an expected run can look back. */
const KEEP_MS: Ms = 32 * 86_400_000;

/** What requests of a key add to its usage of a day. */
interface Addition {
  readonly day: string;
  readonly key_id: KeyId;
  readonly bytes: Bytes;
  readonly logs_dropped: number;
  /** The first and the last refusal. */
  readonly refused_from: Ms | null;
  readonly refused_to: Ms | null;
}
const ADDITION: readonly Given[] = [
  { name: 'day', type: 'text' },
  { name: 'key_id', type: 'text' },
  { name: 'bytes', type: 'bigint' },
  { name: 'logs_dropped', type: 'bigint' },
  { name: 'refused_from', type: 'bigint' },
  { name: 'refused_to', type: 'bigint' },
];
const ADD =
  prepared(`insert into ingest_usage (tenant_id, day, key_id, bytes, logs_dropped, refused_from, refused_to)
  select h.tenant_id, ${selected(ADDITION)} from ${unnestOwned(ADDITION, 2)}
  on conflict (tenant_id, day, key_id) do update set bytes = ingest_usage.bytes + excluded.bytes, logs_dropped = ingest_usage.logs_dropped + excluded.logs_dropped,
    refused_from = coalesce(ingest_usage.refused_from, excluded.refused_from), refused_to = coalesce(excluded.refused_to, ingest_usage.refused_to)`);

/**
 * ING-17: returns what a key can still store today. Call it under the lock of the head row. The
 * usage is read once in each transaction, which counts in memory from then on; with `alone` no other
 * server writes, so it is read once a day. Null: results that the provider's own connections
 * collect, and sessions of its backup jobs, have no quota.
 */
export async function loadAllowance(
  tx: TenantTx,
  { id, connection, organization }: IngestKeyRow,
  at: Ms,
  alone: boolean,
): Promise<Allowance | null> {
  if (connection !== undefined || organization !== undefined) return null;
  const day = utcDay(at);
  const memory = usageMemory(tx);
  if (!alone || memory.usage?.day !== day)
    memory.usage = await tx.once(`ingest usage of ${day}`, () => readIngestUsage(tx, day));
  return { key: id, usage: memory.usage };
}
/** Returns the bytes that a key can still store today; with `logs`, the limit for logs. */
function left(allowance: Allowance, logs = false): Bytes {
  const {
    key,
    usage: { quota, totalBytes, keys },
  } = allowance;
  const share = logs ? LOG_SHARE : 1;
  return Math.min(
    share * quota.keyBytes - (keys.get(key)?.bytes ?? 0),
    share * quota.providerBytes - totalBytes,
  );
}

/** Returns whether `bytes` more fit; with `logs`, under the limit for logs. */
export const fits = (allowance: Allowance | null, bytes: Bytes, logs = false): boolean =>
  allowance === null || bytes <= left(allowance, logs);

/**
 * Returns the results to store, without the logs that do not fit; null if not even the results fit.
 */
export function fitting(
  allowance: Allowance | null,
  executions: readonly Normal[],
): { readonly executions: readonly Normal[]; readonly dropped: number } | null {
  if (allowance === null) return { executions, dropped: 0 };
  const bytes = executions.reduce((sum, one) => sum + resultBytes(one), 0);
  if (!fits(allowance, bytes)) return null;
  let logsLeft = left(allowance, true) - bytes;
  let dropped = 0;
  const all = executions.map((one): Normal => {
    if (one.log === null) return one;
    const size = logBytes(one.log);
    if (size <= logsLeft) {
      logsLeft -= size;
      return one;
    }
    dropped += 1;
    return { ...one, log: MESSAGES.logOverQuota({ day: allowance.usage.day }) };
  });
  return { executions: all, dropped };
}

export const resultBytes = ({ tasks }: Pick<Normal, 'tasks'>): Bytes =>
  RECORD_BYTES + (tasks.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tasks)));
/** Returns the stored size of a log. */
export const logBytes = (log: string): Bytes => Buffer.byteLength(clampLog(log, LIMITS.logBytes));

/** Counts what was stored, in the same transaction. */
export function addUsage(
  tx: TenantTx,
  allowance: Allowance | null,
  bytes: Bytes,
  dropped: number,
): void {
  if (allowance === null || (bytes === 0 && dropped === 0)) return;
  const { key, usage } = allowance;
  const before = usage.keys.get(key);
  usage.keys.set(key, {
    bytes: (before?.bytes ?? 0) + bytes,
    refusedTo: before?.refusedTo ?? null,
  });
  usage.totalBytes += bytes;
  // The first write of a day deletes old rows.
  if (before === undefined)
    tx.send(
      tx.sql
        .deleteFrom('ingest_usage')
        .where('tenant_id', '=', tx.tenant)
        .where('day', '<', utcDay(Date.parse(usage.day) - KEEP_MS))
        .compile(),
    );
  sendAddition(tx, {
    day: usage.day,
    key_id: key,
    bytes,
    logs_dropped: dropped,
    refused_from: null,
    refused_to: null,
  });
}

/** Adds to the usage at the end of the transaction, which each request of a group shares. */
function sendAddition(tx: TenantTx, addition: Addition): void {
  tx.sendLast<Addition>('ingest usage', addition, (additions) =>
    CompiledQuery.raw(ADD, [tx.tenant, ...parameters(ADDITION, sumAdditions(additions))]),
  );
}

/** Returns one addition for each key and day. */
function sumAdditions(additions: readonly Addition[]): Record<keyof Addition, unknown>[] {
  const sums = new Map<string, Addition>();
  for (const one of additions) {
    const name = `${one.day} ${one.key_id}`;
    const before = sums.get(name);
    sums.set(
      name,
      before === undefined
        ? one
        : {
            ...one,
            bytes: before.bytes + one.bytes,
            logs_dropped: before.logs_dropped + one.logs_dropped,
            refused_from: before.refused_from ?? one.refused_from,
            refused_to: one.refused_to ?? before.refused_to,
          },
    );
  }
  return [...sums.values()].map((sum) => ({ ...sum }));
}

/**
 * Returns the failure for a source that has used up its daily quota. The refusal is stored, so that
 * its jobs do not count as missed.
 */
export function refuseOver(tx: TenantTx, { key, usage }: Allowance, at: Ms): Failure {
  const before = usage.keys.get(key);
  if (
    before?.refusedTo === null ||
    before?.refusedTo === undefined ||
    at - before.refusedTo >= REFUSED_EVERY_MS
  ) {
    usage.keys.set(key, { bytes: before?.bytes ?? 0, refusedTo: at });
    sendAddition(tx, {
      day: usage.day,
      key_id: key,
      bytes: 0,
      logs_dropped: 0,
      refused_from: at,
      refused_to: at,
    });
  }
  return {
    kind: 'too-many',
    message: MESSAGES.ingestQuota,
    retryAfterMs: Date.parse(usage.day) + 86_400_000 - at,
  };
}

/** The period in which results of a key were refused because of its quota. */
export interface RefusedTime {
  readonly key_id: KeyId;
  readonly refused_from: Ms;
  readonly refused_to: Ms;
}

export const refusedTimes = async ({
  sql,
  tenant,
}: {
  readonly sql: TenantTx['sql'];
  readonly tenant: TenantId;
}): Promise<readonly RefusedTime[]> =>
  (
    await sql
      .selectFrom('ingest_usage')
      .select(['key_id', 'refused_from', 'refused_to'])
      .where('tenant_id', '=', tenant)
      .where('refused_from', 'is not', null)
      .execute()
  ).flatMap(({ key_id, refused_from, refused_to }) =>
    refused_from === null || refused_to === null ? [] : [{ key_id, refused_from, refused_to }],
  );

/** Returns whether a result of a key due in this period may have been refused. */
export const wasRefused = (times: readonly RefusedTime[], key: KeyId, from: Ms, to: Ms): boolean =>
  times.some(
    (time) =>
      time.key_id === key && time.refused_from <= to && time.refused_to + REFUSED_EVERY_MS >= from,
  );
