import type { FindAsk, Found, FoundCompany, FoundComputer, FoundJob } from '#workers/api.ts';
import type { Engine } from '#workers/seams.ts';

/** Names that are searched: in the order of people, so that what is found needs no sorting. */
interface Names<T> { readonly rows: readonly T[]; readonly lower: readonly string[] }
interface Index { readonly engine: Engine; readonly named: number; readonly jobs: Names<FoundJob>; readonly companies: Names<FoundCompany>; readonly computers: Names<FoundComputer> }

/** Finds by name in all that is here (FIND-1); names are put in order again when one has changed. */
export function makeFinder(): (engine: Engine | null, ask: FindAsk) => Found {
  let index: Index | null = null;
  return (engine, { text, limit }) => {
    if (!engine) { index = null; return NOTHING; }
    if (index?.engine !== engine || index.named !== engine.named) index = indexOf(engine);
    const key = text.trim().toLowerCase();
    return { jobs: among(index.jobs, key, limit), companies: among(index.companies, key, limit), computers: among(index.computers, key, limit) };
  };
}

const NONE = { count: 0, rows: [] };
const NOTHING: Found = { jobs: NONE, companies: NONE, computers: NONE };

function indexOf(engine: Engine): Index {
  const names = new Map(engine.all('company').map(({ n, name }) => [n, name])), ofCompany = new Map<number, number>();
  const computers = new Map<string, { -readonly [K in keyof FoundComputer]: FoundComputer[K] }>();
  const jobs = engine.all('job').map(({ n, name, computer, company }): FoundJob => {
    const companyName = names.get(company) ?? '', key = `${company} ${computer}`, known = computers.get(key);
    ofCompany.set(company, (ofCompany.get(company) ?? 0) + 1);
    if (known) known.jobs += 1;
    else if (computer !== '') computers.set(key, { name: computer, company, companyName, jobs: 1 });
    return { job: n, name, computer, company, companyName };
  });
  const companies = [...names].map(([company, name]): FoundCompany => ({ company, name, jobs: ofCompany.get(company) ?? 0 }));
  return {
    engine, named: engine.named,
    jobs: inOrder(jobs, (one) => `${one.companyName}\0${one.computer}\0${ten(one.job)}`),
    companies: inOrder(companies, (one) => ten(one.company)),
    computers: inOrder([...computers.values()], (one) => `${one.companyName}\0${ten(one.company)}`),
  };
}

const ten = (n: number): string => String(n).padStart(10, '0');

/** By name in any case, those of the same name by what tells them apart. */
function inOrder<T extends { readonly name: string }>(rows: readonly T[], apart: (row: T) => string): Names<T> {
  const keyed = rows.map((row) => ({ row, lower: row.name.toLowerCase(), key: `${row.name.toLowerCase()}\0${apart(row)}` }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { rows: keyed.map(({ row }) => row), lower: keyed.map(({ lower }) => lower) };
}

function among<T>({ rows, lower }: Names<T>, key: string, limit: number): { readonly count: number; readonly rows: readonly T[] } {
  const begins: T[] = [], inWord: T[] = [], holds: T[] = [];
  let count = 0;
  for (let i = 0; i < lower.length; i++) {
    const name = lower[i] ?? '', at = name.indexOf(key);
    if (at < 0) continue;
    count += 1;
    const list = at === 0 ? begins : beginsWord(name, key, at) ? inWord : holds, row = rows[i];
    if (list.length < limit && row !== undefined) list.push(row);
  }
  return { count, rows: [...begins, ...inWord, ...holds].slice(0, limit) };
}

/** Whether a word of the name begins with the key, which stands at `at` first. */
function beginsWord(name: string, key: string, at: number): boolean {
  for (let here = at; here > 0; here = name.indexOf(key, here + 1)) if (!LETTER.test(before(name, here))) return true;
  return false;
}
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** The character before, also where it is a pair of units. */
const before = (name: string, at: number): string => name.slice(at > 1 && (name.charCodeAt(at - 1) & 0xfc00) === 0xdc00 ? at - 2 : at - 1, at);
