import type { TableName, Tables } from '#contract/fold.ts';

/** A column beside `row`, for look-ups. */
interface Column<R> { readonly name: string; readonly type: 'text' | 'bigint'; readonly of: (row: R) => string | number | null }

export interface Projected<R = never> {
  readonly table: string;
  readonly id: 'n' | 'id';
  readonly columns: readonly Column<R>[];
}

const text = <R>(name: string, of: (row: R) => string): Column<R> => ({ name, type: 'text', of });
const bigint = <R>(name: string, of: (row: R) => number | null): Column<R> => ({ name, type: 'bigint', of });

/** Where the rows of a fold are kept. `run.seq` is added by the one that writes: a row does not know it. */
export const PROJECTED: { readonly [T in TableName]: Projected<Tables[T]> } = {
  company: { table: 'company', id: 'n', columns: [] },
  user: { table: 'app_user', id: 'id', columns: [] },
  key: { table: 'source_key', id: 'id', columns: [bigint('company_n', (row) => row.company)] },
  job: {
    table: 'job', id: 'n',
    columns: [text('key_id', (row) => row.key), text('uid', (row) => row.uid), bigint('company_n', (row) => row.company)],
  },
  stat: { table: 'stat', id: 'n', columns: [] },
  run: {
    table: 'run', id: 'n',
    columns: [
      text('key_id', (row) => row.key), text('uid', (row) => row.uid), bigint('job_n', (row) => row.job),
      bigint('company_n', (row) => row.company), bigint('started_at', (row) => row.startedAt), text('status', (row) => row.status),
      bigint('problem_n', (row) => row.problem),
    ],
  },
  cause: { table: 'cause', id: 'n', columns: [text('kind', (row) => row.kind), text('template', (row) => row.template)] },
  problem: {
    table: 'problem', id: 'n',
    columns: [
      bigint('job_n', (row) => row.job), bigint('company_n', (row) => row.company), bigint('cause_n', (row) => row.cause),
      bigint('last_at', (row) => row.lastAt), bigint('closed_at', (row) => row.closedAt),
    ],
  },
  computer: {
    table: 'computer', id: 'id',
    columns: [text('key_id', (row) => row.key), bigint('company_n', (row) => row.company), bigint('seen_at', (row) => row.seenAt)],
  },
  repository: {
    table: 'repository', id: 'id',
    columns: [text('key_id', (row) => row.key), bigint('company_n', (row) => row.company)],
  },
};

export const TABLE_NAMES = Object.keys(PROJECTED) as readonly TableName[];

/** The row's record as `json_to_recordset` takes it; `seq` for runs only. */
export function recordOf<T extends TableName>(name: T, id: number | string, row: Tables[T], seq: number | null): Record<string, unknown> {
  const { columns, id: idColumn } = PROJECTED[name] as Projected<Tables[T]>;
  const record: Record<string, unknown> = { [idColumn]: id, row };
  for (const column of columns) record[column.name] = column.of(row);
  if (name === 'run') record['seq'] = seq;
  return record;
}

/** `$1` the tenant, `$2` the records as JSON. */
export const upsertOf = (name: TableName): string => UPSERTS[name];

const UPSERTS = Object.fromEntries(TABLE_NAMES.map((name) => [name, upsertSql(name)])) as Readonly<Record<TableName, string>>;

function upsertSql(name: TableName): string {
  const { table, id, columns } = PROJECTED[name] as Projected;
  const rest = [...columns.map((one) => ({ name: one.name, type: one.type as string })), ...(name === 'run' ? [{ name: 'seq', type: 'bigint' }] : []), { name: 'row', type: 'jsonb' }];
  const names = [id, ...rest.map((one) => one.name)].join(', ');
  const types = [`${id} ${id === 'n' ? 'bigint' : 'text'}`, ...rest.map((one) => `${one.name} ${one.type}`)].join(', ');
  return `insert into ${table} (tenant_id, ${names}) select $1::uuid, ${names} from json_to_recordset($2::text::json) as x(${types})
    on conflict (tenant_id, ${id}) do update set ${rest.map((one) => `${one.name} = excluded.${one.name}`).join(', ')}`;
}
