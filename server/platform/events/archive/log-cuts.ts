import { sql as raw } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { Store, TenantTx } from '../../db/store.ts';
import type { FileRange, FileSum } from './archive-file.ts';

/**
 * Of these events some readers need all, however old: what subscriptions cost on each day (BILL-15).
 * The archive gets them, too, but the database never deletes them. There are few.
 */
export const IS_PINNED = raw<boolean>`type like 'subscription.%'`;
export const isPinned = (type: string): boolean => type.startsWith('subscription.');

/** A part of the log that is in the archive. */
export interface LogCut {
  readonly range: FileRange;
  readonly sum: FileSum;
  /** The time of its newest event. */
  readonly newestAt: Ms;
}

/** Returns the parts of a log that are in the archive, in the order of the log. */
export async function listCuts({ sql, tenant }: TenantTx): Promise<LogCut[]> {
  const rows = await sql
    .selectFrom('log_cut')
    .innerJoin('head', 'head.tenant_id', 'log_cut.tenant_id')
    .select(['log_cut.seq', 'first_seq', 'hash', 'newest_at', 'sha256', 'bytes'])
    .where('log_cut.tenant_id', '=', tenant)
    .whereRef('log_cut.seq', '<=', 'head.cut_seq')
    .orderBy('log_cut.seq')
    .execute();
  let before = '';
  return rows.map(({ seq: last, first_seq: first, hash, newest_at: newestAt, sha256, bytes }) => {
    const range = { tenant, first, last, before, hash };
    before = hash;
    return { range, sum: { sha256, bytes }, newestAt };
  });
}

/** Returns whether events of any provider are only in the archive. */
export async function hasCuts(store: Store): Promise<boolean> {
  for (const tenant of await store.tenants())
    if ((await store.tenant(tenant, (tx) => tx.head(), { readOnly: true })).cut > 0) return true;
  return false;
}

/** Returns the time of the newest archived event; null if none is archived. */
export async function loadArchivedUntil({ sql, tenant }: TenantTx): Promise<Ms | null> {
  const row = await sql
    .selectFrom('head')
    .innerJoin('log_cut', (on) =>
      on
        .onRef('log_cut.tenant_id', '=', 'head.tenant_id')
        .onRef('log_cut.seq', '<=', 'head.cut_seq'),
    )
    .select(({ fn }) => fn.max('log_cut.newest_at').as('at'))
    .where('head.tenant_id', '=', tenant)
    .executeTakeFirst();
  return row?.at ?? null;
}
