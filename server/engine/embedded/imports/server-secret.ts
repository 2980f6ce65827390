import type { ServerAccount } from '#contract/engine/imports.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** A server that is imported from, and the password. */
export interface ServerAccess {
  readonly account: ServerAccount;
  readonly password: string;
}

const getSecretPlace = (importId: string) =>
  ({ table: 'import_server', column: 'sealed', row: importId }) as const;

export const sealPassword = (
  tx: TenantTx,
  context: AppContext,
  importId: string,
  password: string,
): Promise<string> => seal(tx, context, getSecretPlace(importId), password);

/** Returns null after the import has ended. */
export async function openServer(
  tx: TenantTx,
  context: AppContext,
  {
    id,
    account,
    sealed,
  }: {
    readonly id: string;
    readonly account: ServerAccount | null;
    readonly sealed: string | null;
  },
): Promise<ServerAccess | null> {
  if (account === null || sealed === null) return null;
  return { account, password: await unseal(tx, context, getSecretPlace(id), sealed) };
}
