import { loadBranding, loadHosts } from '#server/platform/tenancy/branding.ts';
import { ROLES } from '#contract/abilities.ts';
import type { ProviderOverview } from '#contract/providers/admin-calls.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { readIngestUsage } from '../../platform/tenancy/ingest-usage.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { lastBefore } from './event-log.ts';
import { loadBackupHealth, loadSubscriptionFigures } from './suite-overview.ts';

/** Returns the state of one provider, in one snapshot. */
export const loadOverview = (
  context: AppContext,
  tenant: TenantId,
  own: boolean,
  now: Ms,
): Promise<ProviderOverview> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      const { sql } = tx;
      const { seq: head } = await tx.head();
      const branding = await loadBranding(tx);
      const hosts = await loadHosts(tx);
      const users = (await tx.all('user')).filter(({ deletedAt }) => deletedAt === null);
      const { signedIn } = await sql
        .selectFrom('session')
        .select((e) => e.fn.count<number>('user_id').distinct().as('signedIn'))
        .where('tenant_id', '=', tenant)
        .where('ended_at', 'is', null)
        .where('idle_until', '>', now)
        .where('absolute_until', '>', now)
        .executeTakeFirstOrThrow();
      const { jobs } = await sql
        .selectFrom('job')
        .select((e) => e.fn.countAll<number>().as('jobs'))
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow();
      const { quarantine } = await sql
        .selectFrom('quarantine')
        .select((e) => e.fn.countAll<number>().as('quarantine'))
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow();
      return {
        _id: tenant,
        name: branding.name,
        hosts,
        own,
        users: ROLES.map((role) => ({
          role,
          users: users.filter(({ roles }) => roles.includes(role)).length,
        })).filter(({ users: count }) => count > 0),
        active: users.length,
        signedIn,
        companies: (await tx.all('company')).filter(({ deletedAt }) => deletedAt === undefined)
          .length,
        jobs,
        ingest: {
          hour: await resultsSince(tx, now - HOUR_MS, head),
          day: await resultsSince(tx, now - 24 * HOUR_MS, head),
          ...(await storedToday(tx, now)),
        },
        sync: await loadSyncState(tx),
        outgoing: await loadOutgoing(tx),
        quarantine,
        events: head,
        log: await loadLogHealth(tx),
        backup: await loadBackupHealth(tx),
        subscriptions: await loadSubscriptionFigures(tx),
      };
    },
    { readOnly: true },
  );

async function loadLogHealth({
  sql,
  tenant,
}: TenantTx): Promise<NonNullable<ProviderOverview['log']>> {
  const { checked_at: checkedAt, damaged_parts: damagedParts } = await sql
    .selectFrom('head')
    .select(['checked_at', 'damaged_parts'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return { checkedAt, damagedParts };
}

/** Returns the number of results since then: it counts ends of runs, not starts. */
async function resultsSince(tx: TenantTx, since: Ms, head: number): Promise<number> {
  const after = await lastBefore(tx, since, head);
  const { count } = await tx.sql
    .selectFrom('event')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tx.tenant)
    .where('seq', '>', after)
    .where('type', '=', 'run.finished@1')
    .executeTakeFirstOrThrow();
  return count;
}

/** ING-17: returns what sources stored today, and the limit. */
async function storedToday(
  tx: TenantTx,
  now: Ms,
): Promise<Pick<ProviderOverview['ingest'], 'bytes' | 'limitBytes' | 'logsDropped' | 'refusedAt'>> {
  const day = utcDay(now);
  const { quota, totalBytes, keys } = await readIngestUsage(tx, day);
  const { dropped } = await tx.sql
    .selectFrom('ingest_usage')
    .select((e) => e.fn.sum<string | null>('logs_dropped').as('dropped'))
    .where('tenant_id', '=', tx.tenant)
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  const refusedAt = [...keys.values()].reduce<Ms | null>(
    (newest, { refusedTo }) => (refusedTo === null ? newest : Math.max(newest ?? 0, refusedTo)),
    null,
  );
  return {
    bytes: totalBytes,
    limitBytes: quota.providerBytes,
    logsDropped: Number(dropped ?? 0),
    refusedAt,
  };
}

/** A source counts as failed if its last request was not valid. */
async function loadSyncState(tx: TenantTx): Promise<ProviderOverview['sync']> {
  const keys = (await tx.all('key')).filter(({ revokedAt }) => revokedAt === null);
  const health = new Map(
    (
      await tx.sql
        .selectFrom('source_health')
        .selectAll()
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map((row) => [row.key_id, row]),
  );
  const failed = keys.flatMap(({ id, name }) => {
    const one = health.get(id);
    const at = one?.last_fault_at ?? null;
    return at !== null && at > (one?.last_heard_at ?? 0)
      ? [{ entity: name, at, message: one?.last_fault ?? '' }]
      : [];
  });
  const heard = keys.flatMap(({ id }) => health.get(id)?.last_heard_at ?? []);
  return {
    sources: keys.length,
    failed,
    at: heard.length === 0 ? null : heard.reduce((newest, at) => Math.max(newest, at), 0),
  };
}

/** Returns the queued messages and the failed ones. */
async function loadOutgoing({ tenant, sql }: TenantTx): Promise<ProviderOverview['outgoing']> {
  const waiting = await sql
    .selectFrom('outgoing')
    .select([
      (e) => e.fn.countAll<number>().as('count'),
      (e) => e.fn.min<Ms | null>('made_at').as('oldest'),
    ])
    .where('tenant_id', '=', tenant)
    .where('sent_at', 'is', null)
    .where('next_at', 'is not', null)
    .executeTakeFirstOrThrow();
  const failed = await sql
    .selectFrom('outgoing')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenant)
    .where('sent_at', 'is', null)
    .where('next_at', 'is', null)
    .where('fault', 'is not', null)
    .executeTakeFirstOrThrow();
  return { waiting: waiting.count, failed: failed.count, oldest: waiting.oldest };
}
