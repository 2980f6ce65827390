import { randomUUID } from 'node:crypto';
import { CompiledQuery, type Transaction } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { canonical } from './canonical.ts';
import type { Database } from './database.ts';
import {
  isOwnPlace,
  type DumpLine,
  NOT_DUMPED,
  type DumpedRow,
  type Sum,
  getTableSum,
  loadTables,
} from './dump.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { UNOWNED } from './migrations/migration.ts';
import { FIELD_NAMES } from './migrations/0049_field_names.ts';
import { DROP_EARLY_PASSWORDS } from './migrations/0070_sign_up_links.ts';
import { NAME_HINT_SUMMARIES } from './migrations/0072_hint_summaries.ts';
import { FILL_HINT_RATINGS } from './migrations/0086_hint_ratings.ts';
import { FILL_JOB_KINDS } from './migrations/0088_job_kinds.ts';
import { NAME_UNDO_AUTHORS } from './migrations/0092_undo_authors.ts';
import { NAME_CHAIN_ENDS } from './migrations/0102_chain_ends.ts';
import type { OpenStore } from './open.ts';

/** An invalid backup. Nothing was written. */
export class BadBackup extends Error {
  override readonly name = 'BadBackup';
}

/** What migrations changed in rows. It changes nothing in those of a backup of today. */
const UPGRADES: readonly string[] = [
  ...Object.values(FIELD_NAMES).flat(),
  DROP_EARLY_PASSWORDS,
  NAME_HINT_SUMMARIES,
  FILL_HINT_RATINGS,
  FILL_JOB_KINDS,
  NAME_UNDO_AUTHORS,
  NAME_CHAIN_ENDS,
];

/**
 * Loads a backup into an empty database, all or nothing, and checks each tenant's rows and log
 * against the backup's sums. Tables that are newer than the backup stay empty, newer columns get
 * their defaults, and rows of an older version get the names of today (LOG-10). Every tenant gets a
 * new epoch (LOG-6). Returns the number of tenants.
 * @throws BadBackup
 */
export const load = (store: OpenStore, lines: AsyncIterable<DumpLine>): Promise<number> =>
  store.across(
    async (sql, enter) => {
      const tables = (await loadTables(sql)).filter((table) => !NOT_DUMPED.has(table));
      await refuseFull(sql, tables);
      const known = new Set(tables);
      let tenant: TenantId | null = null;
      let ended: number | null = null;
      let begun = false;
      let tenants = 0;
      const buffer = getBuffer(sql);
      for await (const line of lines) {
        if (line.kind === 'begin') {
          if (line.format !== 1 || !MIGRATIONS.some((one) => one.name === line.step))
            throw new BadBackup(
              'The backup was made by a newer version of Daybook. Restore it with that version.',
            );
          begun = true;
        } else if (!begun) {
          throw new BadBackup('This is not a backup of Daybook.');
        } else if (line.kind === 'row') {
          if (!known.has(line.table))
            throw new BadBackup(`The backup holds a table that is not known: ${line.table}.`);
          if (!(line.table in UNOWNED) && (tenant === null || line.row['tenant_id'] !== tenant))
            throw new BadBackup('The backup is out of order.');
          await buffer.add(line.table, line.row);
        } else if (line.kind === 'tenant') {
          await buffer.flush();
          tenant = line.tenant;
          await enter(tenant);
          // `getBuffer` inserts beside it. Its own row in the backup replaces it.
          await sql.insertInto('head').values({ tenant_id: tenant }).execute();
        } else if (line.kind === 'sum') {
          await buffer.flush();
          if (line.tenant !== tenant) throw new BadBackup('The backup is out of order.');
          if (
            canonical(await getTableSum(sql, tables, tenant)) !==
            canonical(withAll(line.sum, tables))
          )
            throw new BadBackup(
              `The rows or the log of provider ${tenant} are not those that were backed up.`,
            );
          for (const statement of UPGRADES) await sql.executeQuery(CompiledQuery.raw(statement));
          await sql
            .updateTable('head')
            .set({ epoch: randomUUID() })
            .where('tenant_id', '=', tenant)
            .execute();
          tenants++;
        } else {
          await buffer.flush();
          ended = line.tenants;
        }
      }
      if (ended === null || ended !== tenants)
        throw new BadBackup('The backup is not whole: its end is missing.');
      return tenants;
    },
    { readOnly: false },
  );

async function refuseFull(sql: Transaction<Database>, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    if (!(table in UNOWNED)) continue;
    const { rows } = await sql.executeQuery(CompiledQuery.raw(`select * from ${table} limit 2`));
    if (rows.some((row) => !isOwnPlace(table, row as DumpedRow)))
      throw new BadBackup(
        'The database is not empty. Restore into a new data folder or a new database.',
      );
  }
}

/** A backup has no sums for tables that are newer than it. */
const withAll = ({ rows, ...sum }: Sum, tables: readonly string[]): Sum => ({
  ...sum,
  rows: {
    ...Object.fromEntries(tables.flatMap((table) => (table in UNOWNED ? [] : [[table, 0]]))),
    ...rows,
  },
});

const BATCH_SIZE = 500;

/**
 * Collects rows of one table with the same columns into one insert. Those of a tenant take its id from its
 * head row: so Citus sees that they belong on one node.
 */
function getBuffer(sql: Transaction<Database>): {
  add(table: string, row: DumpedRow): Promise<void>;
  flush(): Promise<void>;
} {
  const known = new Map<string, ReadonlyMap<string, Column>>();
  let table = '';
  let columns = '';
  let rows: DumpedRow[] = [];
  async function flush(): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const there = known.get(table) ?? (await loadColumns(sql, table));
    known.set(table, there);
    const names = Object.keys(first);
    const strange = names.find((name) => !there.has(name));
    if (strange !== undefined)
      throw new BadBackup(`The backup holds a column that is not known: ${table}.${strange}.`);
    const taken = names.filter((name) => there.get(name)?.isGenerated === false);
    const isOwned = !(table in UNOWNED);
    const values = taken.map((name) =>
      isOwned && name === 'tenant_id' ? 'h.tenant_id' : `x."${name}"`,
    );
    const types = taken.map((name) => `"${name}" ${there.get(name)?.type}`);
    const head = isOwned ? ', (select tenant_id from head where tenant_id = $2::uuid) as h' : '';
    const changes = taken.map((name) => `"${name}" = excluded."${name}"`).join(', ');
    const insert = `insert into ${table} (${taken.map((name) => `"${name}"`).join(', ')}) select ${values.join(', ')}
      from json_to_recordset($1::text::json) as x(${types.join(', ')})${head}`;
    await sql.executeQuery(
      CompiledQuery.raw(
        table === 'head' ? `${insert} on conflict (tenant_id) do update set ${changes}` : insert,
        [JSON.stringify(rows), ...(isOwned ? [first['tenant_id']] : [])],
      ),
    );
    rows = [];
  }
  return {
    flush,
    async add(name, row) {
      const own = Object.keys(row).join();
      if (name !== table || own !== columns || rows.length === BATCH_SIZE) await flush();
      table = name;
      columns = own;
      rows.push(row);
    },
  };
}

/** `isGenerated`: the database calculates it. Such a column refuses a value. */
interface Column {
  readonly type: string;
  readonly isGenerated: boolean;
}

async function loadColumns(
  sql: Transaction<Database>,
  table: string,
): Promise<ReadonlyMap<string, Column>> {
  const { rows } = await sql.executeQuery(
    CompiledQuery.raw(
      `select attname::text as name, format_type(atttypid, atttypmod) as type, attgenerated <> '' as "isGenerated" from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped`,
      [table],
    ),
  );
  return new Map(
    (rows as (Column & { name: string })[]).map(({ name, ...column }) => [name, column]),
  );
}
