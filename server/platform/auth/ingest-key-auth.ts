import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Failure } from '#contract/errors.ts';
import type { KeyId, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/** An authenticated source: its key and its provider. */
export interface AuthenticatedSource {
  readonly tenant: TenantId;
  readonly key: IngestKeyRow;
}

/** `dbk_` and 32 bytes in base64url. */
export const SECRET = /^dbk_[A-Za-z0-9_-]{43}$/;

export const formatIngestKey = (bytes: Uint8Array): string =>
  `dbk_${Buffer.from(bytes).toString('base64url')}`;
/** Secrets are stored only as this hash. */
export const hashIngestKey = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
export const getIngestKeyHint = (secret: string): string => secret.slice(-4);

const MAX_CACHED = 10_000;

/** Proves the ingest keys of requests. */
export interface IngestKeys {
  /** Fails with `signed-out` if the request has no valid key. */
  prove(request: Request, cachedAllowed: boolean): Promise<Result<ProvenKey>>;
}

export interface ProvenKey {
  readonly holder: AuthenticatedSource;
  /**
   * Call it before answering with a failure: if the holder came from the cache, it looks the key up,
   * and fails with `signed-out` if the key was rotated or revoked.
   */
  confirm(): Promise<Result<unknown>>;
}

/**
 * Looks each key up in the database, so a rotated or revoked key ends immediately. With
 * `cachedAllowed` a source that posts continuously is looked up once; then the handler has to check
 * the key in the transaction that records (`readCurrentKey`).
 */
export function makeIngestKeys(context: AppContext): IngestKeys {
  const holders = new LRUCache<string, AuthenticatedSource>({ max: MAX_CACHED });
  return {
    async prove(request, cachedAllowed) {
      const secret = secretIn(request);
      if (!SECRET.test(secret)) return failed(NO_KEY);
      const hash = hashIngestKey(secret);
      const cached = cachedAllowed ? holders.get(hash) : undefined;
      const found = cached ? ok(cached) : await findHolder(context, secret);
      if (!found.ok) return found;
      if (cachedAllowed) holders.set(hash, found.value);
      return ok({
        holder: found.value,
        async confirm() {
          holders.delete(hash);
          return cached ? findHolder(context, secret) : found;
        },
      });
    },
  };
}

/**
 * Returns the current key; null if it was rotated or revoked since it was read. Call it under the
 * lock of the head row, which every change of a key also takes.
 */
export async function readCurrentKey(
  tx: TenantTx,
  { id, rotatedAt, hint }: IngestKeyRow,
): Promise<IngestKeyRow | null> {
  const key = (await tx.rows('key', [id])).get(id);
  return key !== undefined &&
    key.revokedAt === null &&
    key.rotatedAt === rotatedAt &&
    key.hint === hint
    ? key
    : null;
}

/** Returns the holder of a secret; fails with `signed-out` if the secret is not valid. */
export async function findHolder(
  context: AppContext,
  secret: string,
): Promise<Result<AuthenticatedSource>> {
  if (!SECRET.test(secret)) return failed(NO_KEY);
  const hash = hashIngestKey(secret);
  const found = await context.store.system((db) =>
    db
      .selectFrom('key_index')
      .select(['tenant_id', 'key_id'])
      .where('hash', '=', hash)
      .executeTakeFirst(),
  );
  if (!found) return failed(NO_KEY);
  const key = await keyRow(context, found.tenant_id, found.key_id);
  return key === null || key.revokedAt !== null
    ? failed(NO_KEY)
    : ok({ tenant: found.tenant_id, key });
}

const keyRow = (context: AppContext, tenant: TenantId, id: KeyId): Promise<IngestKeyRow | null> =>
  context.store.tenant(tenant, async (tx) => (await tx.rows('key', [id])).get(id) ?? null, {
    readOnly: true,
  });

/**
 * Reads `Authorization: Bearer dbk_…`, or `?access_token=` of senders that cannot set a header:
 * CloudEvents, as in their webhook companion specification, and Duplicati.
 */
function secretIn(request: Request): string {
  const header = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (header !== undefined) return header;
  const url = new URL(request.url);
  return /\/ingest\/(?:events|duplicati)$/.test(url.pathname)
    ? (url.searchParams.get('access_token') ?? '')
    : '';
}

export const NO_KEY: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
