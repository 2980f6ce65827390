import type { Selectable } from 'kysely';
import {
  type CollectorKind,
  ENTITIES_OF,
  type Entity,
  getSyncInterval,
} from '#contract/connections/connection.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { isAhead } from '../../platform/clock-bounds.ts';
import type { CollectionTable } from '#server/platform/db/database-collect.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Client } from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { ConnectionRow, EntityCursor, RoundResult, CollectTask } from './task.ts';
import { VB365 } from './vb365.ts';
import { VBR } from './vbr.ts';
import { VSPC } from './vspc.ts';
import { ZERTO } from './zerto.ts';
import { outcomeMessages } from './outcome.messages.en.ts';

const READERS: Readonly<
  Record<
    CollectorKind,
    Readonly<Partial<Record<Entity, (task: CollectTask) => Promise<RoundResult>>>>
  >
> = { vspc: VSPC, vbr: VBR, vb365: VB365, zerto: ZERTO };

const FIRST_MS: Ms = 30_000;
const LONGEST_MS: Ms = 3_600_000;
/**
 * The longest time between two reads of an entity: at most a day, by schedule or because its system
 * asked to wait, plus a fifth to spread them.
 */
export const LONGEST_WAIT_MS: Ms = 1.2 * DAY_MS;
/** Refused credentials are retried rarely, because retries can lock the account. */
const REFUSED_MS: Ms = 10 * 60_000;
/** A read that was interrupted within this time continues the same round. */
const SAME_ROUND_MS: Ms = 15 * 60_000;

/**
 * Returns the wait after `fails` failures in a row. `part`, 0 to 1, spreads connections that failed
 * at the same time.
 */
export const collectBackOff = (
  fails: number,
  request: Ms | null,
  refused: boolean,
  part: number,
): Ms =>
  Math.round(
    Math.max(
      Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(fails - 1, 12)),
      refused ? REFUSED_MS : 0,
      Math.min(request ?? 0, DAY_MS),
    ) *
      (1 + 0.2 * part),
  );

/** The collector has to stop. What was read is stored, and the next collector continues. */
export class Stopped extends Error {}

export interface CollectorHandle {
  readonly id: string;
  stopped(): boolean;
}

/**
 * Reads all due entities of a connection, in order. A failure concerns only its entity, except
 * refused credentials and a host that asks to wait, which concern all.
 */
export async function collectRound(
  context: AppContext,
  tenant: TenantId,
  connection: ConnectionRow,
  client: () => Promise<Client>,
  holder: CollectorHandle,
): Promise<void> {
  const now = context.clock.now();
  const rows = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('collection')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('connection_id', '=', connection.id)
        .execute(),
    { readOnly: true },
  );
  const known = new Map(rows.map((row) => [row.entity, row]));
  let error: SourceError | null = null;
  for (const entity of ENTITIES_OF[connection.kind]) {
    const row = known.get(entity);
    if (isAhead(row?.next_at ?? 0, now, LONGEST_WAIT_MS)) continue;
    if (error !== null) await storeError(context, tenant, connection, entity, row, error, holder);
    else error = await collect(context, tenant, connection, entity, row, client, holder);
  }
}

/** Returns an error that concerns the whole connection; null to continue. */
async function collect(
  context: AppContext,
  tenant: TenantId,
  connection: ConnectionRow,
  entity: Entity,
  row: Selectable<CollectionTable> | undefined,
  client: () => Promise<Client>,
  holder: CollectorHandle,
): Promise<SourceError | null> {
  const read = READERS[connection.kind][entity];
  if (!read) return null;
  const begun = context.clock.now();
  const before: EntityCursor = row?.cursor ?? {};
  const since = begun - (before['since'] ?? 0) < SAME_ROUND_MS ? (before['since'] ?? begun) : begun;
  await keepRow(context, tenant, connection, holder, entity, {
    status: 'running',
    started_at: begun,
    cursor: { ...before, since },
  });
  const keep = async (cursor: EntityCursor): Promise<void> => {
    if (holder.stopped()) throw new Stopped();
    const held = await context.store.tenant(tenant, async ({ sql }) => {
      const own = await sql
        .selectFrom('connection')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('id', '=', connection.id)
        .where('held_by', '=', holder.id)
        .where('changed_at', '=', connection.changed_at)
        .forUpdate()
        .executeTakeFirst();
      if (own)
        await sql
          .updateTable('collection')
          .set({ cursor: JSON.stringify({ ...before, ...cursor, since }) })
          .where('tenant_id', '=', tenant)
          .where('connection_id', '=', connection.id)
          .where('entity', '=', entity)
          .execute();
      return own;
    });
    // The connection was changed or removed, or another run of the job has it.
    if (!held) throw new Stopped();
  };
  try {
    const done = await read({
      context,
      tenant,
      connection,
      entity,
      client: await client(),
      since,
      cursor: before,
      keep,
    });
    const now = context.clock.now();
    await keepRow(context, tenant, connection, holder, entity, {
      status: 'succeeded',
      succeeded_at: now,
      next_at: now + getSyncInterval(entity, connection.every_sec) * 1000,
      read_rows: done.rows,
      unlinked: done.unlinked,
      fails: 0,
      error: null,
      error_at: null,
      cursor: done.cursor ?? {},
    });
    return null;
  } catch (error) {
    if (error instanceof Stopped) {
      await keepRow(context, tenant, connection, holder, entity, { status: 'waiting' });
      throw error;
    }
    if (!(error instanceof SourceError))
      context.log.error('a collector failed', {
        tenant,
        connection: connection.id,
        entity,
        error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
      });
    const failure =
      error instanceof SourceError ? error : new SourceError('failed', outcomeMessages.notStored);
    await storeError(context, tenant, connection, entity, row, failure, holder);
    return failure.kind === 'refused' || (failure.kind === 'busy' && failure.waitMs !== null)
      ? failure
      : null;
  }
}

async function storeError(
  context: AppContext,
  tenant: TenantId,
  connection: ConnectionRow,
  entity: Entity,
  row: Selectable<CollectionTable> | undefined,
  error: SourceError,
  holder: CollectorHandle,
): Promise<void> {
  const now = context.clock.now();
  const fails = (row?.fails ?? 0) + 1;
  const part = (context.chance.bytes(1)[0] ?? 0) / 255;
  await keepRow(context, tenant, connection, holder, entity, {
    status: 'failed',
    fails,
    error: error.message.slice(0, 500),
    error_at: now,
    next_at: now + collectBackOff(fails, error.waitMs, error.kind === 'refused', part),
  });
}

type StoredConnection = Partial<
  Omit<Selectable<CollectionTable>, 'tenant_id' | 'connection_id' | 'entity' | 'cursor'>
> & { readonly cursor?: EntityCursor };

async function keepRow(
  context: AppContext,
  tenant_id: TenantId,
  { id: connection_id }: ConnectionRow,
  holder: CollectorHandle,
  entity: Entity,
  { cursor, ...rest }: StoredConnection,
): Promise<void> {
  const set = { ...rest, ...(cursor === undefined ? {} : { cursor: JSON.stringify(cursor) }) };
  await context.store.tenant(tenant_id, async ({ sql }) => {
    // Nothing is stored for a removed connection, or one that another run of the job has.
    if (
      !(await sql
        .selectFrom('connection')
        .select('id')
        .where('tenant_id', '=', tenant_id)
        .where('id', '=', connection_id)
        .where('held_by', '=', holder.id)
        .forUpdate()
        .executeTakeFirst())
    )
      throw new Stopped();
    await sql
      .insertInto('collection')
      .values({
        tenant_id,
        connection_id,
        entity,
        status: 'waiting',
        started_at: null,
        succeeded_at: null,
        next_at: 0,
        error: null,
        error_at: null,
        cursor: '{}',
        ...set,
      })
      .onConflict((on) => on.columns(['tenant_id', 'connection_id', 'entity']).doUpdateSet(set))
      .execute();
  });
}
