import { createHash } from 'node:crypto';
import type { Failure } from '#contract/errors.ts';
import type { KeyId, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

/** An authenticated source: its key and its provider. */
export interface Holder {
  readonly tenant: TenantId;
  readonly key: KeyRow;
}

/** `dbk_` and 32 bytes in base64url. */
export const SECRET = /^dbk_[A-Za-z0-9_-]{43}$/;

export const secretOf = (bytes: Uint8Array): string =>
  `dbk_${Buffer.from(bytes).toString('base64url')}`;
/** Secrets are stored only as this hash. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
export const hintOf = (secret: string): string => secret.slice(-4);

/**
 * Authenticates by `Authorization: Bearer dbk_…`, or by `?access_token=` for senders that cannot
 * set a header: CloudEvents, as in their webhook companion specification, and Duplicati. It queries
 * the database each time, so a rotated or revoked key ends immediately.
 */
export function authenticateKey(world: AppContext, request: Request): Promise<Result<Holder>> {
  const known = asked.get(request);
  if (known) return known;
  const answer = holderOf(world, secretIn(request));
  asked.set(request, answer);
  return answer;
}

const asked = new WeakMap<Request, Promise<Result<Holder>>>();

/**
 * A cache of holders, so that a source that posts continuously is looked up once. `stands` checks
 * whether a cached key is still valid. The size is bounded: the oldest entries are evicted first.
 */
export interface KnownKeys {
  get(hash: string): Holder | undefined;
  put(hash: string, holder: Holder): void;
  forget(hash: string): void;
}

export function knownKeys(most = 10_000): KnownKeys {
  const holders = new Map<string, Holder>();
  return {
    get: (hash) => holders.get(hash),
    put(hash, holder) {
      holders.set(hash, holder);
      if (holders.size > most)
        for (const oldest of holders.keys()) {
          holders.delete(oldest);
          break;
        }
    },
    forget: (hash) => void holders.delete(hash),
  };
}

/** Returns the hash of the secret in the request; null if there is none. */
export function hashIn(request: Request): string | null {
  const secret = secretIn(request);
  return SECRET.test(secret) ? hashOf(secret) : null;
}

/**
 * Returns the current key; null if it was rotated or revoked since it was read. Call it under the
 * lock of the head row, which every change of a key also takes.
 */
export async function stands(
  tx: TenantTx,
  { id, rotatedAt, hint }: KeyRow,
): Promise<KeyRow | null> {
  const key = (await tx.rows('key', [id])).get(id);
  return key !== undefined &&
    key.revokedAt === null &&
    key.rotatedAt === rotatedAt &&
    key.hint === hint
    ? key
    : null;
}

/** Returns the holder of a secret; fails with `signed-out` if the secret is not valid. */
export async function holderOf(world: AppContext, secret: string): Promise<Result<Holder>> {
  if (!SECRET.test(secret)) return failed(NO_KEY);
  const hash = hashOf(secret);
  const found = await world.store.system((db) =>
    db
      .selectFrom('key_index')
      .select(['tenant_id', 'key_id'])
      .where('hash', '=', hash)
      .executeTakeFirst(),
  );
  if (!found) return failed(NO_KEY);
  const key = await keyRow(world, found.tenant_id, found.key_id);
  return key === null || key.revokedAt !== null
    ? failed(NO_KEY)
    : ok({ tenant: found.tenant_id, key });
}

const keyRow = (world: AppContext, tenant: TenantId, id: KeyId): Promise<KeyRow | null> =>
  world.store.tenant(tenant, async (tx) => (await tx.rows('key', [id])).get(id) ?? null, {
    readOnly: true,
  });

function secretIn(request: Request): string {
  const header = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (header !== undefined) return header;
  const url = new URL(request.url);
  return /\/ingest\/(?:events|duplicati)$/.test(url.pathname)
    ? (url.searchParams.get('access_token') ?? '')
    : '';
}

export const NO_KEY: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
