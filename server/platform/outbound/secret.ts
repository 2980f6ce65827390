import type { SecretName } from '#contract/branding/settings.ts';
import type { TenantTx } from '../db/store.ts';
import { seal, unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';

/**
 * What a provider keeps sealed: of its settings, the key of its web push, of the ticketing system
 * that it connected, and of QuickBooks: the secret of its app, and the tokens.
 */
export type StoredSecret =
  | SecretName
  | 'connectwise'
  | 'autotask'
  | 'push'
  | 'quickbooks'
  | 'quickbooks-tokens';
const place = (name: StoredSecret) => ({ table: 'secret', column: 'sealed', row: name });

/** A secret of the provider, opened; null where it has set none. */
export async function readSecret(
  tx: TenantTx,
  world: AppContext,
  name: StoredSecret,
): Promise<string | null> {
  const row = await tx.sql
    .selectFrom('secret')
    .select('sealed')
    .where('tenant_id', '=', tx.tenant)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ? unseal(tx, world, place(name), row.sealed) : null;
}

/** Keeps it sealed, in the place of the one before; null takes it away. */
export async function storeSecret(
  tx: TenantTx,
  world: AppContext,
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
  const row = { sealed: await seal(tx, world, place(name), value), at: world.clock.now() };
  await sql
    .insertInto('secret')
    .values({ tenant_id: tenant, name, ...row })
    .onConflict((on) => on.columns(['tenant_id', 'name']).doUpdateSet(row))
    .execute();
}
