import sqlite3InitModule from '../peers/node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs';
import type { RunsFilter } from '#contract/runs/query.ts';
import { makeChanges, makeData } from '../data.ts';
import { DEFAULT } from './questions.ts';
import type { Answer, Contender, PlainRow } from './questions.ts';
import { leanRuns, plainRow } from './rows.ts';
import { serve } from './serve.ts';

/**
 * SQLite compiled to WebAssembly, its file in the origin's private file system, indexes on what is
 * filtered by.
 */
interface Db {
  exec(how: {
    sql: string;
    bind?: readonly unknown[];
    rowMode?: 'array';
    returnValue?: 'resultRows';
  }): unknown[][];
  prepare(sql: string): Statement;
}
interface Statement {
  bind(values: readonly unknown[]): Statement;
  stepReset(): Statement;
  finalize(): void;
}

let db: Db | null = null;

async function database(): Promise<Db> {
  if (db) return db;
  const sqlite3 = await sqlite3InitModule();
  const pool = await sqlite3.installOpfsSAHPoolVfs({ name: 'bench', initialCapacity: 6 });
  db = new pool.OpfsSAHPoolDb('/bench.sqlite') as unknown as Db;
  db.exec({
    sql: 'pragma journal_mode=truncate; pragma synchronous=normal; pragma cache_size=-131072; pragma temp_store=memory',
  });
  return db;
}

const COLUMNS = [
  'n',
  'job',
  'company',
  'startSec',
  'elapsedSec',
  'bytes',
  'state',
  'source',
  'type',
  'managed',
  'review',
  'message',
  'text',
] as const;
const getValues = (row: PlainRow): unknown[] => COLUMNS.map((name) => row[name]);

function write(rows: readonly PlainRow[]): void {
  if (!db) return;
  db.exec({ sql: 'begin' });
  const statement = db.prepare(
    `insert or replace into runs(${COLUMNS.join(',')}) values(${COLUMNS.map(() => '?').join(',')})`,
  );
  for (const row of rows) statement.bind(getValues(row)).stepReset();
  statement.finalize();
  db.exec({ sql: 'commit' });
}

const select = (sql: string, bind: readonly unknown[]): unknown[][] =>
  db?.exec({ sql, bind, rowMode: 'array', returnValue: 'resultRows' }) ?? [];

function ask(filter: RunsFilter): Answer {
  const parts: string[] = [];
  const bind: unknown[] = [];
  const among = (name: string, values: readonly unknown[]): void => {
    if (values.length === 0) return;
    parts.push(`${name} in (${values.map(() => '?').join(',')})`);
    bind.push(...values);
  };
  if (filter.from !== null) {
    parts.push('startSec >= ?');
    bind.push(filter.from / 1000);
  }
  if (filter.review !== null) among('review', [filter.review]);
  among('state', filter.states);
  among('source', filter.sources);
  among('type', filter.types);
  among('company', filter.companies);
  if (filter.managed !== null) among('managed', [filter.managed ? 2 : 1]);
  if (filter.text !== '') {
    parts.push('instr(text, ?) > 0');
    bind.push(filter.text.toLowerCase());
  }
  const where = parts.length === 0 ? '' : `where ${parts.join(' and ')}`;
  const counted = (name: string): Record<string, number> =>
    Object.fromEntries(
      select(`select ${name}, count(*) from runs ${where} group by 1`, bind).map(
        ([value, count]) => [String(value), Number(count)],
      ),
    );
  const states = counted('state');
  return {
    total: Object.values(states).reduce((sum, count) => sum + count, 0),
    states,
    sources: counted('source'),
    companies: select(
      `select company, count(*) as c from runs ${where} group by 1 order by c desc, company limit 20`,
      bind,
    ).map(([company, count]) => [Number(company), Number(count)]),
    first: select(`select n from runs ${where} order by startSec desc, n desc limit 50`, bind).map(
      ([n]) => Number(n),
    ),
  };
}

const contender: Contender = {
  async load(runs) {
    const data = makeData(runs);
    const lean = leanRuns(data);
    const began = performance.now();
    const own = await database();
    own.exec({
      sql: `create table runs(n integer primary key, job int, company int, startSec int, elapsedSec int, bytes int, state text, source text, type text, managed int, review text, message text, text text)`,
    });
    for (let at = 0; at < lean.length; at += 10_000) {
      write(
        lean
          .slice(at, at + 10_000)
          .map((run) =>
            plainRow(run, data, run.problem === null ? undefined : data.problems[run.problem - 1]),
          ),
      );
    }
    own.exec({
      sql: 'create index by_start on runs(startSec desc, n desc, review); create index by_company on runs(company, startSec desc, n desc, state, source); create index by_state on runs(state, managed, startSec desc, n desc, source, company); analyze',
    });
    return { ms: performance.now() - began };
  },
  async open() {
    await database();
    return ask(DEFAULT);
  },
  rest: () => Promise.resolve(),
  ask: (filter) => Promise.resolve(ask(filter)),
  change(round, runs) {
    const { data, lean } = getMade(runs);
    const { runs: changed, problems } = makeChanges(data, (place) => lean[place]!, round);
    const byN = new Map(problems.map((problem) => [problem.n, problem]));
    write(
      changed.map((run) =>
        plainRow(run, data, run.problem === null ? undefined : byN.get(run.problem)),
      ),
    );
    return Promise.resolve(ask(DEFAULT));
  },
};

let made: {
  runs: number;
  data: ReturnType<typeof makeData>;
  lean: ReturnType<typeof leanRuns>;
} | null = null;
function getMade(runs: number) {
  if (made?.runs !== runs) {
    const data = makeData(runs);
    made = { runs, data, lean: leanRuns(data) };
  }
  return made;
}

serve(contender, getMade);
