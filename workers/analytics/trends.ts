import type { Ms } from '#contract/ids.ts';
import { dayText } from '#contract/time/day.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { TREND_SERIES } from '#contract/analytics/trends.ts';
import type {
  TrendBy,
  TrendDay,
  TrendPart,
  Trends,
  TrendsQuery,
  TrendTally,
} from '#contract/analytics/trends.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { RANK } from '#workers/columns/kinds.ts';
import type { ColumnStore } from '#workers/types.ts';
import { daysIn, getSeconds } from '../periods/days.ts';
import { isHere } from '../periods/available-days.ts';
import type { FiguresStore } from '../periods/available-days.ts';
import { Seen } from '../periods/segments-seen.ts';

const STATES = RUN_STATES.length;
const BYS = ['company', 'type', 'source'] as const;
const NOWHERE = 0xffff_ffff;

interface Part {
  readonly by: TrendBy;
  readonly key: string;
  readonly name: string;
}
/** For each job, the indexes of its parts, one per breakdown. Jobs outside the query have none. */
interface Classes {
  readonly parts: readonly Part[];
  readonly of: Readonly<Record<TrendBy, Uint32Array>>;
}
/** A day, or a part of it, and how many results of each state each part has in it. */
interface Stretch {
  readonly day: string;
  readonly from: Ms;
  readonly seen: Seen;
  counts: Uint32Array;
}
interface TrendsInput {
  readonly key: string;
  readonly engine: ColumnStore;
  readonly classes: Classes;
  readonly days: readonly Stretch[];
  readonly before: readonly Stretch[];
}

/**
 * TREND-2: returns failures and warnings over time from the columns. Walks only the days that
 * changed.
 */
export function makeTrends(): (
  store: FiguresStore | null,
  ask: TrendsQuery,
) => Omit<Trends, 'version'> | null {
  let current: TrendsInput | null = null;
  return (store, ask) => {
    if (!store) {
      current = null;
      return null;
    }
    const { engine } = store;
    const key = JSON.stringify([{ ...ask, by: '' }, engine.named, engine.wall, engine.maxJob]);
    const begins = ask.from - (ask.to - ask.from);
    if (current?.key !== key || current.engine !== engine) {
      current = {
        key,
        engine,
        classes: getClasses(engine, ask),
        days: stretches(engine, ask.from, ask.to),
        before: stretches(engine, begins, ask.from),
      };
    }
    const { classes, days, before } = current;
    const size = classes.parts.length * STATES;
    for (const one of [...days, ...before])
      if (one.seen.changed(engine)) one.counts = getCounts(one.seen, classes);
    const now = sum(days, size);
    const then = sum(before, size);
    const parts = getParts(classes, now, then);
    return {
      now: total(classes, now),
      before: total(classes, then),
      whole: {
        now: isHere(store.days, ask.from, ask.to),
        before: isHere(store.days, begins, ask.from),
      },
      days: days.map((one) => getDay(classes, one)),
      daysBefore: before.map((one) => getDay(classes, one)),
      parts: { company: parts('company'), type: parts('type'), source: parts('source') },
      series: parts(ask.by)
        .filter(({ now: of }) => countBad(of) > 0)
        .slice(0, TREND_SERIES)
        .map(({ key: part }) => getSeries(classes, ask.by, part, days)),
    };
  };
}

function stretches(engine: ColumnStore, from: Ms, to: Ms): readonly Stretch[] {
  return daysIn(from, to, engine.wall).map((span) => {
    const first = Math.max(span.from, from);
    const last = Math.min(span.to, to);
    return {
      day: dayText(span.n),
      from: first,
      seen: new Seen(getSeconds(first), getSeconds(last)),
      counts: EMPTY,
    };
  });
}
const EMPTY = new Uint32Array();

function getClasses(engine: ColumnStore, { companies, sources, types }: TrendsQuery): Classes {
  const all = engine.all('job');
  const max = all.reduce((max, { n }) => Math.max(max, n), engine.maxJob);
  const names = new Map(engine.all('company').map(({ n, name }) => [n, name]));
  const of = {
    company: new Uint32Array(max + 1).fill(NOWHERE),
    type: new Uint32Array(max + 1).fill(NOWHERE),
    source: new Uint32Array(max + 1).fill(NOWHERE),
  };
  const parts: Part[] = [];
  const places = new Map<string, number>();
  const place = (part: Part): number => {
    const known = `${part.by} ${part.key}`;
    const at = places.get(known) ?? parts.push(part) - 1;
    places.set(known, at);
    return at;
  };
  for (const job of all) {
    if (!among(companies, job.company) || !among(sources, job.source) || !among(types, job.type))
      continue;
    for (const by of BYS) of[by][job.n] = place(getPart(by, job, names.get(job.company) ?? ''));
  }
  return { parts, of };
}

/** An empty list means all. */
const among = <T>(some: readonly T[], one: T): boolean => some.length === 0 || some.includes(one);

function getPart(by: TrendBy, { company, type, source }: JobRow, companyName: string): Part {
  switch (by) {
    case 'company':
      return { by, key: String(company), name: companyName };
    case 'type':
      return { by, key: type, name: type };
    case 'source':
      return { by, key: source, name: SOURCE_NAMES[source] };
  }
}

function getCounts(seen: Seen, { parts, of: { company, type, source } }: Classes): Uint32Array {
  const counts = new Uint32Array(parts.length * STATES);
  seen.each(({ cols: { job, kind } }, from, to) => {
    for (let row = from; row < to; row++) {
      const n = job[row] ?? 0;
      const first = company[n] ?? NOWHERE;
      if (first === NOWHERE) continue;
      const state = RANK[kind[row] ?? 0] ?? 0;
      const a = first * STATES + state;
      const b = (type[n] ?? 0) * STATES + state;
      const c = (source[n] ?? 0) * STATES + state;
      counts[a] = (counts[a] ?? 0) + 1;
      counts[b] = (counts[b] ?? 0) + 1;
      counts[c] = (counts[c] ?? 0) + 1;
    }
  });
  return counts;
}

function sum(stretches: readonly Stretch[], size: number): Float64Array {
  const all = new Float64Array(size);
  for (const { counts } of stretches)
    for (let i = 0; i < counts.length; i++) all[i] = (all[i] ?? 0) + (counts[i] ?? 0);
  return all;
}

type Counts = Float64Array | Uint32Array;
function tallyAt(counts: Counts, place: number): TrendTally {
  const of = (state: (typeof RUN_STATES)[number]): number =>
    counts[place * STATES + RUN_STATES.indexOf(state)] ?? 0;
  const tally = {
    success: of('Success'),
    warning: of('Warning'),
    failed: of('Failed') + of('Error'),
    missed: of('Missed'),
    anomaly: of('Anomaly'),
    running: of('Running'),
  };
  return {
    runs:
      tally.success + tally.warning + tally.failed + tally.missed + tally.anomaly + tally.running,
    ...tally,
  };
}

/** The parts of one breakdown add up to the total. */
const total = ({ parts }: Classes, counts: Counts): TrendTally =>
  parts.reduce<TrendTally>(
    (all, { by }, place) => (by === 'source' ? add(all, tallyAt(counts, place)) : all),
    NONE,
  );

function getDay(classes: Classes, { day, from, counts }: Stretch): TrendDay {
  const { runs, failed, warning, missed } = total(classes, counts);
  return { day, from, runs, failures: failed, warnings: warning, missed };
}

/** Returns the parts with any result, most failures and warnings first. */
function getParts(
  { parts }: Classes,
  now: Counts,
  before: Counts,
): (by: TrendBy) => readonly TrendPart[] {
  return (by) =>
    parts
      .flatMap((part, place): TrendPart[] => {
        if (part.by !== by) return [];
        const one = {
          key: part.key,
          name: part.name,
          now: tallyAt(now, place),
          before: tallyAt(before, place),
        };
        return one.now.runs + one.before.runs === 0 ? [] : [one];
      })
      .sort((a, b) => countBad(b.now) - countBad(a.now) || (a.name < b.name ? -1 : 1));
}

function getSeries(
  { parts }: Classes,
  by: TrendBy,
  key: string,
  days: readonly Stretch[],
): Trends['series'][number] {
  const place = parts.findIndex((one) => one.by === by && one.key === key);
  const tallies = days.map(({ counts }) => tallyAt(counts, place));
  return {
    key,
    failures: tallies.map(({ failed }) => failed),
    warnings: tallies.map(({ warning }) => warning),
  };
}

const countBad = ({ failed, warning }: TrendTally): number => failed + warning;
const NONE: TrendTally = {
  runs: 0,
  success: 0,
  warning: 0,
  failed: 0,
  missed: 0,
  anomaly: 0,
  running: 0,
};
const add = (a: TrendTally, b: TrendTally): TrendTally => ({
  runs: a.runs + b.runs,
  success: a.success + b.success,
  warning: a.warning + b.warning,
  failed: a.failed + b.failed,
  missed: a.missed + b.missed,
  anomaly: a.anomaly + b.anomaly,
  running: a.running + b.running,
});
