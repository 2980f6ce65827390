import type { Ms } from '#contract/ids.ts';
import { dayText } from '#contract/monitoring/day.ts';
import type { Overview, OverviewAsk, Ranked } from '#contract/monitoring/overview.ts';
import type { JobRow } from '#contract/monitoring/rows.ts';
import type { EntityGroup } from '#contract/monitoring/words.ts';
import { ENTITY_GROUPS } from '#contract/monitoring/words.ts';
import { stateOf } from '#workers/columns/kinds.ts';
import type { Engine } from '#workers/seams.ts';
import { attentionOf } from './attention.ts';
import { daysIn } from './days.ts';
import type { Span } from './days.ts';
import { keptFrom } from './kept.ts';
import type { KeptDays } from './kept.ts';
import { addSums, OUTSIDE, tallyOf } from './tally.ts';
import type { Scope } from './tally.ts';
import { Totals } from './totals.ts';

/** What an overview is made from. */
export interface OverviewStore { readonly engine: Engine; readonly days: KeptDays }

/** A question as it stands: made anew when another is asked, or when a job or company has changed. */
interface Asked { readonly key: string; readonly engine: Engine; readonly spans: readonly Span[]; readonly jobs: readonly JobRow[]; readonly scope: Scope; readonly totals: Totals }

const MOST_RANKED = 5;

/** The dashboard (OVER-1 to OVER-6) from the columns; what has not changed is not walked again. */
export function makeOverview(): (store: OverviewStore | null, ask: OverviewAsk, now: Ms) => Omit<Overview, 'version'> | null {
  let asked: Asked | null = null;
  return (store, ask, now) => {
    if (!store) { asked = null; return null; }
    const { engine } = store, key = JSON.stringify([ask, engine.named, engine.wall, engine.mostJob]);
    if (asked?.key !== key || asked.engine !== engine) asked = begin(engine, ask, key);
    const { spans, jobs, scope, totals } = asked, sums = totals.refresh(engine);
    const all = addSums(sums.days), kept = keptFrom(store.days), begins = ask.from - (ask.to - ask.from);
    const pending = engine.pending(now).filter((one) => counts(scope, one.job, one.company));
    const rank = (value: (job: number) => number): readonly Ranked[] => ranked(engine, jobs, value);
    const groups = ask.instructionTypes.length === 0 ? ENTITY_GROUPS : ENTITY_GROUPS.filter((group) => ask.instructionTypes.includes(group));
    return {
      now: tallyOf(all), before: { ...tallyOf(sums.before), whole: kept !== null && begins >= kept },
      groups: groups.map((group) => ({ group, now: tallyOf(all, group), before: tallyOf(sums.before, group) })),
      days: spans.map(({ n, from }, i) => ({ day: dayText(n), from, ...tallyOf(sums.days[i] ?? all) })),
      jobs: jobCounts(engine, jobs), pending: pending.length, attention: attentionOf(engine, pending, now),
      mostFailures: rank((job) => sums.jobs.failures[job] ?? 0),
      longest: rank((job) => (sums.jobs.finished[job] ? Math.round((sums.jobs.seconds[job] ?? 0) / (sums.jobs.finished[job] ?? 1)) : 0)),
      mostTransferred: rank((job) => sums.jobs.bytes[job] ?? 0),
      newestAt: engine.newestAt,
    };
  };
}

function begin(engine: Engine, ask: OverviewAsk, key: string): Asked {
  const spans = daysIn(ask.from, ask.to, engine.wall), scope = scopeOf(engine, ask);
  const jobs = engine.all('job').filter(({ n, company }) => counts(scope, n, company));
  return { key, engine, spans, jobs, scope, totals: new Totals(scope, ask.from, ask.to, spans, scope.group.length) };
}

/** A job that is not here is of the group "other". */
function scopeOf(engine: Engine, { companies, instructionTypes }: OverviewAsk): Scope {
  const all = engine.all('job'), most = all.reduce((most, { n }) => Math.max(most, n), engine.mostJob);
  const placeOf = (one: EntityGroup): number => (instructionTypes.length === 0 || instructionTypes.includes(one) ? ENTITY_GROUPS.indexOf(one) : OUTSIDE);
  const group = new Uint8Array(most + 1).fill(placeOf('other'));
  for (const job of all) group[job.n] = placeOf(job.group);
  if (companies.length === 0) return { group, company: null };
  const company = new Uint8Array(0x1_0000);
  for (const one of companies) company[one] = 1;
  return { group, company };
}

const counts = ({ group, company }: Scope, job: number, of: number): boolean =>
  (group[job] ?? OUTSIDE) !== OUTSIDE && (company === null || company[of] === 1);

function jobCounts(engine: Engine, jobs: readonly JobRow[]): Overview['jobs'] {
  const ran = new Uint8Array(engine.mostJob + 1);
  engine.walk(0, Infinity, ({ cols }, from, to) => { noteRan(cols.job, cols.kind, from, to, ran); });
  return {
    all: jobs.length, disabled: jobs.filter(({ enabled }) => !enabled).length, neverRan: jobs.filter(({ n, enabled }) => enabled && ran[n] !== 1).length,
    companies: new Set(jobs.map(({ company }) => company)).size,
  };
}

function noteRan(job: Uint32Array, kind: Uint16Array, from: number, to: number, ran: Uint8Array): void {
  for (let row = from; row < to; row++) {
    const one = job[row] ?? 0;
    ran[one] = (ran[one] ?? 0) | (RAN[kind[row] ?? 0] ?? 0);
  }
}
/** By kind: 0 where a run was missed, and so was none. */
const RAN = Uint8Array.from({ length: 0x1_0000 }, (_, kind) => (stateOf(kind) === 'Missed' ? 0 : 1));

/** Those of the greatest value, which is above 0; of the same the older job first. */
function ranked(engine: Engine, jobs: readonly JobRow[], value: (job: number) => number): readonly Ranked[] {
  const best: { job: JobRow; value: number }[] = [];
  for (const job of jobs) {
    const one = value(job.n), least = best.at(-1);
    if (one <= 0 || (best.length === MOST_RANKED && least !== undefined && (one < least.value || (one === least.value && job.n > least.job.n)))) continue;
    best.push({ job, value: one });
    best.sort((a, b) => b.value - a.value || a.job.n - b.job.n);
    best.length = Math.min(best.length, MOST_RANKED);
  }
  return best.map(({ job, value }) => ({ job: job.n, jobName: job.name, company: job.company, companyName: engine.row('company', job.company)?.name ?? '', value }));
}
