import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter, RunState } from '#contract/runs/query.ts';
import { BENCH_NOW } from '../now.ts';

/**
 * What every store is asked, and how it answers: the same data, the same questions, answers that
 * must be equal.
 */
export interface Answer {
  readonly total: number;
  readonly states: Readonly<Record<string, number>>;
  readonly sources: Readonly<Record<string, number>>;
  /** The twenty companies with most rows, by count and then number. */
  readonly companies: readonly (readonly [company: number, count: number])[];
  /** Run numbers of the first 50 rows, newest first. */
  readonly first: readonly number[];
}

/** What a store under test can do. Times are taken on the page, around the messages. */
export interface Contender {
  /** From pages in memory to durable and ready to be asked. Answers ms. */
  load(runs: number): Promise<{ readonly ms: number }>;
  /** After a restart of the browser: everything that is needed for the default filter's answer. */
  open(): Promise<Answer>;
  /**
   * What the steps of the last opening took, ms; bytes by store before encryption. Ours alone
   * tells.
   */
  steps?(): Promise<readonly (readonly [what: string, ms: number])[]>;
  sizes?(): Promise<Readonly<Record<string, number>>>;
  /** Whatever `open` left for later. */
  rest(): Promise<void>;
  ask(filter: RunsFilter): Promise<Answer>;
  /** 600 changed and 400 new runs: durable, and the default filter asked again. */
  change(round: number, runs: number): Promise<Answer>;
}

const DAY = 86_400_000;

export const DEFAULT: RunsFilter = { ...EVERYTHING, from: BENCH_NOW - 2 * DAY, review: 'pending' };

export const FILTERS: readonly (readonly [name: string, filter: RunsFilter])[] = [
  ['two days, pending', DEFAULT],
  ['everything', EVERYTHING],
  [
    '30 days, 2 sources, 3 types',
    {
      ...EVERYTHING,
      from: BENCH_NOW - 30 * DAY,
      sources: ['vbr', 'borg'],
      types: ['Backup', 'Tape', 'Agent'],
    },
  ],
  ['25 companies', { ...EVERYTHING, companies: Array.from({ length: 25 }, (_, i) => 1 + i * 97) }],
  ['failed or error, managed', { ...EVERYTHING, states: ['Failed', 'Error'], managed: true }],
  [
    '60 days, unmanaged, 3 sources',
    {
      ...EVERYTHING,
      from: BENCH_NOW - 60 * DAY,
      managed: false,
      sources: ['vbr', 'restic', 'office365'],
    },
  ],
];

/** 16 keystrokes: words as they are typed. */
export const KEYS: readonly string[] = ['sql-p', 'timeout', 'nyc0'].flatMap((word) =>
  Array.from(word, (_, i) => word.slice(0, i + 1)),
);

/**
 * One run as a plain row: what a store that keeps a record a row holds. `text` is what is searched,
 * lower-cased.
 */
export interface PlainRow {
  readonly n: number;
  readonly job: number;
  readonly company: number;
  readonly startSec: number;
  readonly elapsedSec: number | null;
  readonly bytes: number | null;
  readonly state: RunState;
  readonly source: string;
  readonly type: string;
  readonly managed: number; // 0 unknown, 1 no, 2 yes
  readonly review: string;
  readonly message: string | null;
  readonly text: string;
}

export function matches(row: PlainRow, filter: RunsFilter): boolean {
  return (
    (filter.from === null || row.startSec * 1000 >= filter.from) &&
    (filter.review === null || row.review === filter.review) &&
    (filter.states.length === 0 || filter.states.includes(row.state)) &&
    (filter.sources.length === 0 || (filter.sources as readonly string[]).includes(row.source)) &&
    (filter.types.length === 0 || (filter.types as readonly string[]).includes(row.type)) &&
    (filter.companies.length === 0 || filter.companies.includes(row.company)) &&
    (filter.managed === null || row.managed === (filter.managed ? 2 : 1)) &&
    (filter.text === '' || row.text.includes(filter.text.toLowerCase()))
  );
}

/** Counts what matched; `rows` stand newest first. */
export function getAnswer(rows: readonly PlainRow[]): Answer {
  const states: Record<string, number> = {};
  const sources: Record<string, number> = {};
  const companies = new Map<number, number>();
  for (const row of rows) {
    states[row.state] = (states[row.state] ?? 0) + 1;
    sources[row.source] = (sources[row.source] ?? 0) + 1;
    companies.set(row.company, (companies.get(row.company) ?? 0) + 1);
  }
  return {
    total: rows.length,
    states,
    sources,
    companies: getTop(companies),
    first: rows.slice(0, 50).map(({ n }) => n),
  };
}

export const getTop = (companies: ReadonlyMap<number, number>): Answer['companies'] =>
  [...companies].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 20);
