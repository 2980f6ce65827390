/** Logs of which the beginning is archived, and the same logs as a whole. */
import { sql } from 'kysely';
import { TABLE_NAMES, TABLES } from '#contract/tables.ts';
import type { NewEvent } from '#contract/events.ts';
import type { TenantId } from '#contract/ids.ts';
import { archiveLog, type ArchivePolicy } from '#server/platform/events/archive/archive-log.ts';
import { sqlName } from '#server/platform/db/projected-tables.ts';
import type { Store } from '#server/platform/db/store.ts';
import { byClock } from '../db/drafts.ts';

export const ALL = {
  minEvents: 1,
  maxEvents: 1_000_000,
  pieceRows: 4,
  before: Number.MAX_SAFE_INTEGER,
} as const;

const SUBSCRIPTION = '40000000-0000-4000-8000-000000000001';
/** An event that bills need, however old it is. */
export const subscribed: NewEvent = {
  company: 1,
  entity: `subscription:${SUBSCRIPTION}`,
  event: {
    type: 'subscription.started@1',
    data: {
      id: SUBSCRIPTION,
      company: 1,
      status: 'active',
      currency: 'EUR',
      level: 'basic',
      userMills: 2_000,
      gigabyteMills: 0,
      minimumUsers: 0,
      periodEndsAt: byClock.at + 30 * 86_400_000,
      trialEndsAt: null,
      hasCard: false,
    },
  },
};

/** Appends batches, each at its own time, and says that all readers have read them. */
export async function appendAll(
  store: Store,
  tenant: TenantId,
  batches: readonly (readonly NewEvent[])[],
  at: (index: number) => number = () => byClock.at,
): Promise<void> {
  for (const [index, batch] of batches.entries())
    await store.tenant(tenant, (tx) => tx.append(batch, { ...byClock, at: at(index) }));
  const { seq } = await store.tenant(tenant, (tx) => tx.head());
  await setSeen(store, tenant, seq);
}

/** Sets how far the readers with a stored position have read. */
export const setSeen = (
  store: Store,
  tenant: TenantId,
  seq: number,
  notified = seq,
): Promise<unknown> =>
  store.tenant(tenant, async ({ sql: db }) => {
    await db
      .insertInto('backup_runs_seen')
      .values({ tenant_id: tenant, log_seq: seq })
      .onConflict((on) => on.column('tenant_id').doUpdateSet({ log_seq: seq }))
      .execute();
    await db
      .insertInto('notify_seen')
      .values({ tenant_id: tenant, log_seq: notified, stood_at: 0 })
      .onConflict((on) => on.column('tenant_id').doUpdateSet({ log_seq: notified }))
      .execute();
  });

export const archive = (
  store: Store,
  tenant: TenantId,
  policy: Partial<ArchivePolicy> & Pick<ArchivePolicy, 'folder'>,
): Promise<number> =>
  archiveLog(
    { store, tenant, signal: new AbortController().signal },
    { ...ALL, ...policy },
    byClock.at,
  );

/** What the database says about the archive of a log, and which events it still has. */
export const readCuts = (store: Store, tenant: TenantId) =>
  store.tenant(tenant, async ({ sql: db }) => ({
    cut: (await sql<{ cut: number }>`select cut_seq as cut from head`.execute(db)).rows[0]?.cut,
    parts: (
      await sql<{
        first: number;
        last: number;
      }>`select first_seq as first, seq as last from log_cut order by seq`.execute(db)
    ).rows.map(({ first, last }) => [first, last]),
    events: (await sql<{ seq: number }>`select seq from event order by seq`.execute(db)).rows.map(
      ({ seq }) => seq,
    ),
    hashes: (
      await sql<{ seq: number }>`select seq from log_hash order by seq`.execute(db)
    ).rows.map(({ seq }) => seq),
  }));

/** Every row that comes from the log, and the events after a number. */
export const readState = (store: Store, tenant: TenantId, after: number) =>
  store.tenant(
    tenant,
    async (tx) => {
      const tables: Record<string, unknown> = {};
      for (const name of TABLE_NAMES)
        tables[name] = (
          await sql`select row from ${sql.table(sqlName(name))} order by ${sql.ref(TABLES[name].key)}`.execute(
            tx.sql,
          )
        ).rows;
      for (const [name, order] of [
        ['run_day', 'day'],
        ['job_kind', 'company_n'],
        ['repository_sample', 'repository_id, at'],
        ['quarantine', 'seq'],
      ] as const)
        tables[name] = (
          await sql`select to_jsonb(t) - 'tenant_id' as row from ${sql.table(name)} as t order by ${sql.raw(order)}`.execute(
            tx.sql,
          )
        ).rows;
      return { tables, events: await tx.eventsAfter(after, 100_000) };
    },
    { readOnly: true },
  );

/** Runs statements as the tables' owner: what a failing disk may do. */
export const damage = (store: Store, tenant: TenantId, statement: string): Promise<void> =>
  store.system(async (db) => {
    await sql`reset role`.execute(db);
    await sql`select set_config('app.tenant_id', ${tenant}, true)`.execute(db);
    await sql.raw(statement).execute(db);
  });
