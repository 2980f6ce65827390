import { Dexie } from 'dexie/dist/modern/dexie.mjs';
import type { RunsFilter } from '#contract/runs/query.ts';
import { makeChanges, makeData } from '../data.ts';
import { getAnswer, DEFAULT, matches } from './questions.ts';
import type { Contender, PlainRow } from './questions.ts';
import { leanRuns, plainRow } from './rows.ts';
import { serve } from './serve.ts';

/** A record a row in IndexedDB, read into an array on opening: how most local-first pages begin. */
const db = new Dexie('bench-dexie');
db.version(1).stores({ runs: 'n, startSec, company, state' });
const table = db.table<PlainRow>('runs');
let rows: PlainRow[] = [];

const newest = (a: PlainRow, b: PlainRow): number => b.startSec - a.startSec || b.n - a.n;
const ask = (filter: RunsFilter) => getAnswer(rows.filter((row) => matches(row, filter)));

const contender: Contender = {
  async load(runs) {
    const data = makeData(runs);
    const lean = leanRuns(data);
    const began = performance.now();
    for (let at = 0; at < lean.length; at += 10_000) {
      await table.bulkAdd(
        lean
          .slice(at, at + 10_000)
          .map((run) =>
            plainRow(run, data, run.problem === null ? undefined : data.problems[run.problem - 1]),
          ),
      );
    }
    return { ms: performance.now() - began };
  },
  async open() {
    rows = (await table.toArray()).sort(newest);
    return ask(DEFAULT);
  },
  rest: () => Promise.resolve(),
  ask: (filter) => Promise.resolve(ask(filter)),
  async change(round, runs) {
    const data = getData(runs);
    const { runs: changed, problems } = makeChanges(data, (place) => getAll(runs)[place]!, round);
    const byN = new Map(problems.map((problem) => [problem.n, problem]));
    const plain = changed.map((run) =>
      plainRow(run, data, run.problem === null ? undefined : byN.get(run.problem)),
    );
    await table.bulkPut(plain);
    const places = new Map(rows.map(({ n }, place) => [n, place]));
    for (const row of plain) {
      const place = places.get(row.n);
      if (place === undefined) rows.push(row);
      else rows[place] = row;
    }
    rows.sort(newest);
    return ask(DEFAULT);
  },
};

let made: {
  runs: number;
  data: ReturnType<typeof makeData>;
  lean: ReturnType<typeof leanRuns>;
} | null = null;
function getData(runs: number) {
  if (made?.runs !== runs) {
    const data = makeData(runs);
    made = { runs, data, lean: leanRuns(data) };
  }
  return made.data;
}
const getAll = (runs: number) => (getData(runs), made?.lean ?? []);

serve(contender, getData);
