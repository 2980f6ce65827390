import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import { SOURCES } from '#contract/runs/vocabulary.ts';
import type { LastSync, SyncedSources } from '#contract/sync/calls.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { collectedHealth } from './collected-health.ts';
import { type SyncScope, isCompanyInScope } from './scope.ts';

const EMPTY: LastSync = { status: 'NEVER', at: null, failed: [], sources: [] };

/**
 * Returns how the sources within a scope last synced. A source counts as failed if its last request
 * was unusable.
 */
export async function lastSyncIn(tx: TenantTx, scope: SyncScope): Promise<LastSync> {
  if (!scope.reads.has('sourceHealth')) return EMPTY;
  const rows = await tx.sql
    .selectFrom('source_health as h')
    .innerJoin('source_key as k', (join) =>
      join.onRef('k.tenant_id', '=', 'h.tenant_id').onRef('k.id', '=', 'h.key_id'),
    )
    .select(['k.row as key', 'h.last_heard_at', 'h.last_fault_at', 'h.last_fault'])
    .where('h.tenant_id', '=', tx.tenant)
    .where('k.tenant_id', '=', tx.tenant)
    .orderBy('k.id')
    .execute();
  const seen = rows.filter(
    ({ key }) =>
      key.revokedAt === null &&
      key.connection === undefined &&
      isCompanyInScope(scope, key.company),
  );
  const faulty = seen.flatMap(
    ({ key, last_heard_at: heard, last_fault_at: at, last_fault: message }) =>
      at !== null && at > (heard ?? 0) ? [{ key, at, message: message ?? '' }] : [],
  );
  const collected = await collectedHealth(tx, scope);
  const names = await tx.rows('company', [
    ...new Set([
      ...faulty.map(({ key }) => key.company),
      ...collected.failed.flatMap(({ company }) => company ?? []),
    ]),
  ]);
  const companyName = (n: number | null): string | null =>
    n === null ? null : (names.get(n)?.name ?? null);
  const getId = (id: string): string | null => (scope.reads.has('key') ? id : null);
  const failed = [
    ...faulty.map(({ key, at, message }) => ({
      entity: key.name,
      at,
      message,
      kind: 'key' as const,
      id: getId(key.id),
      name: key.name,
      company: companyName(key.company),
    })),
    ...collected.failed.map(({ id, company, ...one }) => ({
      ...one,
      kind: 'connection' as const,
      id: getId(id),
      company: companyName(company),
    })),
  ];
  const newest = (some: typeof seen): number | null =>
    latest(some.map(({ last_heard_at: heard }) => heard));
  const posting = SOURCES.map((source) => ({
    source,
    of: seen.filter(({ key }) => key.tool === source),
  }))
    .filter(({ of }) => of.length > 0)
    .map(({ source, of }) => ({
      source,
      keys: of.length,
      at: newest(of),
      failed: faulty.filter(({ key }) => key.tool === source).length,
    }));
  const sources = [
    ...posting.filter(({ source }) => !collected.sources.some((one) => one.source === source)),
    ...collected.sources.map((one) =>
      joined(
        one,
        posting.find(({ source }) => source === one.source),
      ),
    ),
  ];
  const at = latest([newest(seen), ...collected.sources.map((one) => one.at)]);
  return {
    status: failed.length > 0 ? 'FAILED' : at === null ? 'NEVER' : 'SUCCEEDED',
    at,
    failed,
    sources,
  };
}

/**
 * SYNC-14: returns the same for a device, with a tag that the device sends to name its version;
 * null for users who may not read it. The time of a source's last sync changes constantly, so the
 * tag rounds it to the minute.
 */
export async function syncedSources(
  tx: TenantTx,
  scope: SyncScope,
  cutoffAt: Ms,
): Promise<SyncedSources | null> {
  if (!scope.reads.has('sourceHealth')) return null;
  const lastSync = await lastSyncIn(tx, scope);
  const coarse = {
    ...lastSync,
    at: minute(lastSync.at),
    sources: lastSync.sources.map((one) => ({ ...one, at: minute(one.at) })),
  };
  return {
    ...lastSync,
    tag: createHash('sha256').update(JSON.stringify(coarse)).digest('hex').slice(0, 16),
    asOf: cutoffAt,
  };
}

/**
 * Returns a text that changes whenever the tag of `syncedSources` may change without an event. Must
 * be cheap: it is read for every provider with an open stream.
 */
export async function sourcesMark(tx: TenantTx): Promise<string> {
  const { rows } = await tx.sql.executeQuery<{ mark: string }>(
    CompiledQuery.raw(
      `select concat_ws(' ',
    (select concat_ws(',', count(*), count(*) filter (where last_fault_at > coalesce(last_heard_at, 0)), sum(last_heard_at / $2::bigint), sum(last_fault_at)) from source_health where tenant_id = $1::uuid),
    (select concat_ws(',', count(*), count(*) filter (where enabled), sum(changed_at)) from connection where tenant_id = $1::uuid),
    (select concat_ws(',', count(*), count(*) filter (where fails > 0), sum(succeeded_at / $2::bigint), sum(error_at)) from collection where tenant_id = $1::uuid)) as mark`,
      [tx.tenant, MINUTE_MS],
    ),
  );
  return rows[0]?.mark ?? '';
}

const minute = (at: Ms | null): Ms | null =>
  at === null ? null : Math.floor(at / MINUTE_MS) * MINUTE_MS;
const latest = (times: readonly (Ms | null)[]): Ms | null =>
  times.reduce<Ms | null>((newest, at) => (at === null ? newest : Math.max(newest ?? 0, at)), null);

/** Merges what a system posts and what is collected from it. */
const joined = (
  a: LastSync['sources'][number],
  b: LastSync['sources'][number] | undefined,
): LastSync['sources'][number] =>
  b === undefined
    ? a
    : {
        source: a.source,
        keys: a.keys + b.keys,
        failed: a.failed + b.failed,
        at: latest([a.at, b.at]),
      };
