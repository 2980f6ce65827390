import { type RawBuilder, sql as raw } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { canonical } from '../db/canonical.ts';
import { getDamagedFile } from '../db/damaged-file.ts';
import type { Store, TenantTx } from '../db/store.ts';
import type { HashedEvent } from './log-hash.ts';

/** Runs a part of a check. After a failure, other parts can run. */
export type LogRead = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** Parts of one transaction, so that they see the same moment. */
export const readWithin =
  (tx: TenantTx): LogRead =>
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
  (store: Store, tenant: TenantId): LogRead =>
  (work) =>
    store.tenant(tenant, work, { readOnly: true });

/**
 * Where the log and its chain end. `cut`: the number of the last archived event, after which the log in
 * the database begins (ARCH-1), and `cutHash` its hash; 0 and empty if nothing is archived.
 */
export interface ChainEnd {
  readonly head: number;
  readonly cut: number;
  readonly cutHash: string;
  readonly sealedSeq: number;
  readonly sealedHash: string;
}

export async function loadChainEnd({ sql, tenant }: TenantTx): Promise<ChainEnd> {
  const row = await sql
    .selectFrom('head')
    .leftJoin('log_cut', (on) =>
      on
        .onRef('log_cut.tenant_id', '=', 'head.tenant_id')
        .onRef('log_cut.seq', '=', 'head.cut_seq'),
    )
    .select(['head.seq', 'cut_seq', 'log_cut.hash', 'sealed_seq', 'sealed_hash'])
    .where('head.tenant_id', '=', tenant)
    .executeTakeFirst();
  if (row === undefined) throw new Error('There is no such provider.');
  return {
    head: row.seq,
    cut: row.cut_seq,
    cutHash: row.hash ?? '',
    sealedSeq: row.sealed_seq,
    sealedHash: row.sealed_hash,
  };
}

const PAGE = 2_000;
/** After this number of parts that can't be read, the rest of the log counts as unreadable. */
const MAX_FAILURES = 2_000;

/** `event`: null if it can't be read or isn't JSON. */
interface Entry {
  readonly seq: number;
  readonly event: HashedEvent | null;
}

/**
 * Reads the log in order, after `from`, up to `end` unless that is null. `head`: where it should end.
 */
export async function* readStoredEvents(
  read: LogRead,
  {
    from: start,
    head,
    end,
  }: { readonly from: number; readonly head: number; readonly end: number | null },
  unreadable: Map<string, string>,
): AsyncGenerator<Entry, void> {
  let failures = 0;
  const load = (where: RawBuilder<unknown>): Promise<Entry[]> =>
    read((tx) => loadEntries(tx, where, PAGE));
  /** Reads a part in halves until only what is damaged can't be read. */
  const loadRange = async (first: number, last: number): Promise<Entry[]> => {
    const all = (): Entry[] =>
      Array.from({ length: last - first + 1 }, (_, index) => ({ seq: first + index, event: null }));
    if (failures >= MAX_FAILURES) return all();
    try {
      return await load(raw`seq between ${first} and ${last}`);
    } catch (error) {
      unreadable.set('event', getErrorText(error));
      failures += 1;
      if (first === last) return all();
      const middle = Math.floor((first + last) / 2);
      return [...(await loadRange(first, middle)), ...(await loadRange(middle + 1, last))];
    }
  };
  let from = start;
  for (;;) {
    if (end !== null && from >= end) return;
    let page: Entry[];
    try {
      page = await load(raw`seq > ${from} and seq <= ${end ?? Number.MAX_SAFE_INTEGER}`);
    } catch (error) {
      unreadable.set('event', getErrorText(error));
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

/** Returns events in the order of the log, as their hashes cover them. `limit`: null for all. */
export async function loadEntries(
  { sql, tenant }: TenantTx,
  where: RawBuilder<unknown>,
  limit: number | null,
): Promise<Entry[]> {
  const { rows } = await raw<
    Omit<HashedEvent, 'commandId'> & { readonly command_id: string | null }
  >`select seq, type, at, actor::text as actor, subject, company, entity, command_id, data::text as data
    from event where tenant_id = ${tenant}::uuid and ${where} order by seq limit ${raw.lit(limit)}`.execute(
    sql,
  );
  return rows.map(({ command_id: commandId, ...row }) => ({
    seq: row.seq,
    event: normalize({ ...row, commandId }),
  }));
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

/** Reads the hashes of batches that end after `from`, up to `end` unless that is null. */
export async function* readHashes(
  read: LogRead,
  { from: start, end }: { readonly from: number; readonly end: number | null },
): AsyncGenerator<{ readonly seq: number; readonly hash: string }, void> {
  for (let from = start; ;) {
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
export function getErrorText(error: unknown): string {
  const reason = getDamagedFile(error);
  if (reason === null) throw error;
  return reason;
}
