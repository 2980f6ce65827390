import { createHash, type Hash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { type Given, parameters, selected, unnestOwned } from '../db/bulk.ts';
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

/** Returns the hash of a batch as hexadecimal digits. */
export const chain = (before: string, digest: string): string =>
  createHash('sha256')
    .update(before + digest)
    .digest('hex');

/** The number of the last event that the chain covers, and its hash, as the head row has them. */
export interface SealedEnd {
  readonly sealedSeq: number;
  readonly sealedHash: string;
}

/** Continues the chain by the batches that a transaction appends. */
export interface LogChain {
  /** Adds the events from `first` to `last` as one batch. `texts`: what their digest covers, in order. */
  add(first: number, last: number, texts: readonly string[]): void;
  /**
   * Sends two statements for all batches. `end`: the end of the chain, which the locked head row has. A log
   * without a chain stays without.
   */
  send(end: SealedEnd): void;
}

export function makeLogChain(tenant: TenantId, send: (statement: CompiledQuery) => void): LogChain {
  const batches: { readonly first: number; readonly last: number; readonly digest: string }[] = [];
  return {
    add(first, last, texts) {
      const digest = makeDigest();
      for (const text of texts) digest.update(text);
      batches.push({ first, last, digest: digest.digest('hex') });
    },
    send({ sealedSeq, sealedHash }) {
      let end = { seq: sealedSeq, hash: sealedHash };
      const added: (typeof end)[] = [];
      for (const { first, last, digest } of batches.splice(0)) {
        if (end.seq !== first - 1) break;
        end = { seq: last, hash: chain(end.hash, digest) };
        added.push(end);
      }
      if (added.length === 0) return;
      send(CompiledQuery.raw(CONTINUE_CHAIN, [tenant, sealedSeq, end.seq, end.hash]));
      send(CompiledQuery.raw(INSERT_HASHES, [tenant, ...parameters(HASH, added)]));
    },
  };
}

/** Moves the end of the chain from the event `$2`. */
const CONTINUE_CHAIN = prepared(`update head set sealed_seq = $3::bigint, sealed_hash = $4::text
  where tenant_id = $1::uuid and sealed_seq = $2::bigint`);
const HASH: readonly Given[] = [
  { name: 'seq', type: 'bigint' },
  { name: 'hash', type: 'text' },
];
const INSERT_HASHES = prepared(
  `insert into log_hash (tenant_id, seq, hash) select h.tenant_id, ${selected(HASH)} from ${unnestOwned(HASH, 2)}`,
);
