import { encodeColumns, runAt, viewColumns } from '#contract/monitoring/columns.ts';
import type { LeanRun, RunColumns } from '#contract/monitoring/columns.ts';
import type { RunsFilter } from '#contract/monitoring/query.ts';
import { makeEngine } from '../../../workers/columns/engine.ts';
import { openDisk } from '../../../workers/disk/disk.ts';
import { openRegister } from '../../../workers/disk/register.ts';
import type { Disk } from '../../../workers/seams.ts';
import { BENCH_NOW, makeChanges, makeData } from '../data.ts';
import type { BenchData } from '../data.ts';
import { DEFAULT, topOf } from './questions.ts';
import type { Answer, Contender } from './questions.ts';
import { leanRuns } from './rows.ts';
import { serve } from './serve.ts';

/** The product's own store: the engine and the disk that the worker uses, values encrypted. */
const OWNER = { tenant: '11111111-1111-4111-8111-111111111111', user: '22222222-2222-4222-8222-222222222222', actor: '22222222-2222-4222-8222-222222222222' };
const DAY_SEC = 86_400;
let engine = makeEngine(), disk: Disk | null = null, later: readonly number[] = [], cursor = 0;

function ask(filter: RunsFilter): Answer {
  const chosen = engine.select(filter, BENCH_NOW);
  const rows = engine.view(chosen, { first: 0, count: 50 }, BENCH_NOW);
  const counts = (facets: readonly { value: string; count: number }[]): Record<string, number> =>
    Object.fromEntries(facets.filter(({ count }) => count > 0).map(({ value, count }) => [value, count]));
  return {
    total: chosen.total, states: counts(chosen.facets.states), sources: counts(chosen.facets.sources),
    companies: topOf(new Map(chosen.facets.companies.map(({ value, count }) => [value, count]))), first: rows.map(({ n }) => n),
  };
}

async function held(): Promise<Disk> {
  const register = await openRegister();
  const there = await register.current(BENCH_NOW);
  const owner = there.is === 'in' ? there.held : await register.enter(OWNER, BENCH_NOW + 7 * 86_400_000);
  return openDisk(owner, register);
}

const contender: Contender = {
  async load(runs) {
    const data = dataOf(runs), days = daysOf(data);
    disk = await held();
    const began = performance.now();
    const rows = { company: data.companies, job: data.jobs, cause: data.causes, problem: data.problems };
    engine.people(data.people);
    engine.zone('Europe/Berlin', 0);
    engine.put(rows);
    await disk.begin({
      epoch: 'bench', cursor: 1, me: ME, branding: BRANDING, people: data.people, rows, days: days.map(([day]) => day),
    });
    for (const [day, pages] of days) {
      for (const page of pages) engine.addSegment(page);
      await disk.addDay(day, pages);
    }
    const ms = performance.now() - began;
    while (await disk.compact()); // idle work, as after the first load of the product
    return { ms };
  },
  async open() {
    engine = makeEngine();
    disk = await held();
    const opened = await disk.open();
    if (!opened) throw new Error('nothing to open');
    cursor = opened.cursor;
    engine.people(opened.people);
    engine.zone(opened.branding.timeZone, opened.branding.dayBeginsHour);
    engine.put(opened.rows);
    for (const patch of opened.patches) { engine.put(patch.rows); engine.upsert(patch.runs); }
    const from = (DEFAULT.from ?? 0) / 1000;
    const first = opened.segments.filter(({ toSec }) => toSec >= from);
    for (const columns of await Promise.all(first.map(({ id }) => disk?.segment(id)))) if (columns) engine.addSegment(columns);
    later = opened.segments.filter(({ toSec }) => toSec < from).map(({ id }) => id);
    return ask(DEFAULT);
  },
  async rest() {
    for (const id of later) { const columns = await disk?.segment(id); if (columns) engine.addSegment(columns); }
  },
  ask: (filter) => Promise.resolve(ask(filter)),
  async change(round, runs) {
    const { runs: changed, problems } = makeChanges(dataOf(runs), (place) => made!.lean[place]!, round);
    const rows = { problem: problems };
    await disk?.append({ cursor: (cursor += 1_000), rows, runs: changed }, BENCH_NOW);
    engine.put(rows);
    engine.upsert(changed);
    return ask(DEFAULT);
  },
};

const ME = { id: OWNER.user, username: 'bench', name: 'Bench', email: 'bench@example.com', roles: ['operator' as const], companies: null, serviceProviderId: OWNER.tenant };
const BRANDING = {
  id: OWNER.tenant, name: 'Bench', title: 'Portal', favIconUrl: null, apiUrl: '/api/v1', domain: 'localhost', sidebarLogoUrl: null, sidebarLogoWidth: null,
  sidebarLogoHeight: null, sidebarTitle: 'Portal', supportEmail: null, supportPhone: null, authType: 'db' as const, isStripeEnabled: false, accent: null,
  accentDark: null, sidebar: null, sidebarDark: null, timeZone: 'Europe/Berlin', dayBeginsHour: 0, offlineDays: 7,
};

let made: { runs: number; data: BenchData; lean: LeanRun[] } | null = null;
function dataOf(runs: number): BenchData {
  if (made?.runs !== runs) { const data = makeData(runs); made = { runs, data, lean: leanRuns(data) }; }
  return made.data;
}

/** As the wire brings them: a day's runs in pages, the newest day first. */
function daysOf(data: BenchData): (readonly [day: string, pages: RunColumns[]])[] {
  const days = new Map<number, LeanRun[]>();
  for (const page of data.pages) {
    const columns = viewColumns(page.buffer);
    for (let row = 0; row < columns.rows; row++) {
      const run = runAt(columns, row), day = Math.floor(run.startSec / DAY_SEC);
      const list = days.get(day);
      if (list) list.push(run); else days.set(day, [run]);
    }
  }
  return [...days].sort((a, b) => b[0] - a[0]).map(([day, runs]) => {
    const pages: RunColumns[] = [];
    for (let at = 0; at < runs.length; at += 16_384) pages.push(viewColumns(encodeColumns(runs.slice(at, at + 16_384)).buffer));
    return [new Date(day * DAY_SEC * 1000).toISOString().slice(0, 10), pages] as const;
  });
}

serve(contender, dataOf);
