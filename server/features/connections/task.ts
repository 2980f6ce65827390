import { CompiledQuery } from 'kysely';
import type { Selectable } from 'kysely';
import type { Entity } from '#contract/connections/connection.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import type { ConnectionTable } from '#server/platform/db/database-collect.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Client } from '#server/platform/systems/client.ts';
import { cutText, lineOfText } from '#contract/stored-text.ts';
import { boundedId } from '../ingest/bounded-id.ts';

export type ConnectionRow = Selectable<ConnectionTable>;
/**
 * How far an entity was read. `since`: when the current round began. `offset`: where it continues.
 * `from`: the time up to which the history is stored.
 */
export type EntityCursor = Readonly<Record<string, number>>;

/** One entity of one connection being read. */
export interface CollectTask {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly connection: ConnectionRow;
  readonly entity: Entity;
  readonly client: Client;
  /** The start of this round. Rows of a resumed round count as seen at this time too. */
  readonly since: Ms;
  readonly cursor: EntityCursor;
  /** Stores the cursor. Throws if the collector has to stop. */
  keep(cursor: EntityCursor): Promise<void>;
}

/** The result of a round. */
export interface RoundResult {
  readonly rows: number;
  readonly unlinked: number;
  /** The cursor of the next round. */ readonly cursor?: EntityCursor;
}

/** A found object that is not a result: a company, a server, an alarm. */
export interface Thing {
  readonly uid: string;
  readonly name: string;
  readonly company: CompanyN | null;
  readonly row: Readonly<Record<string, unknown>>;
}

export async function keepFound(
  tx: TenantTx,
  { connection, entity, since }: Pick<CollectTask, 'connection' | 'entity' | 'since'>,
  things: readonly Thing[],
): Promise<void> {
  if (things.length === 0) return;
  const records = [...new Map(things.map((one) => [one.uid, one])).values()].map(
    ({ uid, name, company, row }) => ({
      uid: boundedId(uid),
      name: cutText(lineOfText(name), 300),
      company_n: company,
      row,
    }),
  );
  await tx.sql.executeQuery(
    CompiledQuery.raw(
      `insert into collected (tenant_id, connection_id, entity, uid, company_n, name, row, seen_at)
    select h.tenant_id, $2::uuid, $3, uid, company_n, name, row, $4 from json_to_recordset($5::text::json) as x(uid text, company_n bigint, name text, row json)
    join head as h on h.tenant_id = $1::uuid
    on conflict (tenant_id, connection_id, entity, uid) do update set company_n = excluded.company_n, name = excluded.name, row = excluded.row, seen_at = excluded.seen_at`,
      [tx.tenant, connection.id, entity, since, JSON.stringify(records)],
    ),
  );
}

/**
 * Deletes what a complete round has not seen and returns it. With `late`, only what has been
 * missing for that long.
 */
export function forgetGone(
  { sql, tenant }: TenantTx,
  { connection, entity, since }: Pick<CollectTask, 'connection' | 'entity' | 'since'>,
  late: Ms = 0,
) {
  return sql
    .deleteFrom('collected')
    .where('tenant_id', '=', tenant)
    .where('connection_id', '=', connection.id)
    .where('entity', '=', entity)
    .where('seen_at', '<', since - late)
    .returning(['uid', 'company_n', 'row'])
    .execute();
}

export const loadFound = (
  { sql, tenant }: TenantTx,
  connection: string,
  entities: readonly Entity[],
) =>
  sql
    .selectFrom('collected')
    .select(['entity', 'uid', 'name', 'company_n', 'row'])
    .where('tenant_id', '=', tenant)
    .where('connection_id', '=', connection)
    .where('entity', 'in', [...entities])
    .execute();
