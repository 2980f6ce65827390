import type { CompanyN, Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { ShiftQuery, ShiftNow } from '#contract/daily-checks/hand-over.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { getReview } from '#contract/runs/review.ts';
import type { ColumnStore } from '#workers/types.ts';

/**
 * The maximum number of snoozes and companies in a hand-over (contract/daily-checks/hand-over.ts).
 */
const MAX_LISTED = 1_000;
const SOON: Ms = 86_400_000;

type HandOverInput = Pick<ColumnStore, 'all' | 'problem' | 'pending' | 'row' | 'runs' | 'select'>;

/**
 * HAND-1: summarizes a shift, counted over the problems as shown here, including unsent changes.
 * While days are still loading (HAND-5), problems outside the list are unknown.
 */
export function shiftNow(
  here: { readonly engine: HandOverInput; readonly daysLeft: number } | null,
  { since, list: request }: ShiftQuery,
  now: Ms,
): ShiftNow {
  if (here === null) return EMPTY;
  const { engine } = here;
  const list = here.daysLeft === 0 ? request : null;
  const pending = engine.pending(now);
  const asleep: ProblemRow[] = [];
  let cleared = 0;
  for (const { n } of engine.all('problem')) {
    const problem = engine.problem(n);
    if (!problem) continue;
    if (problem.review !== null && problem.review.at >= since) cleared += 1;
    if (getReview(problem, now) === 'snoozed') asleep.push(problem);
  }
  const fresh = listNewProblems(engine, pending, since);
  return {
    cleared,
    of: cleared + pending.length,
    snoozed: asleep.length,
    fresh,
    older: pending.length - fresh,
    unlisted: list && getUnlisted(engine, pending, list, now),
    open: listOpenProblems(pending)
      .slice(0, MAX_LISTED)
      .map(([company, problems]) => ({
        company,
        problems,
        name: engine.row('company', company)?.name ?? '',
      })),
    ending: asleep
      .map((one) => ({ one, until: one.snooze?.until ?? 0 }))
      .filter(({ until }) => until <= now + SOON)
      .sort((a, b) => a.until - b.until || a.one.n - b.one.n)
      .slice(0, MAX_LISTED)
      .map(({ one: { lastRun, job, company }, until }) => ({
        run: lastRun,
        until,
        jobName: engine.row('job', job)?.name ?? '',
        companyName: engine.row('company', company)?.name ?? '',
      })),
  };
}

/**
 * New problems: a problem opens at the start of its first run, which may have ended, and been
 * reported, in this shift.
 */
function listNewProblems(
  engine: Pick<ColumnStore, 'runs'>,
  pending: readonly ProblemRow[],
  since: Ms,
): number {
  const older = pending.filter(({ openedAt }) => openedAt < since);
  const begun = older.filter(({ runs }) => runs === 1).map(({ lastRun }) => lastRun);
  const ended = [...engine.runs(begun).values()].filter(
    ({ startSec, elapsedSec }) => elapsedSec !== null && (startSec + elapsedSec) * 1000 >= since,
  );
  return pending.length - older.length + ended.length;
}

/** HAND-5: problems to check that have no row in the list. */
function getUnlisted(
  engine: Pick<ColumnStore, 'runs' | 'select'>,
  pending: readonly ProblemRow[],
  list: RunsFilter,
  now: Ms,
): number {
  if (list.review !== null && list.review !== 'pending') return pending.length;
  const rows = engine.runs([
    ...engine
      .select(
        { ...EVERYTHING, ...list, review: 'pending', group: null, order: 'newest', reverse: false },
        now,
      )
      .ids(),
  ]);
  const listed = new Set([...rows.values()].map(({ problem }) => problem));
  return pending.reduce((count, { n }) => count + Number(!listed.has(n)), 0);
}

function listOpenProblems(
  pending: readonly ProblemRow[],
): readonly (readonly [company: CompanyN, problems: number])[] {
  const counts = new Map<CompanyN, number>();
  for (const { company } of pending) counts.set(company, (counts.get(company) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

const EMPTY: ShiftNow = {
  cleared: 0,
  of: 0,
  snoozed: 0,
  fresh: 0,
  older: 0,
  unlisted: null,
  open: [],
  ending: [],
};
