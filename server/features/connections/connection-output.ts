import { sql } from 'kysely';
import { ENTITIES_OF, type Entity, OWNERS_OF } from '#contract/connections/connection.ts';
import type { CollectionOut, ConnectionOut, FoundEntities } from '#contract/connections/calls.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { ConnectionRow } from './task.ts';

/** Returns connections for the API, without their secrets. */
export async function toConnectionOutput(
  tx: TenantTx,
  rows: readonly ConnectionRow[],
): Promise<ConnectionOut[]> {
  if (rows.length === 0) return [];
  const collections = await tx.sql
    .selectFrom('collection')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .execute();
  const counts = await tx.sql
    .selectFrom('collected')
    .select([
      'connection_id',
      'entity',
      sql<number>`count(*)::int`.as('all'),
      sql<number>`count(company_n)::int`.as('linked'),
    ])
    .where('tenant_id', '=', tx.tenant)
    .where('entity', 'in', ['companies', 'organizations', 'alarms'])
    .groupBy(['connection_id', 'entity'])
    .execute();
  return rows.map(
    ({
      id,
      kind,
      name,
      address,
      company_n,
      every_sec,
      enabled,
      certificate,
      sign_in,
      username,
      made_at,
    }) => {
      const own = new Map(
        collections.filter((one) => one.connection_id === id).map((one) => [one.entity, one]),
      );
      const count = (entity: Entity) =>
        counts.find((one) => one.connection_id === id && one.entity === entity) ?? {
          all: 0,
          linked: 0,
        };
      const companies = count(OWNERS_OF[kind] ?? 'companies');
      return {
        _id: id,
        kind,
        name,
        address,
        companyN: company_n,
        everySec: every_sec,
        enabled,
        certificate,
        signIn: sign_in,
        user: username,
        madeAt: made_at,
        companies: { linked: companies.linked, unlinked: companies.all - companies.linked },
        alarms: count('alarms').all,
        collections: ENTITIES_OF[kind].map((entity): CollectionOut => {
          const one = own.get(entity);
          return one
            ? {
                entity,
                status: one.status,
                startedAt: one.started_at,
                succeededAt: one.succeeded_at,
                nextAt: one.next_at,
                rows: one.read_rows,
                unlinked: one.unlinked,
                fails: one.fails,
                error: one.error,
              }
            : {
                entity,
                status: 'waiting',
                startedAt: null,
                succeededAt: null,
                nextAt: null,
                rows: 0,
                unlinked: 0,
                fails: 0,
                error: null,
              };
        }),
      };
    },
  );
}

const PAGE = 200;

/** Sorted by name, one page at a time. */
export async function foundRows(
  { sql: db, tenant }: TenantTx,
  connection: string,
  entity: Entity,
  unlinked: boolean,
  after: number,
): Promise<{ rows: FoundEntities[]; total: number }> {
  const some = db
    .selectFrom('collected')
    .where('tenant_id', '=', tenant)
    .where('connection_id', '=', connection)
    .where('entity', '=', entity)
    .$if(unlinked, (query) => query.where('company_n', 'is', null));
  const { total } = await some
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  const rows = await some
    .select(['uid', 'name', 'company_n', 'row', 'seen_at'])
    .orderBy('name')
    .orderBy('uid')
    .offset(after)
    .limit(PAGE)
    .execute();
  return {
    total,
    rows: rows.map(({ uid, name, company_n, row, seen_at }) => ({
      uid,
      name,
      companyN: company_n,
      seenAt: seen_at,
      detail: plain(entity === 'jobs' ? jobDetail(row) : row),
    })),
  };
}

/** What is shown of a stored job. */
const jobDetail = ({
  facts,
  more,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  ...(more as Record<string, unknown> | undefined),
  ...(facts as Record<string, unknown> | undefined),
});

const plain = (row: Readonly<Record<string, unknown>>): FoundEntities['detail'] =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
        ? [[name, value]]
        : [],
    ),
  );
