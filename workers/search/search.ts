import type {
  FindQuery,
  SearchMatches,
  FoundCompany,
  FoundComputer,
  FoundJob,
} from '#workers/api.ts';
import type { ColumnStore } from '#workers/types.ts';

/**
 * Searchable names in lower case with what they name. `apart`: what distinguishes equal names, in
 * order.
 */
interface Names<T> {
  readonly rows: readonly T[];
  readonly lower: readonly string[];
  readonly apart: (a: T, b: T) => number;
}
interface Index {
  readonly engine: ColumnStore;
  readonly named: number;
  readonly jobs: Names<FoundJob>;
  readonly companies: Names<FoundCompany>;
  readonly computers: Names<FoundComputer>;
}

/** Finds by name in all loaded data (FIND-1). Rebuilds its names when one has changed. */
export function makeFinder(): (engine: ColumnStore | null, ask: FindQuery) => SearchMatches {
  let index: Index | null = null;
  return (engine, { text, limit }) => {
    if (!engine) {
      index = null;
      return EMPTY;
    }
    if (index?.engine !== engine || index.named !== engine.named) index = getIndex(engine);
    const key = text.trim().toLowerCase();
    return {
      jobs: among(index.jobs, key, limit),
      companies: among(index.companies, key, limit),
      computers: among(index.computers, key, limit),
    };
  };
}

const NONE = { count: 0, rows: [] };
const EMPTY: SearchMatches = { jobs: NONE, companies: NONE, computers: NONE };

function getIndex(engine: ColumnStore): Index {
  const names = new Map(engine.all('company').map(({ n, name }) => [n, name]));
  const ofCompany = new Map<number, number>();
  const computers = new Map<string, { -readonly [K in keyof FoundComputer]: FoundComputer[K] }>();
  const jobs = engine.all('job').map(({ n, name, computer, company }): FoundJob => {
    const companyName = names.get(company) ?? '';
    const key = `${company} ${computer}`;
    const known = computers.get(key);
    ofCompany.set(company, (ofCompany.get(company) ?? 0) + 1);
    if (known) known.jobs += 1;
    else if (computer !== '') computers.set(key, { name: computer, company, companyName, jobs: 1 });
    return { job: n, name, computer, company, companyName };
  });
  const companies = [...names].map(([company, name]): FoundCompany => ({
    company,
    name,
    jobs: ofCompany.get(company) ?? 0,
  }));
  return {
    engine,
    named: engine.named,
    jobs: getNames(
      jobs,
      (a, b) =>
        order(a.companyName, b.companyName) || order(a.computer, b.computer) || a.job - b.job,
    ),
    companies: getNames(companies, (a, b) => a.company - b.company),
    computers: getNames(
      [...computers.values()],
      (a, b) => order(a.companyName, b.companyName) || a.company - b.company,
    ),
  };
}

const getNames = <T extends { readonly name: string }>(
  rows: readonly T[],
  apart: Names<T>['apart'],
): Names<T> => ({ rows, lower: rows.map(({ name }) => name.toLowerCase()), apart });

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** How well a name matches: less is better. */
const [BEGINS, WORD_BEGINS, HOLDS] = [0, 1, 2] as const;
interface Hit<T> {
  readonly fit: number;
  readonly name: string;
  readonly row: T;
}

/** One pass; only the best few are kept sorted. */
function among<T>(
  { rows, lower, apart }: Names<T>,
  key: string,
  limit: number,
): { readonly count: number; readonly rows: readonly T[] } {
  const best: Hit<T>[] = [];
  const compare = (a: Hit<T>, b: Hit<T>): number =>
    a.fit - b.fit || order(a.name, b.name) || apart(a.row, b.row);
  let count = 0;
  for (let i = 0; i < lower.length; i++) {
    const name = lower[i] ?? '';
    const at = name.indexOf(key);
    const row = rows[i];
    if (at < 0 || row === undefined) continue;
    count += 1;
    const hit = {
      fit: at === 0 ? BEGINS : wordBegins(name, key, at) ? WORD_BEGINS : HOLDS,
      name,
      row,
    };
    const last = best.at(-1);
    if (best.length >= limit && (last === undefined || compare(hit, last) >= 0)) continue;
    best.splice(findIndex(best, hit, compare), 0, hit);
    if (best.length > limit) best.pop();
  }
  return { count, rows: best.map(({ row }) => row) };
}

function findIndex<T>(sorted: readonly T[], one: T, compare: (a: T, b: T) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    const here = sorted[mid];
    if (here !== undefined && compare(here, one) <= 0) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Whether a word of the name begins with the key, which first occurs at `at`. */
function wordBegins(name: string, key: string, at: number): boolean {
  for (let here = at; here > 0; here = name.indexOf(key, here + 1))
    if (!LETTER.test(before(name, here))) return true;
  return false;
}
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** Returns the character before, even if it is a surrogate pair. */
const before = (name: string, at: number): string =>
  name.slice(at > 1 && (name.charCodeAt(at - 1) & 0xfc00) === 0xdc00 ? at - 2 : at - 1, at);
