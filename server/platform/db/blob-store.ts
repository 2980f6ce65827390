import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from './store.ts';
import { seal, unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';

/**
 * A file that is stored until a day. Names and types must come from our code, because they appear
 * in headers.
 */
export interface NewBlob {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly until: Ms;
}
export interface StoredBlob {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

const place = (row: string) => ({ table: 'kept_file', column: 'sealed', row });

/** Stores a file, sealed under the provider's key. Returns its id. */
export async function storeBlob(
  tx: TenantTx,
  context: AppContext,
  { name, type, bytes, until }: NewBlob,
): Promise<string> {
  const id = context.chance.uuid();
  const sealed = await seal(tx, context, place(id), Buffer.from(bytes).toString('base64'));
  await tx.sql
    .insertInto('kept_file')
    .values({
      tenant_id: tx.tenant,
      id,
      name,
      type,
      bytes: bytes.byteLength,
      sealed,
      made_at: context.clock.now(),
      until,
    })
    .execute();
  return id;
}

/** Returns null if the file no longer exists. */
export async function readBlob(
  tx: TenantTx,
  context: AppContext,
  id: string,
): Promise<StoredBlob | null> {
  const row = await tx.sql
    .selectFrom('kept_file')
    .select(['name', 'type', 'sealed'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  return row
    ? {
        name: row.name,
        type: row.type,
        bytes: Buffer.from(await unseal(tx, context, place(id), row.sealed), 'base64'),
      }
    : null;
}

/** Deletes expired files. */
export const deleteExpiredBlobs = ({ sql, tenant }: TenantTx, now: Ms): Promise<unknown> =>
  sql.deleteFrom('kept_file').where('tenant_id', '=', tenant).where('until', '<=', now).execute();
