import { existsSync } from 'node:fs';
import { sql as raw } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '../../db/store.ts';
import { addToDigest, chain, type HashedEvent, makeDigest } from '../log-hash.ts';
import {
  loadChainEnd,
  readStoredEvents,
  readHashes,
  readInParts,
  type LogRead,
} from '../read-log.ts';
import {
  type Batch,
  type FileRange,
  type FileSum,
  getArchiveFile,
  readArchiveFile,
  removeOldDrafts,
  writeArchiveFile,
} from './archive-file.ts';
import { IS_PINNED, listCuts } from './log-cuts.ts';

/** What to archive and where. */
export interface ArchivePolicy {
  readonly folder: string;
  /** Events from before this time are archived. */
  readonly before: Ms;
  /** Fewer events than these are not worth a file. */
  readonly minEvents: number;
  /** One file has at most this many events, unless a single batch has more. */
  readonly maxEvents: number;
  /** How many rows one transaction deletes. */
  readonly pieceRows: number;
}

interface Archiving {
  readonly store: Store;
  readonly tenant: TenantId;
  readonly signal: AbortSignal;
}

/**
 * ARCH-1: moves the oldest events of a log into a file of the archive. Each step can be repeated after a
 * crash: the file is written and read back, then one transaction moves the log's cut, then the events
 * are deleted in pieces. Returns how many events were archived: 0 if there are too few.
 * @throws DamagedEventArchive, and if the log differs from its chain. Nothing is deleted then.
 */
export async function archiveLog(at: Archiving, policy: ArchivePolicy, now: Ms): Promise<number> {
  await deleteArchived(at, policy.pieceRows);
  const { store, tenant, signal } = at;
  const plan = await store.tenant(tenant, (tx) => choosePart(tx, policy), { readOnly: true });
  if (plan === null) return 0;
  const { range, newestAt } = plan;
  const readPart = readInParts(store, tenant);
  const read: LogRead = (work) => {
    signal.throwIfAborted();
    return readPart(work);
  };
  await removeOldDrafts(policy.folder, tenant, now);
  const sum = await writeArchiveFile(policy.folder, range, readBatches(read, range));
  for await (const _ of readArchiveFile(policy.folder, range, sum)) signal.throwIfAborted();
  if (!(await store.tenant(tenant, (tx) => moveCut(tx, range, sum, newestAt)))) return 0;
  await deleteArchived(at, policy.pieceRows);
  return range.last - range.first + 1;
}

interface Part {
  readonly range: FileRange;
  readonly newestAt: Ms;
}

/**
 * Returns the oldest whole batches of the log in which every event is old enough, and which every reader
 * with a stored position has read. Null: they are too few, or the last check found damage.
 */
async function choosePart(tx: TenantTx, policy: ArchivePolicy): Promise<Part | null> {
  const { sql, tenant } = tx;
  const { cut, cutHash: before } = await loadChainEnd(tx);
  const { damaged_parts: damagedParts } = await sql
    .selectFrom('head')
    .select('damaged_parts')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  if (damagedParts > 0) return null;
  const files = await listCuts(tx);
  const former = files.at(-1);
  // A folder without the earlier events is another one: the archive would be in two places.
  if (former !== undefined && !existsSync(getArchiveFile(policy.folder, former.range)))
    throw new Error(`The archive has no file ${getArchiveFile(policy.folder, former.range)}.`);
  const last = await findLastOldHash(tx, policy, cut);
  if (last === null || last.seq - cut < policy.minEvents) return null;
  const { newestAt } = await sql
    .selectFrom('event')
    .select(({ fn }) => fn.max('at').as('newestAt'))
    .where('tenant_id', '=', tenant)
    .where('seq', '>', cut)
    .where('seq', '<=', last.seq)
    .executeTakeFirstOrThrow();
  return { range: { tenant, first: cut + 1, last: last.seq, before, hash: last.hash }, newestAt };
}

/**
 * Returns the hash of the last batch after a cut that is to be archived; null: there is none. Each step is
 * a statement: joined into one, the events are read once for each hash when the planner knows little
 * of the tables.
 */
async function findLastOldHash(
  tx: TenantTx,
  { before, maxEvents }: ArchivePolicy,
  cut: number,
): Promise<{ readonly seq: number; readonly hash: string } | null> {
  const { sql, tenant } = tx;
  const hashes = sql
    .selectFrom('log_hash')
    .select(['seq', 'hash'])
    .where('tenant_id', '=', tenant)
    .where('seq', '>', cut);
  const first = await hashes.orderBy('seq').limit(1).executeTakeFirst();
  if (first === undefined) return null;
  const reach = Math.min(await loadSeen(tx), Math.max(cut + maxEvents, first.seq));
  const young = await sql
    .selectFrom('event')
    .select('seq')
    .where('tenant_id', '=', tenant)
    .where('seq', '>', cut)
    .where('seq', '<=', reach)
    .where('at', '>=', before)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  const last = await hashes
    .where('seq', '<', young?.seq ?? reach + 1)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? null;
}

/** Returns the number of the last event that all readers with a stored position have read. */
async function loadSeen({ sql, tenant }: TenantTx): Promise<number> {
  const { rows } = await raw<{ seq: number }>`
    select least(
      coalesce((select log_seq from backup_runs_seen where tenant_id = ${tenant}::uuid), 0),
      coalesce((select log_seq from notify_seen where tenant_id = ${tenant}::uuid), 0),
      (select log_seq from ticketing where tenant_id = ${tenant}::uuid)) as seq`.execute(sql);
  return rows[0]?.seq ?? 0;
}

/** @throws if the log differs from its chain, or has a hole */
async function* readBatches(
  read: LogRead,
  { first, last, before, hash: end }: FileRange,
): AsyncGenerator<Batch, void> {
  const from = first - 1;
  const unreadable = new Map<string, string>();
  const events = readStoredEvents(read, { from, head: last, end: last }, unreadable);
  let sealed = before;
  let seq = from;
  for await (const { seq: batchEnd, hash } of readHashes(read, { from, end: last })) {
    const batch: HashedEvent[] = [];
    const digest = makeDigest();
    while (seq < batchEnd) {
      const next = await events.next();
      if (next.done === true || next.value.event === null || next.value.seq !== seq + 1)
        throw new Error(`Event ${seq + 1} can't be archived: it is missing or unreadable.`);
      addToDigest(digest, next.value.event);
      batch.push(next.value.event);
      seq += 1;
    }
    sealed = chain(sealed, digest.digest('hex'));
    if (sealed !== hash)
      throw new Error(`Events up to ${seq} can't be archived: they differ from their hash.`);
    yield { events: batch, hash };
  }
  if (seq !== last || sealed !== end)
    throw new Error(`Events up to ${last} can't be archived: hashes are missing.`);
}

/**
 * Moves the cut of the log, unless another server was faster, or the log has another history since, as
 * after a failover. From here on, the archive has these events, and the database may delete them.
 */
async function moveCut(
  tx: TenantTx,
  { first, last, hash }: FileRange,
  { sha256, bytes }: FileSum,
  newestAt: Ms,
): Promise<boolean> {
  const { sql, tenant } = tx;
  await tx.lock();
  const moved = await sql
    .updateTable('head')
    .set({ cut_seq: last })
    .where('tenant_id', '=', tenant)
    .where('cut_seq', '=', first - 1)
    .where((is) =>
      is.exists(
        is
          .selectFrom('log_hash')
          .select('seq')
          .where('tenant_id', '=', tenant)
          .where('seq', '=', last)
          .where('hash', '=', hash),
      ),
    )
    .executeTakeFirst();
  if (moved.numUpdatedRows === 0n) return false;
  await sql
    .insertInto('log_cut')
    .values({
      tenant_id: tenant,
      seq: last,
      first_seq: first,
      hash,
      newest_at: newestAt,
      sha256,
      bytes,
    })
    .execute();
  return true;
}

/** Deletes what a decided cut has left in the database, in pieces, so that nobody waits for long. */
async function deleteArchived(
  { store, tenant, signal }: Archiving,
  pieceRows: number,
): Promise<void> {
  for (const table of ['event', 'log_hash'] as const)
    for (let isMore = true; isMore;) {
      signal.throwIfAborted();
      isMore = await store.tenant(tenant, (tx) => deletePiece(tx, table, pieceRows));
    }
}

/**
 * LOG-4: the database deletes only events up to the number that the same transaction names. This is the
 * only place that names one, and it is the log's cut.
 */
async function deletePiece(
  { sql, tenant }: TenantTx,
  table: 'event' | 'log_hash',
  pieceRows: number,
): Promise<boolean> {
  const { cut_seq: cut } = await sql
    .selectFrom('head')
    .select('cut_seq')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  if (cut === 0) return false;
  const unpinned = table === 'event' ? raw<boolean>`not (${IS_PINNED})` : raw<boolean>`true`;
  // On Citus, `set_config` would stay on one node.
  await raw`set local app.cut_seq = ${raw.lit(String(cut))}`.execute(sql);
  const { numAffectedRows } = await raw`
    delete from ${raw.table(table)} where tenant_id = ${tenant}::uuid and ${unpinned} and seq <= ${cut}
      and seq < ${pieceRows}::bigint + (
        select min(seq) from ${raw.table(table)} where tenant_id = ${tenant}::uuid and seq <= ${cut} and ${unpinned})`.execute(
    sql,
  );
  await raw`set local app.cut_seq = ''`.execute(sql);
  return (numAffectedRows ?? 0n) > 0n;
}
