import { CompiledQuery } from 'kysely';
import type { Failure } from '#contract/errors.ts';
import type { Bytes, KeyId, Ms, TenantId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import { type IngestUsage, readUsage, usageMemory } from '../../platform/tenancy/ingest-usage.ts';
import { prepared } from '../../platform/db/prepared.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { clampLog } from './clamp-log.ts';
import type { Normal } from './normalize.ts';

/** What a key has used of its day, and may use. */
export interface Allowance {
  readonly key: KeyId;
  readonly usage: IngestUsage;
}

/** What an event, its row and their indexes take up, roughly, without a log and objects. */
export const RECORD_BYTES: Bytes = 1_000;
/**
 * The share of a quota after which logs are left out, so that results without logs are stored for
 * longer.
 */
const LOG_SHARE = 0.8;
/** How often refused results are recorded. */
const REFUSED_EVERY_MS: Ms = 60_000;
/** As long as an expectation to run may look back. */
const KEEP_MS: Ms = 32 * 86_400_000;

const ADD =
  prepared(`insert into ingest_usage (tenant_id, day, key_id, bytes, logs_dropped, refused_from, refused_to)
  values ($1::uuid, $2::text, $3::text, $4::bigint, $5::bigint, $6::bigint, $6::bigint)
  on conflict (tenant_id, day, key_id) do update set bytes = ingest_usage.bytes + excluded.bytes, logs_dropped = ingest_usage.logs_dropped + excluded.logs_dropped,
    refused_from = coalesce(ingest_usage.refused_from, excluded.refused_from), refused_to = coalesce(excluded.refused_to, ingest_usage.refused_to)`);

/**
 * ING-17: what a key may still store today, read under the lock of the head row. `alone`: no other
 * server writes here, so that what was read once on a day holds. Null: what the provider's own
 * connections collect has no quota.
 */
export async function allowanceOf(
  tx: TenantTx,
  { id, connection }: KeyRow,
  at: Ms,
  alone: boolean,
): Promise<Allowance | null> {
  if (connection !== undefined) return null;
  const day = utcDay(at);
  const memory = usageMemory(tx);
  if (!alone || memory.usage?.day !== day) memory.usage = await readUsage(tx, day);
  return { key: id, usage: memory.usage };
}
/** The bytes that a key may still store today; `logs`: as a log. */
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

/** Whether so much more fits; a log, or what else there is. */
export const fits = (allowance: Allowance | null, bytes: Bytes, logs = false): boolean =>
  allowance === null || bytes <= left(allowance, logs);

/**
 * The results as they may be stored: without the logs that do not fit. Null where not even the
 * results fit.
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
/** Of a log as it is stored. */
export const logBytes = (log: string): Bytes => Buffer.byteLength(clampLog(log, LIMITS.logBytes));

/** Counts what was stored, in the transaction that stores it. */
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
  // The first of a day takes what is too old to matter with it.
  if (before === undefined)
    tx.send(
      tx.sql
        .deleteFrom('ingest_usage')
        .where('tenant_id', '=', tx.tenant)
        .where('day', '<', utcDay(Date.parse(usage.day) - KEEP_MS))
        .compile(),
    );
  tx.send(CompiledQuery.raw(ADD, [tx.tenant, usage.day, key, bytes, dropped, null]));
}

/**
 * The answer to a source that has used up its day. The refusal is stored, so that its jobs do not
 * count as silent.
 */
export function refuseOver(tx: TenantTx, { key, usage }: Allowance, at: Ms): Failure {
  const before = usage.keys.get(key);
  if (
    before?.refusedTo === null ||
    before?.refusedTo === undefined ||
    at - before.refusedTo >= REFUSED_EVERY_MS
  ) {
    usage.keys.set(key, { bytes: before?.bytes ?? 0, refusedTo: at });
    tx.send(CompiledQuery.raw(ADD, [tx.tenant, usage.day, key, 0, 0, at]));
  }
  return {
    kind: 'too-many',
    message: MESSAGES.ingestQuota,
    retryAfterMs: Date.parse(usage.day) + 86_400_000 - at,
  };
}

/** When results of a key were refused for its quota. */
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

/** Whether a result of a key that was due in this time may have been one that was refused. */
export const wasRefused = (times: readonly RefusedTime[], key: KeyId, from: Ms, to: Ms): boolean =>
  times.some(
    (time) =>
      time.key_id === key && time.refused_from <= to && time.refused_to + REFUSED_EVERY_MS >= from,
  );
