import { createCipheriv, createDecipheriv } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TenantId } from '#contract/ids.ts';
import type { TenantTx } from './store/store.ts';
import type { World } from './world.ts';

/** Where a secret stands: what was sealed for one place does not open in another (G51). */
export interface Place { readonly table: string; readonly column: string; readonly row: string }

/** `v1:<key id>:<iv>:<ciphertext and tag>`, base64url. */
const FORM = /^v1:([\w-]+):([\w-]+):([\w-]+)$/;
const KEK = 'v1';
const keys = new WeakMap<TenantTx['sql'], Buffer>();
const masters = new WeakMap<World, Buffer>();

/** Seals a secret under the provider's own key, which itself is sealed under the server's (envelope, AES-256-GCM). */
export async function seal(tx: TenantTx, world: World, place: Place, plain: string): Promise<string> {
  return close(world, await tenantKey(tx, world), KEK, aad(tx.tenant, place), Buffer.from(plain, 'utf8'));
}

/** Throws where it was changed, moved, or sealed under another key. */
export async function unseal(tx: TenantTx, world: World, place: Place, sealed: string): Promise<string> {
  return open(await tenantKey(tx, world), aad(tx.tenant, place), sealed).toString('utf8');
}

async function tenantKey(tx: TenantTx, world: World): Promise<Buffer> {
  const known = keys.get(tx.sql);
  if (known) return known;
  const { tenant, sql } = tx;
  const name = 'tenant-key', place = aad(tenant, { table: 'secret', column: 'sealed', row: name });
  const read = () => sql.selectFrom('secret').select('sealed').where('tenant_id', '=', tenant).where('name', '=', name).executeTakeFirst();
  let row = await read();
  if (!row) {
    const sealed = close(world, masterKey(world), KEK, place, Buffer.from(world.chance.bytes(32)));
    await sql.insertInto('secret').values({ tenant_id: tenant, name, sealed, at: world.clock.now() }).onConflict((on) => on.columns(['tenant_id', 'name']).doNothing()).execute();
    row = await read();
  }
  if (!row) throw new Error('a provider without a key');
  const key = open(masterKey(world), place, row.sealed);
  keys.set(sql, key);
  return key;
}

/** The server's own key: from its settings, else from a file beside the data that only its user can read. */
function masterKey(world: World): Buffer {
  const there = masters.get(world);
  if (there) return there;
  const { config: { secretKey, dataDir }, chance } = world;
  const made = secretKey === null ? keyFile(dataDir, () => Buffer.from(chance.bytes(32))) : Buffer.from(secretKey, 'base64url');
  if (made.length !== 32) throw new Error('The secret key must be 32 bytes in base64url.');
  masters.set(world, made);
  return made;
}

function keyFile(dataDir: string, make: () => Buffer): Buffer {
  if (dataDir === '') return make(); // in memory only: a test
  const file = join(dataDir, 'secret.key');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${make().toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
}

const aad = (tenant: TenantId, { table, column, row }: Place): Buffer => Buffer.from(`${table}|${column}|${tenant}|${row}|${KEK}`);

function close({ chance }: World, key: Buffer, kid: string, bound: Buffer, plain: Buffer): string {
  const iv = Buffer.from(chance.bytes(12)), cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound);
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `v1:${kid}:${iv.toString('base64url')}:${body.toString('base64url')}`;
}

function open(key: Buffer, bound: Buffer, sealed: string): Buffer {
  const [, , iv = '', body = ''] = FORM.exec(sealed) ?? [];
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length < 16) throw new Error('A secret cannot be read.');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url')).setAAD(bound).setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
}
