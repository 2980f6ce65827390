import type { Ms } from '#contract/ids.ts';
import { dayText } from '#contract/time/day.ts';
import type { Overview, OverviewQuery, Ranked } from '#contract/dashboard/overview.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import type { ColumnStore } from '#workers/types.ts';
import { getAttention } from './attention.ts';
import { daysIn } from '../periods/days.ts';
import type { DayWindow } from '../periods/days.ts';
import { isHere, storedFrom } from '../periods/available-days.ts';
import type { FiguresStore } from '../periods/available-days.ts';
import { Ran } from './jobs-that-ran.ts';
import { addSums, OUTSIDE, getTally } from './tally.ts';
import type { JobSums, TallyScope } from './tally.ts';
import { Totals } from './totals.ts';

/** The state of a query, rebuilt when the query, a job or a company changes. */
interface OverviewInput {
  readonly key: string;
  readonly engine: ColumnStore;
  readonly spans: readonly DayWindow[];
  readonly jobs: readonly JobRow[];
  readonly jobCounts: Omit<Overview['jobs'], 'neverRan'>;
  readonly scope: TallyScope;
  readonly totals: Totals;
}

const MAX_RANKED = 5;

/** The dashboard (OVER-1 to OVER-6) from the columns. Walks only what has changed. */
export function makeOverview(): (
  store: FiguresStore | null,
  ask: OverviewQuery,
  now: Ms,
) => Omit<Overview, 'version'> | null {
  const ran = new Ran();
  let current: OverviewInput | null = null;
  return (store, ask, now) => {
    if (!store) {
      current = null;
      return null;
    }
    const { engine } = store;
    const key = JSON.stringify([ask, engine.named, engine.wall, engine.maxJob]);
    if (current?.key !== key || current.engine !== engine) current = begin(engine, ask, key);
    const { spans, jobs, scope, totals } = current;
    const sums = totals.refresh(engine);
    const all = addSums(sums.days);
    const stored = storedFrom(store.days);
    const begins = ask.from - (ask.to - ask.from);
    const pending = engine.pending(now).filter((one) => counts(scope, one.job, one.company));
    const top = (values: Float64Array): readonly Ranked[] =>
      ranked(engine, scope, values, ask.ranked ?? MAX_RANKED);
    const groups =
      ask.instructionTypes.length === 0
        ? ENTITY_GROUPS
        : ENTITY_GROUPS.filter((group) => ask.instructionTypes.includes(group));
    return {
      now: getTally(all),
      before: { ...getTally(sums.before), whole: stored !== null && begins >= stored },
      groups: groups.map((group) => ({
        group,
        now: getTally(all, group),
        before: getTally(sums.before, group),
      })),
      days: spans.map(({ n, from }, i) => ({
        day: dayText(n),
        from,
        ...getTally(sums.days[i] ?? all),
      })),
      jobs: { ...current.jobCounts, neverRan: neverRan(jobs, ran.of(engine)) },
      pending: pending.length,
      attention: getAttention(engine, pending, now),
      mostFailures: top(sums.jobs.failures),
      longest: top(getMeans(sums.jobs)),
      mostTransferred: top(sums.jobs.bytes),
      newestAt: engine.newestAt,
      whole: isHere(store.days, ask.from, ask.to),
    };
  };
}

function begin(engine: ColumnStore, ask: OverviewQuery, key: string): OverviewInput {
  const spans = daysIn(ask.from, ask.to, engine.wall);
  const scope = getScope(engine, ask);
  const jobs = engine.all('job').filter(({ n, company }) => counts(scope, n, company));
  const jobCounts = {
    all: jobs.length,
    disabled: jobs.filter(({ enabled }) => !enabled).length,
    companies: new Set(jobs.map(({ company }) => company)).size,
  };
  return {
    key,
    engine,
    spans,
    jobs,
    jobCounts,
    scope,
    totals: new Totals(scope, ask.from, ask.to, spans, scope.group.length),
  };
}

/** An unknown job is in the group "other". */
function getScope(engine: ColumnStore, { companies, instructionTypes }: OverviewQuery): TallyScope {
  const all = engine.all('job');
  const max = all.reduce((max, { n }) => Math.max(max, n), engine.maxJob);
  const getTypeIndex = (one: EntityGroup): number =>
    instructionTypes.length === 0 || instructionTypes.includes(one)
      ? ENTITY_GROUPS.indexOf(one)
      : OUTSIDE;
  const unknown = getTypeIndex('other');
  const group = new Uint8Array(max + 1).fill(unknown);
  for (const job of all) group[job.n] = getTypeIndex(job.group);
  if (companies.length === 0) return { group, unknown, company: null };
  const company = new Uint8Array(0x1_0000);
  for (const one of companies) company[one] = 1;
  return { group, unknown, company };
}

const counts = ({ group, unknown, company }: TallyScope, job: number, of: number): boolean =>
  (group[job] ?? unknown) !== OUTSIDE && (company === null || company[of] === 1);

function neverRan(jobs: readonly JobRow[], ran: Uint32Array): number {
  let count = 0;
  for (const { n, enabled } of jobs)
    if (enabled && (((ran[n >>> 5] ?? 0) >>> (n & 31)) & 1) === 0) count += 1;
  return count;
}

/**
 * Returns the jobs with the greatest values above 0. Of equal values, the older job comes first.
 */
function ranked(
  engine: ColumnStore,
  scope: TallyScope,
  values: Float64Array,
  max: number,
): readonly Ranked[] {
  const best: { readonly job: JobRow; readonly value: number }[] = [];
  let min = 0;
  for (let n = 0; n < values.length; n++) {
    const value = values[n] ?? 0;
    if (value <= min) continue;
    const job = engine.row('job', n);
    if (!job || !counts(scope, n, job.company)) continue;
    best.push({ job, value });
    best.sort((a, b) => b.value - a.value || a.job.n - b.job.n);
    best.length = Math.min(best.length, max);
    if (best.length === max) min = best.at(-1)?.value ?? 0;
  }
  return best.map(({ job, value }) => ({
    job: job.n,
    jobName: job.name,
    company: job.company,
    companyName: engine.row('company', job.company)?.name ?? '',
    value,
  }));
}

function getMeans({ seconds, finished }: JobSums): Float64Array {
  const means = new Float64Array(seconds.length);
  for (let n = 0; n < means.length; n++)
    if (finished[n] !== 0) means[n] = Math.round((seconds[n] ?? 0) / (finished[n] ?? 1));
  return means;
}
