import type { BILLING_SECRETS } from '#contract/billing/service-levels.ts';
import type { SecretName } from '#contract/branding/settings.ts';
import type { TenantTx } from '../db/store.ts';
import { seal, unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';

/**
 * The secrets of a provider: of its settings, its web push key, its ticketing system, QuickBooks
 * (the app's secret and the tokens), and its billing.
 */
export type StoredSecret =
  | SecretName
  | 'connectwise'
  | 'autotask'
  | 'push'
  | 'quickbooks'
  | 'quickbooks-tokens'
  | (typeof BILLING_SECRETS)[number];
const place = (name: StoredSecret) => ({ table: 'secret', column: 'sealed', row: name });

/** Returns a secret of the provider in clear text; null if it isn't set. */
export async function readSecret(
  tx: TenantTx,
  context: AppContext,
  name: StoredSecret,
): Promise<string | null> {
  const row = await tx.sql
    .selectFrom('secret')
    .select('sealed')
    .where('tenant_id', '=', tx.tenant)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ? unseal(tx, context, place(name), row.sealed) : null;
}

/** Stores the secret sealed and replaces the previous one; null deletes it. */
export async function storeSecret(
  tx: TenantTx,
  context: AppContext,
  name: StoredSecret,
  value: string | null,
): Promise<void> {
  const { tenant, sql } = tx;
  if (value === null) {
    await sql
      .deleteFrom('secret')
      .where('tenant_id', '=', tenant)
      .where('name', '=', name)
      .execute();
    return;
  }
  const row = { sealed: await seal(tx, context, place(name), value), at: context.clock.now() };
  await sql
    .insertInto('secret')
    .values({ tenant_id: tenant, name, ...row })
    .onConflict((on) => on.columns(['tenant_id', 'name']).doUpdateSet(row))
    .execute();
}
