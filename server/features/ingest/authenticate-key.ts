import { createHash } from 'node:crypto';
import type { Failure } from '#contract/errors.ts';
import type { KeyId, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

/** A source that may post: its key, and whose it is. */
export interface Holder {
  readonly tenant: TenantId;
  readonly key: KeyRow;
}

/** `dbk_` and 32 bytes in base64url. */
export const SECRET = /^dbk_[A-Za-z0-9_-]{43}$/;

export const secretOf = (bytes: Uint8Array): string =>
  `dbk_${Buffer.from(bytes).toString('base64url')}`;
/** All that is kept of a secret. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
export const hintOf = (secret: string): string => secret.slice(-4);

/**
 * Who posts, by `Authorization: Bearer dbk_…`, or by `?access_token=` where the sender can set no
 * header: CloudEvents, as their webhook companion has it, and Duplicati. Asked of the database each
 * time: a key that was rotated or revoked ends at once.
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
 * Holders as last read, so that a source that posts on and on is looked up once; what they are by
 * now is for `stands` to say. Bounded: the oldest are forgotten first.
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

/** The hash of the secret that a request carries; null where it carries nothing of the kind. */
export function hashIn(request: Request): string | null {
  const secret = secretIn(request);
  return SECRET.test(secret) ? hashOf(secret) : null;
}

/**
 * The key as it stands by now, or null where the one that was read is over: it was rotated or
 * revoked since, which ends it at once. Asked under the lock of the head row, which whoever changes
 * a key holds as well.
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

/** The holder of a secret; `signed-out` where there is none by now. */
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
