import type { SecretName } from '#contract/brand/settings.ts';
import type { TenantTx } from '../store/store.ts';
import { seal, unseal } from '../vault.ts';
import type { AppContext } from '../world.ts';

/**
 * What a provider keeps sealed: of its settings, the key of its web push, of the ticketing system
 * that it connected, and of QuickBooks: the secret of its app, and the tokens.
 */
export type KeptSecret =
  | SecretName
  | 'connectwise'
  | 'autotask'
  | 'push'
  | 'quickbooks'
  | 'quickbooks-tokens';
const place = (name: KeptSecret) => ({ table: 'secret', column: 'sealed', row: name });

/** A secret of the provider, opened; null where it has set none. */
export async function secretOf(
  tx: TenantTx,
  world: AppContext,
  name: KeptSecret,
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
export async function keepSecret(
  tx: TenantTx,
  world: AppContext,
  name: KeptSecret,
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
