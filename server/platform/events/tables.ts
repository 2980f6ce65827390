import type { TableName, Tables } from '#contract/fold.ts';
import { type Given, given, selected } from '../db/bulk.ts';
import { prepared } from '../db/prepared.ts';

/** A lookup column beside `row`. */
interface Column<R> {
  readonly name: string;
  readonly type: 'text' | 'bigint';
  readonly of: (row: R) => string | number | null;
}

export interface Projected<R = never> {
  readonly table: string;
  readonly id: 'n' | 'id';
  readonly columns: readonly Column<R>[];
}

const text = <R>(name: string, of: (row: R) => string): Column<R> => ({ name, type: 'text', of });
const bigint = <R>(name: string, of: (row: R) => number | null): Column<R> => ({
  name,
  type: 'bigint',
  of,
});

/** The tables of the fold's rows. The writer adds `run.seq`, which a row doesn't have. */
export const PROJECTED: { readonly [T in TableName]: Projected<Tables[T]> } = {
  company: { table: 'company', id: 'n', columns: [] },
  user: { table: 'app_user', id: 'id', columns: [] },
  key: { table: 'source_key', id: 'id', columns: [bigint('company_n', (row) => row.company)] },
  job: {
    table: 'job',
    id: 'n',
    columns: [
      text('key_id', (row) => row.key),
      text('uid', (row) => row.uid),
      bigint('company_n', (row) => row.company),
    ],
  },
  stat: { table: 'stat', id: 'n', columns: [] },
  run: {
    table: 'run',
    id: 'n',
    columns: [
      text('key_id', (row) => row.key),
      text('uid', (row) => row.uid),
      bigint('job_n', (row) => row.job),
      bigint('company_n', (row) => row.company),
      bigint('started_at', (row) => row.startedAt),
      text('status', (row) => row.status),
      bigint('problem_n', (row) => row.problem),
    ],
  },
  cause: {
    table: 'cause',
    id: 'n',
    columns: [text('kind', (row) => row.kind), text('template', (row) => row.template)],
  },
  problem: {
    table: 'problem',
    id: 'n',
    columns: [
      bigint('job_n', (row) => row.job),
      bigint('company_n', (row) => row.company),
      bigint('cause_n', (row) => row.cause),
      bigint('last_at', (row) => row.lastAt),
      bigint('closed_at', (row) => row.closedAt),
      { name: 'ticket_id', type: 'text', of: (row) => row.tied?.id ?? null },
    ],
  },
  computer: {
    table: 'computer',
    id: 'id',
    columns: [
      text('key_id', (row) => row.key),
      bigint('company_n', (row) => row.company),
      bigint('seen_at', (row) => row.seenAt),
    ],
  },
  repository: {
    table: 'repository',
    id: 'id',
    columns: [text('key_id', (row) => row.key), bigint('company_n', (row) => row.company)],
  },
  view: { table: 'view', id: 'id', columns: [] },
  hint: { table: 'hint', id: 'id', columns: [] },
  rule: { table: 'result_rule', id: 'id', columns: [] },
  shift: { table: 'shift', id: 'id', columns: [bigint('received_at', (row) => row.receivedAt)] },
  preference: { table: 'preference', id: 'id', columns: [text('user_id', (row) => row.user)] },
  ticket: {
    table: 'ticket',
    id: 'id',
    columns: [
      bigint('company_n', (row) => row.company),
      bigint('number', (row) => row.number),
      bigint('open', (row) => (row.deletedAt !== null ? -1 : row.status.closed ? 0 : 1)),
      bigint('made_at', (row) => row.madeAt),
      { name: 'remote_id', type: 'text', of: (row) => row.remote?.id ?? null },
    ],
  },
};

export const TABLE_NAMES = Object.keys(PROJECTED) as readonly TableName[];

/** Returns the row's record for the statements; `seq` for runs only. */
export function recordOf<T extends TableName>(
  name: T,
  id: number | string,
  row: Tables[T],
  seq: number | null,
): Record<string, unknown> {
  const { columns, id: idColumn } = PROJECTED[name] as Projected<Tables[T]>;
  const record: Record<string, unknown> = { [idColumn]: id, row, seq };
  for (const column of columns) record[column.name] = column.of(row);
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
  TABLE_NAMES.map((name) => [name, statementsOf(name)]),
) as { readonly [T in TableName]: Statements };

function statementsOf(name: TableName): Statements {
  const { table, id, columns } = PROJECTED[name] as Projected;
  const all: Given[] = [
    { name: id, type: id === 'n' ? 'bigint' : 'text' },
    ...columns.map((one) => ({ name: one.name, type: one.type })),
    ...(name === 'run' ? [{ name: 'seq', type: 'bigint' } as const] : []),
    { name: 'row', type: 'json' },
  ];
  const insert = `insert into ${table} (tenant_id, ${all.map((one) => one.name).join(', ')}) select $1::uuid, ${selected(all)} from ${given(all, 2)}`;
  const put = `${insert} on conflict (tenant_id, ${id}) do update set ${all
    .slice(1)
    .map((one) => `${one.name} = excluded.${one.name}`)
    .join(', ')}`;
  return { columns: all, insert: prepared(insert), put: prepared(put) };
}
