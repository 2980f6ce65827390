import { CompiledQuery } from 'kysely';
import type { Bytes, KeyId, Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { prepared } from '../db/prepared.ts';
import type { TenantTx } from '../db/store.ts';

/** How much each key, and all keys of a provider together, may store per day. */
interface Quota {
  readonly keyBytes: Bytes;
  readonly providerBytes: Bytes;
}
const getQuota = (set: Partial<Quota> | null | undefined): Quota => ({
  keyBytes: set?.keyBytes ?? LIMITS.ingestKeyBytesPerDay,
  providerBytes: set?.providerBytes ?? LIMITS.ingestProviderBytesPerDay,
});

/** What was stored so far on a day (UTC). */
export interface IngestUsage {
  readonly day: string;
  readonly quota: Quota;
  totalBytes: Bytes;
  readonly keys: Map<KeyId, { bytes: Bytes; refusedTo: Ms | null }>;
}

const READ =
  prepared(`select p.settings->'ingestQuota' as quota, u.key_id, u.bytes, u.refused_to from provider as p
  left join ingest_usage as u on u.tenant_id = p.tenant_id and u.day = $2 where p.tenant_id = $1`);
/** Returns the cached usage of the current day. Requires the lock of the head row. */
export const usageMemory = (tx: TenantTx): { usage: IngestUsage | null } =>
  tx.memory<{ usage: IngestUsage | null }>('ingest usage', () => ({ usage: null }));

/** Call after a change of the quota, under the lock of the head row. */
export const forgetUsage = (tx: TenantTx): void => {
  usageMemory(tx).usage = null;
};

export async function readIngestUsage(tx: TenantTx, day: string): Promise<IngestUsage> {
  const { rows } = await tx.sql.executeQuery(CompiledQuery.raw(READ, [tx.tenant, day]));
  const found = rows as {
    quota: Partial<Quota> | null;
    key_id: KeyId | null;
    bytes: number | null;
    refused_to: Ms | null;
  }[];
  const keys = new Map(
    found.flatMap(({ key_id, bytes, refused_to }) =>
      key_id === null ? [] : [[key_id, { bytes: bytes ?? 0, refusedTo: refused_to }] as const],
    ),
  );
  return {
    day,
    quota: getQuota(found[0]?.quota),
    totalBytes: [...keys.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    keys,
  };
}
