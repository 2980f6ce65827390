import type { RunsFilter } from '#contract/runs/query.ts';
import { makeEngine } from '../../../workers/columns/engine.ts';
import { diskOn } from '../../../workers/disk/disk.ts';
import type { Opens } from '../../../workers/startup/preopen.ts';
import { DAYS_AT_ONCE, openSnapshots, openFirst } from '../../../workers/startup/cold-start.ts';
import type { First } from '../../../workers/startup/cold-start.ts';
import { getDatabase } from '../../../workers/disk/database.ts';
import type { Disk } from '../../../workers/types.ts';
import { BENCH_NOW, OWNER } from '../now.ts';
import { DEFAULT } from './questions.ts';
import type { Answer, Contender } from './questions.ts';

/** The product's own store: the engine and the disk that the worker uses, values encrypted. */
let engine = makeEngine();
let disk: Disk | null = null;
let first: First | null = null;
let cursor = 0;

function ask(filter: RunsFilter): Answer {
  const chosen = engine.select(filter, BENCH_NOW);
  const rows = engine.view(chosen, { first: 0, count: 50 }, BENCH_NOW);
  return {
    total: chosen.total,
    states: counts(chosen.facets.states),
    sources: counts(chosen.facets.sources),
    companies: chosen.facets.companies
      .slice(0, 20)
      .map(({ value, count }) => [value, count] as const),
    first: rows.map(({ n }) => n),
  };
}

const counts = (facets: readonly { value: string; count: number }[]): Record<string, number> =>
  Object.fromEntries(
    facets.filter(({ count }) => count > 0).map(({ value, count }) => [value, count]),
  );

async function held(begun: Opens): Promise<Disk> {
  const register = await begun.openRegister();
  const there = await register.current(BENCH_NOW);
  const owner =
    there.kind === 'in' ? there.profile : await register.enter(OWNER, BENCH_NOW + 7 * 86_400_000);
  return diskOn(await begun.connect(owner), owner, register);
}

export const storeOn = (begun: Opens): Contender => ({
  async load(runs) {
    const { BRANDING, getData, getDays, ME } = await import('./ours-data.ts');
    const data = getData(runs);
    const days = getDays(data);
    disk = await held(begun);
    const began = performance.now();
    const rows = {
      company: data.companies,
      job: data.jobs,
      cause: data.causes,
      problem: data.problems,
    };
    engine.people(data.people);
    engine.zone('Europe/Berlin', 0);
    engine.put(rows);
    await disk.begin({
      epoch: 'bench',
      cursor: 1,
      me: ME,
      branding: BRANDING,
      people: data.people,
      rows,
      days: days.map(([day]) => day),
    });
    for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
      const some = days.slice(at, at + DAYS_AT_ONCE).map(([day, pages]) => ({ day, pages }));
      const written = disk.addDays(some);
      for (const { pages } of some) for (const page of pages) engine.addSegment(page);
      await written;
    }
    const ms = performance.now() - began;
    while (await disk.compact()); // idle work, as after the first load of the product
    return { ms };
  },
  async open() {
    engine = makeEngine();
    const began = performance.now();
    const from = (disk = await held(begun));
    steps.length = 0;
    steps.push(['both databases', performance.now() - began]);
    first = await openFirst(
      timed('disk', disk, OF_DISK),
      timed('engine', engine, OF_ENGINE),
      { filter: () => DEFAULT, window: { first: 0, count: 50 } },
      BENCH_NOW,
    );
    if (!first) throw new Error('nothing to open');
    steps.push(['openFirst in all', performance.now() - began]);
    ({ cursor } = first.opened);
    const answer = ask(DEFAULT);
    steps.push(['with the answer', performance.now() - began]);
    return from === disk ? answer : Promise.reject(new Error('opened twice'));
  },
  steps: () => Promise.resolve(steps),
  sizes,
  async rest() {
    if (!disk || !first) return;
    await openSnapshots(disk, engine, first.opened, () => Promise.resolve());
    for (const { id } of first.rest) engine.addSegment(await disk.segment(id));
  },
  ask: (filter) => Promise.resolve(ask(filter)),
  async change(round, runs) {
    const { getChanges } = await import('./ours-data.ts');
    const { runs: changed, problems } = getChanges(runs, round);
    const rows = { problem: problems };
    await disk?.append({ cursor: (cursor += 1_000), rows, runs: changed }, BENCH_NOW);
    engine.put(rows);
    engine.upsert(changed);
    return ask(DEFAULT);
  },
});

const steps: [what: string, ms: number][] = [];
const OF_DISK = ['open', 'segment', 'snapshots'] as const;
const OF_ENGINE = ['put', 'addSegment', 'select', 'view', 'upsert', 'people', 'zone'] as const;

/** The same thing, with the time that each of its calls takes. */
function timed<T extends object>(what: string, thing: T, names: readonly (keyof T & string)[]): T {
  const around: object = Object.fromEntries(
    names.map((name) => [
      name,
      (...input: unknown[]): unknown => {
        const began = performance.now();
        const note = (): void => {
          steps.push([`${what}.${name}`, performance.now() - began]);
        };
        const value: unknown = (thing[name] as (...all: unknown[]) => unknown)(...input);
        if (value instanceof Promise) void value.then(note);
        else note();
        return value;
      },
    ]),
  );
  return new Proxy(thing, {
    get: (target, name) => Reflect.get(name in around ? around : target, name) as unknown,
  });
}

/** Bytes before encryption: what is sealed, without the 16 bytes that say it is whole. */
async function sizes(): Promise<Record<string, number>> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(getDatabase(OWNER));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(new Error('no database')));
  });
  const sum: Record<string, number> = {};
  for (const store of ['books', 'segments', 'patches']) {
    const records = await new Promise<{ sealed: { data: ArrayBuffer } }[]>((resolve) => {
      const request = db.transaction(store).objectStore(store).getAll() as IDBRequest<
        { sealed: { data: ArrayBuffer } }[]
      >;
      request.addEventListener('success', () => resolve(request.result));
    });
    sum[store] = records.reduce((bytes, { sealed }) => bytes + sealed.data.byteLength - 16, 0);
  }
  db.close();
  return sum;
}
