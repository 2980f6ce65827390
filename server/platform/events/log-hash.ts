import { createHash, type Hash } from 'node:crypto';
import { sql as raw } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { canonical } from '../db/canonical.ts';
import type { Store, TenantTx } from '../db/store.ts';

/**
 * The hash chain over a tenant's log (G22): each batch of events has the SHA-256 of the hash of the
 * batch before and of its own digest. The first one follows the empty text. A batch without a
 * predecessor in the chain gets no hash, so that the chain always covers the log from its start;
 * `sealLog` adds what is missing.
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
function addToDigest(digest: Hash, event: HashedEvent): void {
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

/** `$1` is the tenant, `$2` and `$3` the numbers of the first and last event of the batch, `$4` its digest. */
export const INSERT_HASH = `insert into log_hash (tenant_id, seq, hash)
    select $1::uuid, $3::bigint, encode(sha256(convert_to(before.hash || $4::text, 'UTF8')), 'hex')
    from (select hash from log_hash where tenant_id = $1::uuid and seq = $2::bigint - 1
      union all select '' where $2::bigint = 1) as before`;

/**
 * Events that differ from their hash, aren't JSON, are missing, or come after the last one that the
 * tenant's head names.
 */
export interface LogDamage {
  readonly kind: 'changed' | 'unreadable' | 'missing' | 'surplus';
  readonly first: number;
  readonly last: number;
}

export interface LogCheck {
  /** The number of the last event, as the tenant's head has it. */
  readonly head: number;
  /** The number of the last event that the chain covers. */
  readonly sealed: number;
  readonly damages: readonly LogDamage[];
}

/** Compares a log with its hashes, batch by batch, and with the number of its last event. */
export async function checkLog(tx: TenantTx): Promise<LogCheck> {
  const { seq: head } = await tx.head();
  const damages: LogDamage[] = [];
  const events = readEvents(tx, 0);
  let next = await events.next();
  let seen = 0;
  const note = (kind: LogDamage['kind'], first: number, last: number): void =>
    void damages.push({ kind, first, last });
  /** Returns the digest of the events up to a number; null if one is missing or unreadable. */
  const digestUpTo = async (last: number): Promise<string | null> => {
    const digest = makeDigest();
    const known = damages.length;
    for (; next.done !== true && next.value.seq <= last; next = await events.next()) {
      const { seq, event } = next.value;
      if (seq > seen + 1) note('missing', seen + 1, seq - 1);
      if (event === null) note('unreadable', seq, seq);
      else addToDigest(digest, event);
      seen = seq;
    }
    if (seen < last) note('missing', seen + 1, last);
    seen = last;
    return damages.length === known ? digest.digest('hex') : null;
  };
  let before = '';
  let sealed = 0;
  for await (const { seq, hash } of readHashes(tx)) {
    const digest = await digestUpTo(seq);
    if (digest !== null && chain(before, digest) !== hash) note('changed', sealed + 1, seq);
    before = hash;
    sealed = seq;
  }
  await digestUpTo(Math.max(head, sealed));
  for (; next.done !== true; next = await events.next())
    note('surplus', next.value.seq, next.value.seq);
  return { head, sealed, damages };
}

/**
 * Continues the chain to the end of a log that is older than the chain. Appends wait meanwhile.
 * Events that can't be read stay without a hash, and so do those after them.
 */
export const sealLog = (store: Store, tenant: TenantId): Promise<void> =>
  store.tenant(
    tenant,
    async (tx) => {
      await tx.lock();
      const last = await tx.sql
        .selectFrom('log_hash')
        .select(['seq', 'hash'])
        .where('tenant_id', '=', tenant)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      let seq = last?.seq ?? 0;
      let hash = last?.hash ?? '';
      let digest = makeDigest();
      let size = 0;
      const insert = async (): Promise<void> => {
        if (size === 0) return;
        hash = chain(hash, digest.digest('hex'));
        await tx.sql.insertInto('log_hash').values({ tenant_id: tenant, seq, hash }).execute();
        digest = makeDigest();
        size = 0;
      };
      for await (const { seq: next, event } of readEvents(tx, seq)) {
        if (event === null || next !== seq + 1) break;
        addToDigest(digest, event);
        seq = next;
        if (++size === SEALED_BATCH) await insert();
      }
      await insert();
    },
    { long: true },
  );

/** The fewer events a batch has, the more exactly damage is located. */
const SEALED_BATCH = 200;
const PAGE = 2_000;

/** Reads the log in order. `event`: null if it isn't JSON. */
async function* readEvents(
  { tenant, sql }: TenantTx,
  after: number,
): AsyncGenerator<{ readonly seq: number; readonly event: HashedEvent | null }, void> {
  for (let from = after; ;) {
    const { rows } = await raw<
      Omit<HashedEvent, 'commandId'> & { readonly command_id: string | null }
    >`select seq, type, at, actor::text as actor, subject, company, entity, command_id, data::text as data
      from event where tenant_id = ${tenant}::uuid and seq > ${from} order by seq limit ${raw.lit(PAGE)}`.execute(
      sql,
    );
    for (const { command_id: commandId, ...row } of rows)
      yield { seq: row.seq, event: normalize({ ...row, commandId }) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
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

async function* readHashes({
  tenant,
  sql,
}: TenantTx): AsyncGenerator<{ readonly seq: number; readonly hash: string }, void> {
  for (let from = 0; ;) {
    const rows = await sql
      .selectFrom('log_hash')
      .select(['seq', 'hash'])
      .where('tenant_id', '=', tenant)
      .where('seq', '>', from)
      .orderBy('seq')
      .limit(PAGE)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    from = last.seq;
  }
}
