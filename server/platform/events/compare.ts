import { sql as raw } from 'kysely';
import type { RowId } from '#contract/fold.ts';
import { TABLE_NAMES, TABLES } from '#contract/tables.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import { canonical } from '../db/canonical.ts';
import { getDamagedFile } from '../db/damaged-file.ts';
import { sqlName } from '../db/projected-tables.ts';
import type { UnreadableTable } from './check-log.ts';
import { readWithin } from './read-log.ts';
import type { RebuiltLog } from './rebuild.ts';
import type { TenantTx } from '../db/store.ts';
import { getRecord, STATEMENTS } from './tables.ts';
import { wrongTotals } from './totals.ts';

/** A row that differs from the log. `null`: missing. */
export interface Difference {
  readonly table: string;
  readonly id: RowId;
  readonly stored: string | null;
  readonly folded: string | null;
}

/**
 * Compares rows with their lookup columns, days, kinds, samples and quarantine: the stored ones with those
 * folded from the log. A table with an unreadable part is reported instead.
 */
export async function compare(
  tx: TenantTx,
  folded: RebuiltLog,
): Promise<{
  readonly differences: readonly Difference[];
  readonly unreadable: readonly UnreadableTable[];
}> {
  const differences: Difference[] = [];
  const unreadable: UnreadableTable[] = [];
  const read = readWithin(tx);
  const part = async (
    table: string,
    work: (found: Difference[]) => Promise<void>,
  ): Promise<void> => {
    const found: Difference[] = [];
    try {
      await read(() => work(found));
      differences.push(...found);
    } catch (error) {
      const reason = getDamagedFile(error);
      if (reason === null) throw error;
      unreadable.push({ table, reason });
    }
  };
  for (const name of TABLE_NAMES)
    await part(sqlName(name), (found) => compareTable(tx, folded, name, found));
  await part('run_day', (found) => compareDays(tx, folded, found));
  await part('job_kind', (found) => compareKinds(tx, folded, found));
  await part('repository_sample', (found) => compareSamples(tx, folded, found));
  await part('quarantine', (found) => compareQuarantine(tx, folded, found));
  await part('run_total', async (found) => {
    found.push(...(await wrongTotals(tx.sql, tx.tenant)));
  });
  return { differences, unreadable };
}

async function compareDays(
  { sql, tenant }: TenantTx,
  folded: RebuiltLog,
  found: Difference[],
): Promise<void> {
  const days = await sql
    .selectFrom('run_day')
    .select(['day', 'rows', 'seq'])
    .where('tenant_id', '=', tenant)
    .execute();
  against(
    found,
    'run_day',
    days.map((one) => [one.day, one]),
    [...folded.days].map(([day, one]) => [day, { day, ...one }]),
  );
}

async function compareKinds(
  { sql, tenant }: TenantTx,
  folded: RebuiltLog,
  found: Difference[],
): Promise<void> {
  const kinds = await sql
    .selectFrom('job_kind')
    .select(['company_n', 'seq'])
    .where('tenant_id', '=', tenant)
    .execute();
  against(
    found,
    'job_kind',
    kinds.map(({ company_n: company, seq }) => [company, seq]),
    [...folded.kindSeq],
  );
}

async function compareSamples(
  { sql, tenant }: TenantTx,
  folded: RebuiltLog,
  found: Difference[],
): Promise<void> {
  const samples = await sql
    .selectFrom('repository_sample')
    .select(['repository_id', 'at', 'capacity', 'free', 'used'])
    .where('tenant_id', '=', tenant)
    .execute();
  against(
    found,
    'repository_sample',
    samples.map((one) => [place(one), one]),
    folded.samples.map((one) => [place(one), one]),
  );
}

async function compareQuarantine(
  { sql, tenant }: TenantTx,
  folded: RebuiltLog,
  found: Difference[],
): Promise<void> {
  const quarantined = await sql
    .selectFrom('quarantine')
    .select(['seq', 'reason', 'at'])
    .where('tenant_id', '=', tenant)
    .execute();
  against(
    found,
    'quarantine',
    quarantined.map((one) => [one.seq, one]),
    folded.quarantined.map((one) => [one.seq, one]),
  );
}

const place = (one: { repository_id: string; at: number }): string =>
  `${one.repository_id} ${one.at}`;

const PAGE = 5000;

async function compareTable(
  { sql, tenant }: TenantTx,
  folded: RebuiltLog,
  name: TableName,
  found: Difference[],
): Promise<void> {
  const id = TABLES[name].key;
  const rows = folded.cached[name] as ReadonlyMap<RowId, Tables[TableName]>;
  const columns = raw.join(
    STATEMENTS[name].columns.map(({ name: column }) =>
      column === 'row' ? raw`row::text as row` : raw.ref(column),
    ),
  );
  const seen = new Set<RowId>();
  let after: RowId | null = null;
  for (;;) {
    const page: readonly Readonly<Record<string, unknown>>[] = (
      await raw<Record<string, unknown>>`
      select ${columns} from ${raw.table(sqlName(name))} where tenant_id = ${tenant}::uuid ${after === null ? raw`` : raw`and ${raw.ref(id)} > ${after}`}
      order by ${raw.ref(id)} limit ${raw.lit(PAGE)}`.execute(sql)
    ).rows;
    for (const stored of page) {
      const key = stored[id] as RowId;
      seen.add(key);
      note(found, name, key, getStoredText(stored), getText(folded, name, key, rows.get(key)));
      after = key;
    }
    if (page.length < PAGE) break;
  }
  for (const [key, row] of rows)
    if (!seen.has(key)) note(found, name, key, null, getText(folded, name, key, row));
}

/** A damaged row may be no JSON: then its text is shown as it is. */
function getStoredText(stored: Readonly<Record<string, unknown>>): string {
  try {
    return canonical({ ...stored, row: JSON.parse(String(stored['row'])) });
  } catch {
    return canonical(stored);
  }
}

function getText<T extends TableName>(
  folded: RebuiltLog,
  name: T,
  id: RowId,
  row: Tables[T] | undefined,
): string | null {
  if (row === undefined) return null;
  const { seq, ...record } = getRecord(name, id, row, folded.runSeq.get(id) ?? null);
  return canonical(name === 'run' ? { ...record, seq } : record);
}

type Pairs = readonly (readonly [RowId, unknown])[];

function against(found: Difference[], table: string, stored: Pairs, folded: Pairs): void {
  const was = new Map(stored);
  const current = new Map(folded);
  for (const id of new Set([...was.keys(), ...current.keys()]))
    note(found, table, id, said(was.get(id)), said(current.get(id)));
}

const said = (value: unknown): string | null => (value === undefined ? null : canonical(value));

function note(
  found: Difference[],
  table: string,
  id: RowId,
  stored: string | null,
  folded: string | null,
): void {
  if (stored !== folded) found.push({ table, id, stored, folded });
}
