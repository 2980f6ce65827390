import { type RawBuilder, sql as raw } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { canonical } from '../db/canonical.ts';
import { getDamagedFile } from '../db/damaged-file.ts';
import type { Store, TenantTx } from '../db/store.ts';
import { addToDigest, chain, type HashedEvent, makeDigest } from './log-hash.ts';

/**
 * Events that differ from their hash, can't be read, are missing, come after the last one that the
 * tenant's head names, or have no hash although the chain covered them.
 */
export interface LogDamage {
  readonly kind: 'changed' | 'unreadable' | 'missing' | 'surplus' | 'unsealed';
  readonly first: number;
  readonly last: number;
}

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

/** Runs a part of a check. After a failure, other parts can run. */
export type Reading = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** Parts of one transaction, so that they see the same moment. */
export const readWithin =
  (tx: TenantTx): Reading =>
  async (work) => {
    await raw`savepoint part`.execute(tx.sql);
    try {
      return await work(tx);
    } catch (error) {
      await raw`rollback to savepoint part`.execute(tx.sql);
      throw error;
    } finally {
      await raw`release savepoint part`.execute(tx.sql);
    }
  };

/** Parts that each have a short transaction, so that others wait for none of them. */
export const readInParts =
  (store: Store, tenant: TenantId): Reading =>
  (work) =>
    store.tenant(tenant, work, { readOnly: true });

/**
 * Compares a log with its hashes, batch by batch, and with the head row. Reports what can't be
 * read, and continues. `isGrowing`: events that are appended meanwhile are not checked.
 */
export async function checkLog(
  read: Reading,
  { isGrowing = false }: { readonly isGrowing?: boolean } = {},
): Promise<LogCheck> {
  const damages: LogDamage[] = [];
  const unreadable = new Map<string, string>();
  const end = await read(loadEnd);
  const note = (kind: LogDamage['kind'], first: number, last: number): void => {
    const before = damages.at(-1);
    if (kind === 'unreadable' && before?.kind === kind && before.last === first - 1)
      damages[damages.length - 1] = { ...before, last };
    else damages.push({ kind, first, last });
  };
  const events = readEvents(read, { head: end.head, end: isGrowing ? end.head : null }, unreadable);
  let next = await events.next();
  let seen = 0;
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
  let before = '';
  let sealed = 0;
  let first = 1;
  try {
    for await (const { seq, hash } of readHashes(read, isGrowing ? end.sealedSeq : null)) {
      const digest = await digestUpTo(seq);
      first = sealed + 1;
      if (digest !== null && chain(before, digest) !== hash) note('changed', first, seq);
      before = hash;
      sealed = seq;
    }
  } catch (error) {
    unreadable.set('log_hash', getReason(error));
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

interface ChainEnd {
  readonly head: number;
  readonly sealedSeq: number;
  readonly sealedHash: string;
}

async function loadEnd({ sql, tenant }: TenantTx): Promise<ChainEnd> {
  const row = await sql
    .selectFrom('head')
    .select(['seq', 'sealed_seq', 'sealed_hash'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  if (row === undefined) throw new Error('There is no such provider.');
  return { head: row.seq, sealedSeq: row.sealed_seq, sealedHash: row.sealed_hash };
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
      const end = await loadEnd(tx);
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
      for await (const { seq: next, event } of readEvents(
        readWithin(tx),
        { head: end.head, end: null },
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
const PAGE = 2_000;
/** After so many parts that can't be read, the rest of the log counts as unreadable. */
const MAX_FAILURES = 2_000;

/** `event`: null if it can't be read or isn't JSON. */
interface Entry {
  readonly seq: number;
  readonly event: HashedEvent | null;
}

/** Reads the log in order, up to `end` unless that is null. `head`: where it should end. */
async function* readEvents(
  read: Reading,
  { head, end }: { readonly head: number; readonly end: number | null },
  unreadable: Map<string, string>,
): AsyncGenerator<Entry, void> {
  let failures = 0;
  const load = (where: RawBuilder<unknown>): Promise<Entry[]> =>
    read(async ({ sql, tenant }) => {
      const { rows } = await raw<
        Omit<HashedEvent, 'commandId'> & { readonly command_id: string | null }
      >`select seq, type, at, actor::text as actor, subject, company, entity, command_id, data::text as data
      from event where tenant_id = ${tenant}::uuid and ${where} order by seq limit ${raw.lit(PAGE)}`.execute(
        sql,
      );
      return rows.map(({ command_id: commandId, ...row }) => ({
        seq: row.seq,
        event: normalize({ ...row, commandId }),
      }));
    });
  /** Reads a part in halves until only what is damaged can't be read. */
  const loadRange = async (first: number, last: number): Promise<Entry[]> => {
    const all = (): Entry[] =>
      Array.from({ length: last - first + 1 }, (_, index) => ({ seq: first + index, event: null }));
    if (failures >= MAX_FAILURES) return all();
    try {
      return await load(raw`seq between ${first} and ${last}`);
    } catch (error) {
      unreadable.set('event', getReason(error));
      failures += 1;
      if (first === last) return all();
      const middle = Math.floor((first + last) / 2);
      return [...(await loadRange(first, middle)), ...(await loadRange(middle + 1, last))];
    }
  };
  let from = 0;
  for (;;) {
    if (end !== null && from >= end) return;
    let page: Entry[];
    try {
      page = await load(raw`seq > ${from} and seq <= ${end ?? Number.MAX_SAFE_INTEGER}`);
    } catch (error) {
      unreadable.set('event', getReason(error));
      const last = Math.min(head, from + PAGE);
      if (last <= from) return;
      yield* await loadRange(from + 1, last);
      from = last;
      continue;
    }
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = last.seq;
  }
}

/** Returns the event with its JSON as the hash has it, whichever way the database wrote it. */
function normalize(event: HashedEvent): HashedEvent | null {
  try {
    return {
      ...event,
      actor: canonical(JSON.parse(event.actor)),
      data: JSON.stringify(JSON.parse(event.data)),
    };
  } catch {
    return null;
  }
}

async function* readHashes(
  read: Reading,
  end: number | null,
): AsyncGenerator<{ readonly seq: number; readonly hash: string }, void> {
  for (let from = 0; ;) {
    const rows = await read(({ sql, tenant }) =>
      sql
        .selectFrom('log_hash')
        .select(['seq', 'hash'])
        .where('tenant_id', '=', tenant)
        .where('seq', '>', from)
        .where('seq', '<=', end ?? Number.MAX_SAFE_INTEGER)
        .orderBy('seq')
        .limit(PAGE)
        .execute(),
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    from = last.seq;
  }
}

/** @throws the error itself if it is none of a damaged file */
function getReason(error: unknown): string {
  const reason = getDamagedFile(error);
  if (reason === null) throw error;
  return reason;
}
