import type { TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '../db/store.ts';
import { addToDigest, chain, makeDigest } from './log-hash.ts';
import {
  type ChainEnd,
  getErrorText,
  loadChainEnd,
  readStoredEvents,
  readHashes,
  readWithin,
  type LogRead,
} from './read-log.ts';

/**
 * Events that differ from their hash, can't be read, are missing, come after the last one that the
 * tenant's head names, or have no hash although the chain covered them. Archived events whose file is
 * not in the archive, or is not what was archived: `file`.
 */
export interface LogDamage {
  readonly kind: 'changed' | 'unreadable' | 'missing' | 'surplus' | 'unsealed' | ArchiveDamageKind;
  readonly first: number;
  readonly last: number;
  readonly file?: string;
}

export type ArchiveDamageKind = 'no-file' | 'bad-file';

/** A table of which the database can't read a part. `reason` is its own sentence. */
export interface UnreadableTable {
  readonly table: string;
  readonly reason: string;
}

export interface LogCheck {
  /** The number of the last event, as the tenant's head has it. */
  readonly head: number;
  /** The number of the last event that the chain covers. */
  readonly sealed: number;
  readonly damages: readonly LogDamage[];
  readonly unreadable: readonly UnreadableTable[];
}

interface CheckOptions {
  readonly isGrowing?: boolean;
}

/**
 * Compares a log with its hashes, batch by batch, and with the head row, from its cut on if a part is
 * archived. Reports what can't be read, and continues. `isGrowing`: events that are appended meanwhile
 * are not checked.
 */
export async function checkLog(read: LogRead, options: CheckOptions = {}): Promise<LogCheck> {
  for (;;) {
    const end = await read(loadChainEnd);
    const check = await checkChain(read, end, options);
    // What was archived between two parts of the check is not missing.
    if (check.damages.length === 0 || (await read(loadChainEnd)).cut === end.cut) return check;
  }
}

async function checkChain(
  read: LogRead,
  end: ChainEnd,
  { isGrowing = false }: CheckOptions,
): Promise<LogCheck> {
  const damages: LogDamage[] = [];
  const unreadable = new Map<string, string>();
  const note = (kind: LogDamage['kind'], first: number, last: number): void => {
    const before = damages.at(-1);
    if (kind === 'unreadable' && before?.kind === kind && before.last === first - 1)
      damages[damages.length - 1] = { ...before, last };
    else damages.push({ kind, first, last });
  };
  const events = readStoredEvents(
    read,
    { from: end.cut, head: end.head, end: isGrowing ? end.head : null },
    unreadable,
  );
  let next = await events.next();
  let seen = end.cut;
  /** Returns the digest of the events up to a number; null if one is missing or unreadable. */
  const digestUpTo = async (last: number): Promise<string | null> => {
    const digest = makeDigest();
    let isWhole = true;
    for (; next.done !== true && next.value.seq <= last; next = await events.next()) {
      const { seq, event } = next.value;
      if (seq > seen + 1) {
        note('missing', seen + 1, seq - 1);
        isWhole = false;
      }
      if (event === null) {
        note('unreadable', seq, seq);
        isWhole = false;
      } else addToDigest(digest, event);
      seen = seq;
    }
    if (seen < last) {
      note('missing', seen + 1, last);
      isWhole = false;
    }
    seen = last;
    return isWhole ? digest.digest('hex') : null;
  };
  let before = end.cutHash;
  let sealed = end.cut;
  let first = end.cut + 1;
  const hashes = { from: end.cut, end: isGrowing ? end.sealedSeq : null };
  try {
    for await (const { seq, hash } of readHashes(read, hashes)) {
      const digest = await digestUpTo(seq);
      first = sealed + 1;
      if (digest !== null && chain(before, digest) !== hash) note('changed', first, seq);
      before = hash;
      sealed = seq;
    }
  } catch (error) {
    unreadable.set('log_hash', getErrorText(error));
  }
  await digestUpTo(Math.max(end.head, sealed));
  for (; next.done !== true; next = await events.next())
    note('surplus', next.value.seq, next.value.seq);
  const last = Math.max(end.head, end.sealedSeq);
  if (!unreadable.has('log_hash') && end.sealedSeq > 0) {
    if (sealed < last) note('unsealed', sealed + 1, last);
    else if (
      (sealed !== end.sealedSeq || before !== end.sealedHash) &&
      !damages.some((one) => one.kind === 'changed' && one.last === sealed)
    )
      note('changed', first, sealed);
  }
  return {
    head: end.head,
    sealed,
    damages,
    unreadable: [...unreadable].map(([table, reason]) => ({ table, reason })),
  };
}

/**
 * Begins the chain of a log that is older than the chain. A chain that has begun stays as it is: what
 * it lost is damage. Appends wait meanwhile. Events that can't be read stay without a hash, and so do
 * those after them. Returns the number of events that have one now.
 */
export const sealLog = (store: Store, tenant: TenantId): Promise<number> =>
  store.tenant(
    tenant,
    async (tx) => {
      await tx.lock();
      const end = await loadChainEnd(tx);
      if (end.sealedSeq > 0 || end.head === 0 || (await hasHashes(tx))) return 0;
      let seq = 0;
      let hash = '';
      let digest = makeDigest();
      let size = 0;
      const insert = async (): Promise<void> => {
        if (size === 0) return;
        hash = chain(hash, digest.digest('hex'));
        await tx.sql.insertInto('log_hash').values({ tenant_id: tenant, seq, hash }).execute();
        digest = makeDigest();
        size = 0;
      };
      for await (const { seq: next, event } of readStoredEvents(
        readWithin(tx),
        { from: 0, head: end.head, end: null },
        new Map(),
      )) {
        if (event === null || next !== seq + 1) break;
        addToDigest(digest, event);
        seq = next;
        if (++size === SEALED_BATCH) await insert();
      }
      await insert();
      await tx.sql
        .updateTable('head')
        .set({ sealed_seq: seq, sealed_hash: hash })
        .where('tenant_id', '=', tenant)
        .execute();
      return seq;
    },
    { long: true },
  );

const hasHashes = async ({ sql, tenant }: TenantTx): Promise<boolean> =>
  (await sql
    .selectFrom('log_hash')
    .select('seq')
    .where('tenant_id', '=', tenant)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** The fewer events a batch has, the more exactly damage is located. */
const SEALED_BATCH = 200;
