import type { Credentials } from '#contract/connections/calls.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Endpoint } from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { ConnectionRow } from './task.ts';
import { outcomeMessages } from './outcome.messages.en.ts';

const place = (id: string) => ({ table: 'connection', column: 'sealed', row: id });

export const sealCredentials = (
  tx: TenantTx,
  context: AppContext,
  id: string,
  { secret }: Credentials,
): Promise<string> => seal(tx, context, place(id), secret);

/**
 * Throws a `SourceError` if the secret cannot be opened, because the key that sealed it is lost.
 */
export async function getEndpoint(
  tx: TenantTx,
  context: AppContext,
  { id, address, certificate, sign_in, username, sealed }: ConnectionRow,
): Promise<Endpoint> {
  const secret = await unseal(tx, context, place(id), sealed).catch(() => {
    throw new SourceError('refused', outcomeMessages.credentialsUnreadable);
  });
  return {
    address,
    certificate,
    credentials:
      sign_in === 'key' ? { kind: 'key', secret } : { kind: sign_in, name: username ?? '', secret },
  };
}

export const connectionRow = (
  { sql, tenant }: TenantTx,
  id: string,
): Promise<ConnectionRow | undefined> =>
  sql
    .selectFrom('connection')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
