import { createHash, type Hash } from 'node:crypto';
import { prepared } from '../db/prepared.ts';

/**
 * The hash chain over a tenant's log (G22): each batch of events has the SHA-256 of the hash of the
 * batch before and of its own digest. The first one follows the empty text. The head row has the end
 * of the chain, so a chain that ends earlier is damaged. A log that is older than the chain has no
 * hash at all until `sealLog` adds them, so that the chain always covers the log from its start.
 */
export interface HashedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  /** As JSON with sorted keys. */
  readonly actor: string;
  readonly subject: string | null;
  readonly company: number | null;
  readonly entity: string;
  readonly commandId: string | null;
  /** As JSON, as `JSON.stringify` writes it. */
  readonly data: string;
}

/** Adds an event to the digest of its batch. */
export function addToDigest(digest: Hash, event: HashedEvent): void {
  digest.update(getHashedText(event));
}

/** Returns the text of an event that the digest of its batch covers. */
export function getHashedText(event: HashedEvent): string {
  const { seq, type, at, actor, subject, company, entity, commandId, data } = event;
  return `${JSON.stringify([seq, type, at, actor, subject, company, entity, commandId])}\n${data}\n`;
}

export const makeDigest = (): Hash => createHash('sha256');

/** Returns the hash of a batch as hexadecimal digits. The insert of a log has the same in SQL. */
export const chain = (before: string, digest: string): string =>
  createHash('sha256')
    .update(before + digest)
    .digest('hex');

/**
 * Continues the chain from the end that the head row has. `$1` is the tenant, `$2` and `$3` the numbers
 * of the first and last event of the batch, `$4` its digest. A log without a chain stays without.
 */
export const CONTINUE_CHAIN =
  prepared(`update head set sealed_seq = $3::bigint, sealed_hash = encode(sha256((sealed_hash || $4::text)::bytea), 'hex')
  where tenant_id = $1::uuid and sealed_seq = $2::bigint - 1`);

/** Stores the end of the chain, if it is at the event `$2` of the tenant `$1`. */
export const INSERT_HASH = prepared(`insert into log_hash (tenant_id, seq, hash)
  select tenant_id, sealed_seq, sealed_hash from head where tenant_id = $1::uuid and sealed_seq = $2::bigint`);
