import { withoutBidi } from '#contract/bidi.ts';
import type { Tables } from '#contract/tables.ts';
import type { UserId } from '#contract/ids.ts';
import type { CauseRow, ProblemRow } from '#contract/runs/rows.ts';
import { getRuleName } from '#contract/runs/fold-rules.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type {
  DeviceTables,
  ColumnStore,
  LastSyncRow,
  SmallRows,
  SmallTable,
} from '#workers/types.ts';
import { getId, SMALL_TABLES } from '#workers/tables.ts';
import type { SmallRow } from '#workers/tables.ts';
import { QueryCache } from './query-cache.ts';
import { getDays } from './days.ts';
import { Histories } from './history.ts';
import { isNamedAlike, Jobs } from './jobs.ts';
import { Orders } from './order.ts';
import { Problems } from './problems.ts';
import { leanAt } from './segment.ts';
import { Segments } from './segments.ts';
import { Scratch, select } from './select.ts';
import type { SelectionCache } from './select.ts';
import { Picked } from './selection.ts';
import { FIELD, Names } from './text.ts';
import { viewRows } from './view.ts';
import type { RowLookup } from './view.ts';

/**
 * The column store (COL-1 to COL-4, COL-7), put together from its parts:
 *
 *   segments.ts   runs as segments that don't overlap, each run once; a run from `upsert` wins over
 *                 any segment
 *   problems.ts   which review each problem needs at a time, as a byte table
 *   select.ts     a filter as tables, one pass, facets without their own dimension
 *   text.ts       contains, any case, trimmed: in job, computer, message and the run's company
 *   view.ts       the rows of a window in full
 *
 * `row` and `all` return what was put. Rows from `overlay` show only in `select` and `view`, so
 * that a fold never builds on them.
 */
export function makeEngine(): ColumnStore {
  const companies = new Map<number, CompanyRow>();
  const jobs = new Jobs();
  const causes = new Map<number, CauseRow>();
  const names = new Map<UserId, string>();
  /** Rows that nothing here is calculated from. */
  const plain: { readonly [T in PlainTable]: Map<number | string, DeviceTables[T]> } =
    Object.fromEntries(PLAIN_TABLES.map((table) => [table, new Map()])) as never;
  const orders = new Orders();
  const segments = new Segments();
  const problems = new Problems();
  const jobNames = new Names();
  const companyNames = new Names();
  const answered = new QueryCache();
  let days = getDays('UTC', 0);
  let wall: ColumnStore['wall'] = { timeZone: 'UTC', dayBeginsHour: 0 };
  let named = 0;

  const tables: { readonly [T in SmallTable]: ReadonlyMap<number | string, DeviceTables[T]> } = {
    ...plain,
    company: companies,
    job: jobs.rows,
    cause: causes,
    problem: problems.rows,
  };
  const lookup: RowLookup = {
    job: (n) => jobs.rows.get(n),
    company: (n) => companies.get(n),
    cause: (n) => causes.get(n),
    problem: (n) => problems.at(n),
    name: (id) => names.get(id) ?? getRuleName(id) ?? '',
    isWaiting: (n) => problems.over.has(n),
    histories: new Histories(),
  };
  const words = {
    companyName: (n: number) => companies.get(n)?.name ?? '',
    template: (n: number) => causes.get(n)?.template ?? '',
  };
  /**
   * Rows whose names are not prepared for search and order yet. That happens on first use, or
   * before there are too many of them.
   */
  let unnamed: SmallRows[] = [];
  const name = (): void => {
    for (const { company = [], job = [], cause = [] } of unnamed) {
      for (const row of company) {
        companyNames.set(row.n, row.name);
        orders.company.set(row.n, row.name);
      }
      for (const row of job) {
        jobNames.set(row.n, row.name + FIELD + row.computer);
        orders.job.set(row.n, row.name);
        orders.computer.set(row.n, row.computer);
      }
      for (const row of cause) orders.cause.set(row.n, row.template);
    }
    unnamed = [];
  };
  const putPlain = <T extends PlainTable>(
    table: T,
    rows: readonly (DeviceTables[T] & SmallRow)[],
  ): void => {
    for (const row of rows) plain[table].set(getId(table, row), row);
  };
  const store: SelectionCache = {
    segments,
    problems,
    rows: jobs,
    scratch: new Scratch(),
    get jobs() {
      name();
      return jobNames;
    },
    get companies() {
      name();
      return companyNames;
    },
    get orders() {
      name();
      return orders;
    },
    get days() {
      return days;
    },
  };

  return {
    put(input) {
      const rows = readable(input);
      answered.handleChange(rows);
      if (
        rows.company?.some((row) => companies.get(row.n)?.name !== row.name) ||
        rows.job?.some((row) => !isNamedAlike(jobs.rows.get(row.n), row))
      )
        named += 1;
      rows.company?.forEach((row) => {
        companies.set(row.n, row);
      });
      rows.job?.forEach((row) => {
        jobs.put(row);
      });
      rows.cause?.forEach((row: CauseRow) => {
        causes.set(row.n, row);
        problems.putCause(row);
      });
      if (rows.company ?? rows.job ?? rows.cause) unnamed.push(rows);
      if (unnamed.length > MAX_UNNAMED) name();
      rows.problem?.forEach((row: ProblemRow) => {
        problems.put(row);
      });
      for (const table of PLAIN_TABLES) putPlain(table, rows[table] ?? []);
    },
    people(all) {
      names.clear();
      for (const { id, name: called } of all) names.set(id, withoutBidi(called));
    },
    zone(timeZone, dayBeginsHour, starts = null) {
      answered.forget();
      days = getDays(timeZone, dayBeginsHour, starts);
      wall = { timeZone, dayBeginsHour };
    },
    row: (table, id) => tables[table].get(id),
    all: (table) => [...tables[table].values()],
    addSegment(columns, isOwned, outline) {
      answered.forget();
      segments.add(columns, isOwned, outline);
    },
    upsert(runs) {
      answered.forget();
      segments.upsert(runs);
    },
    runs: (ns) => segments.runs(ns),
    overlay(over) {
      answered.forget();
      problems.overlay(over);
    },
    select: (filter, now) =>
      answered.known(filter, now, (a, b) => problems.isAsAt(a, b)) ??
      answered.keep(filter, now, select(store, filter, now, words)),
    view(selection, { first, count }, now) {
      if (!(selection instanceof Picked))
        throw new TypeError('columns: a selection of another store');
      return viewRows(
        segments,
        selection.keys(first, count),
        lookup,
        days,
        now,
        selection.filter.anomaly,
      );
    },
    lean: (selection, { first, count }) =>
      (selection instanceof Picked ? selection.keys(first, count) : []).flatMap((key) => {
        const at = segments.find(key);
        return at ? [leanAt(at.segment, at.row)] : [];
      }),
    walk: (fromSec, toSec, visit) => {
      segments.walk(fromSec, toSec, visit);
    },
    problem: (n) => problems.at(n),
    pending: (now) => problems.pending(now),
    get wall() {
      return wall;
    },
    get named() {
      return named;
    },
    get maxJob() {
      return segments.reach.job;
    },
    get size() {
      return segments.size;
    },
    get newestAt() {
      return segments.newestAt;
    },
    clear() {
      named += 1;
      answered.forget();
      unnamed = [];
      for (const one of [
        ...Object.values(plain),
        companies,
        jobs,
        causes,
        names,
        orders,
        segments,
        problems,
        jobNames,
        companyNames,
      ])
        one.clear();
    },
  };
}

const MAX_UNNAMED = 16;

type PlainTable = Exclude<SmallTable, 'company' | 'job' | 'cause' | 'problem'>;
const CALCULATED: readonly SmallTable[] = ['company', 'job', 'cause', 'problem'];
const PLAIN_TABLES = SMALL_TABLES.filter(
  (table): table is PlainTable => !CALCULATED.includes(table),
);

/** Removes bidirectional controls from names, including names from before the server did that. */
function readable(rows: SmallRows): SmallRows {
  return {
    ...rows,
    ...(rows.company && {
      company: rows.company.map((row) =>
        withoutBidi(row.name) === row.name ? row : { ...row, name: withoutBidi(row.name) },
      ),
    }),
    ...(rows.job && {
      job: rows.job.map((row) =>
        isReadable(row)
          ? row
          : {
              ...row,
              name: withoutBidi(row.name),
              computer: withoutBidi(row.computer),
              server: withoutBidi(row.server),
            },
      ),
    }),
    ...(rows.cause && {
      cause: rows.cause.map((row) =>
        withoutBidi(row.template) === row.template
          ? row
          : { ...row, template: withoutBidi(row.template) },
      ),
    }),
    ...(rows.lastSync && {
      lastSync: rows.lastSync.map((row) => ({ ...row, failed: row.failed.map(readableFailure) })),
    }),
    ...(rows.key && {
      key: rows.key.map((row) =>
        withoutBidi(row.name) === row.name ? row : { ...row, name: withoutBidi(row.name) },
      ),
    }),
  };
}

const isReadable = ({ name, computer, server }: Tables['job']): boolean =>
  withoutBidi(name) === name &&
  withoutBidi(computer) === computer &&
  withoutBidi(server) === server;
const readableFailure = ({
  entity,
  name,
  company,
  message,
  ...rest
}: LastSyncRow['failed'][number]): LastSyncRow['failed'][number] => ({
  ...rest,
  entity: withoutBidi(entity),
  name: withoutBidi(name),
  company: company === null ? null : withoutBidi(company),
  message: withoutBidi(message),
});
