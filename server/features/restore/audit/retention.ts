import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { IS_RESTORE_AUDIT } from './query.ts';
import { loadProviderSettings } from '#server/platform/tenancy/provider-settings.ts';

const YEAR_MS: Ms = 365.25 * 86_400_000;

/** For how many years the provider stores the audit of restores; null: forever. */
export async function loadRetentionYears(tx: TenantTx): Promise<number | null> {
  const settings = await loadProviderSettings(tx);
  return settings.restoreAuditYears ?? null;
}

/**
 * RES-56: deletes entries that are older than the provider stores them. The database lets nobody
 * delete others: the audit is append-only.
 */
export async function deleteOldAudit(tx: TenantTx, now: Ms): Promise<void> {
  const years = await loadRetentionYears(tx);
  if (years === null) return;
  const before = now - years * YEAR_MS;
  // On Citus, `set_config` would stay on one node.
  await sql`set local app.audit_before = ${sql.lit(String(before))}`.execute(tx.sql);
  await sql`
    delete from audit as a where a.tenant_id = ${tx.tenant} and a.at < ${before} and ${IS_RESTORE_AUDIT}`.execute(
    tx.sql,
  );
  await sql`set local app.audit_before = ''`.execute(tx.sql);
}
