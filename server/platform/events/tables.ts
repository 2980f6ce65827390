import { TABLE_NAMES, TABLES } from '#contract/tables.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import { type Given, unnestOwned, selected } from '../db/bulk.ts';
import { prepared } from '../db/prepared.ts';
import { sqlName } from '../db/projected-tables.ts';

interface Column<R> {
  readonly type: 'text' | 'bigint';
  readonly of: (row: R) => string | number | null;
}
/** The lookup columns of each table, by name. */
const LOOKUPS = Object.fromEntries(
  TABLE_NAMES.map((name) => [name, Object.entries(TABLES[name].lookups)]),
) as unknown as {
  readonly [T in TableName]: readonly (readonly [name: string, column: Column<Tables[T]>])[];
};

/** Returns the row's record for the statements; `seq` for runs only. */
export function getRecord<T extends TableName>(
  name: T,
  id: number | string,
  row: Tables[T],
  seq: number | null,
): Record<string, unknown> {
  const record: Record<string, unknown> = { [TABLES[name].key]: id, row, seq };
  for (const [column, { of }] of LOOKUPS[name]) record[column] = of(row);
  return record;
}

export interface Statements {
  readonly columns: readonly Given[];
  readonly insert: string;
  readonly put: string;
}

/**
 * `$1` is the tenant, the records start at `$2`. `insert` is for rows known to be new and costs
 * half of `put`. `put` finds each row by its key, whatever the planner estimates: an update joined
 * to the records read all rows of the tenant when nobody had analyzed the table.
 */
export const STATEMENTS = Object.fromEntries(
  TABLE_NAMES.map((name) => [name, getStatements(name)]),
) as { readonly [T in TableName]: Statements };

function getStatements(name: TableName): Statements {
  const { key } = TABLES[name];
  const all: Given[] = [
    { name: key, type: key === 'n' ? 'bigint' : 'text' },
    ...LOOKUPS[name].map(([column, { type }]) => ({ name: column, type })),
    ...(name === 'run' ? [{ name: 'seq', type: 'bigint' } as const] : []),
    { name: 'row', type: 'json' },
  ];
  const insert = `insert into ${sqlName(name)} (tenant_id, ${all.map((one) => one.name).join(', ')}) select h.tenant_id, ${selected(all)} from ${unnestOwned(all, 2)}`;
  const put = `${insert} on conflict (tenant_id, ${key}) do update set ${all
    .slice(1)
    .map((one) => `${one.name} = excluded.${one.name}`)
    .join(', ')}`;
  return { columns: all, insert: prepared(insert), put: prepared(put) };
}
