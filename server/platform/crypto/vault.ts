import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { TenantId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';
import type { MasterKey, MasterKeys } from './master-key.ts';
import type { AppContext } from '../app-context.ts';
import { configMessages as t } from '../config.messages.en.ts';

/** The place of a sealed secret. It can't be opened in another place (G51). */
export interface SecretRef {
  readonly table: string;
  readonly column: string;
  readonly row: string;
}

/** `v1:<key id>:<iv>:<ciphertext and tag>`, base64url. */
const FORM = /^v1:([\w-]+):([\w-]+):([\w-]+)$/;
/**
 * The id of a provider's own key. It is also the id of the first master key, from before they had
 * ids.
 */
const FIRST = 'v1';

/** What sealing and opening need of a server. */
export type VaultContext = Pick<AppContext, 'chance' | 'clock' | 'keyring'>;

/**
 * Seals a secret under the provider's own key, which is sealed under the master key (envelope
 * encryption, AES-256-GCM).
 */
export async function seal(
  tx: TenantTx,
  context: VaultContext,
  place: SecretRef,
  plain: string,
): Promise<string> {
  return close(
    context,
    { id: FIRST, key: await tenantKey(tx, context) },
    tx.tenant,
    place,
    Buffer.from(plain, 'utf8'),
  );
}

/** @throws if the secret was changed, moved, or sealed under another key. */
export async function unseal(
  tx: TenantTx,
  context: VaultContext,
  place: SecretRef,
  sealed: string,
): Promise<string> {
  return open(await tenantKey(tx, context), tx.tenant, place, sealed).toString('utf8');
}

/** A secret of the server belongs to no provider. */
/** Secrets of the server belong to no provider. */
const SERVER = '' as TenantId;
const SERVER_TABLE = { table: 'server_setting', column: 'value' } as const;

/**
 * Seals a secret of the server directly under the current master key, for the row `name` of
 * `server_setting`.
 */
export const sealForServer = (context: VaultContext, name: string, plain: string): string =>
  close(
    context,
    context.keyring.keys()[0],
    SERVER,
    { ...SERVER_TABLE, row: name },
    Buffer.from(plain, 'utf8'),
  );

/**
 * @throws if the secret was changed, moved to another row, or sealed under a key that this server
 * doesn't have.
 */
export function unsealForServer(context: VaultContext, name: string, sealed: string): string {
  return openUnderMasterKey(
    context,
    SERVER,
    { ...SERVER_TABLE, row: name },
    sealed,
    t.serverKeyMissing,
  ).toString('utf8');
}

/** Returns the id of the key that sealed the text; null if the text is not sealed. */
export const sealedUnder = (text: string): string | null => FORM.exec(text)?.[1] ?? null;

const KEY_PLACE: SecretRef = { table: 'secret', column: 'sealed', row: 'tenant-key' };

const tenantKey = (tx: TenantTx, context: VaultContext): Promise<Buffer> =>
  tx.once('tenant-key', () => readTenantKey(tx, context));

async function readTenantKey(tx: TenantTx, context: VaultContext): Promise<Buffer> {
  const { tenant, sql } = tx;
  let sealed = await wrapped(tx);
  if (sealed === null) {
    const fresh = close(
      context,
      context.keyring.keys()[0],
      tenant,
      KEY_PLACE,
      Buffer.from(context.chance.bytes(32)),
    );
    await sql
      .insertInto('secret')
      .values({ tenant_id: tenant, name: KEY_PLACE.row, sealed: fresh, at: context.clock.now() })
      .onConflict((on) => on.columns(['tenant_id', 'name']).doNothing())
      .execute();
    sealed = await wrapped(tx);
  }
  if (sealed === null) throw new Error('a provider without a key');
  return unwrap(context, tenant, sealed);
}

const wrapped = async ({ tenant, sql }: TenantTx): Promise<string | null> =>
  (
    await sql
      .selectFrom('secret')
      .select('sealed')
      .where('tenant_id', '=', tenant)
      .where('name', '=', KEY_PLACE.row)
      .executeTakeFirst()
  )?.sealed ?? null;

function unwrap(context: VaultContext, tenant: TenantId, sealed: string): Buffer {
  return openUnderMasterKey(context, tenant, KEY_PLACE, sealed, t.providerKeyMissing);
}

/**
 * Opens it with whichever master key sealed it. An unknown key may be new, so the file is read
 * again.
 */
function openUnderMasterKey(
  context: VaultContext,
  tenant: TenantId,
  place: SecretRef,
  sealed: string,
  missing: string,
): Buffer {
  const id = sealedUnder(sealed) ?? '';
  const named = (all: MasterKeys): readonly MasterKey[] =>
    id === FIRST ? all : all.filter((one) => one.id === id);
  let fitting = named(context.keyring.keys());
  if (fitting.length === 0) {
    context.keyring.forget();
    fitting = named(context.keyring.keys());
  }
  for (const [n, { key }] of fitting.entries()) {
    try {
      return open(key, tenant, place, sealed);
    } catch (error) {
      if (n === fitting.length - 1) throw error;
    }
  }
  throw new Error(missing);
}

/**
 * Returns whether this server has the key that seals the provider's own key; true if the provider
 * has none yet.
 */
export async function canUnwrap(tx: TenantTx, context: VaultContext): Promise<boolean> {
  const sealed = await wrapped(tx);
  if (sealed === null) return true;
  try {
    unwrap(context, tx.tenant, sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Seals the provider's key under the current master key, if it isn't already. Secrets under the
 * provider's key stay as they are. Returns whether it changed.
 */
export async function rewrap(tx: TenantTx, context: VaultContext): Promise<boolean> {
  const sealed = await wrapped(tx);
  const [present] = context.keyring.keys();
  if (sealed === null || sealedUnder(sealed) === present.id) return false;
  const resealed = close(
    context,
    present,
    tx.tenant,
    KEY_PLACE,
    unwrap(context, tx.tenant, sealed),
  );
  await tx.sql
    .updateTable('secret')
    .set({ sealed: resealed, at: context.clock.now() })
    .where('tenant_id', '=', tx.tenant)
    .where('name', '=', KEY_PLACE.row)
    .where('sealed', '=', sealed)
    .execute();
  return true;
}

const aad = (tenant: TenantId, { table, column, row }: SecretRef, id: string): Buffer =>
  Buffer.from(`${table}|${column}|${tenant}|${row}|${id}`);

function close(
  { chance }: VaultContext,
  { id, key }: MasterKey,
  tenant: TenantId,
  place: SecretRef,
  plain: Buffer,
): string {
  const iv = Buffer.from(chance.bytes(12));
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad(tenant, place, id));
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `v1:${id}:${iv.toString('base64url')}:${body.toString('base64url')}`;
}

function open(key: Buffer, tenant: TenantId, place: SecretRef, sealed: string): Buffer {
  const [, id = '', iv = '', body = ''] = FORM.exec(sealed) ?? [];
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length < 16) throw new Error('A secret cannot be read.');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
    .setAAD(aad(tenant, place, id))
    .setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
}
