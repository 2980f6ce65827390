import { withoutBidi } from '#contract/bidi.ts';
import type { CauseN, CompanyN, JobN, Ms, ProblemN, UserId } from '#contract/ids.ts';
import type { ProblemView, RunView } from '#contract/runs/query.ts';
import type { CauseRow, JobRow, ProblemRow } from '#contract/runs/rows.ts';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { Days } from './days.ts';
import { dayCount } from './days.ts';
import type { Histories } from './history.ts';
import { lastGoodAt, STRIP_DAYS, buildStrip } from './history.ts';
import { isManagedKind, getSource, getState, getRunStatus, getType } from './kinds.ts';
import { toRequestedReview } from '#contract/runs/review.ts';
import type { RunKey } from './segment.ts';
import { leanAt } from './segment.ts';
import type { Segments } from './segments.ts';

/** The lookup tables for the names and texts of a row. */
export interface RowLookup {
  job(n: JobN): JobRow | undefined;
  company(n: CompanyN): CompanyRow | undefined;
  cause(n: CauseN): CauseRow | undefined;
  problem(n: ProblemN): ProblemRow | undefined;
  name(id: UserId): string;
  isWaiting(n: ProblemN): boolean;
  readonly histories: Histories;
}

/**
 * Returns rows in full with their current values; leaves out runs that are not here. With
 * `anomalies` false, an anomaly needs no review.
 */
export function viewRows(
  segments: Segments,
  keys: readonly RunKey[],
  lookup: RowLookup,
  days: Days,
  now: Ms,
  anomalies: boolean,
): RunView[] {
  const runs = keys
    .map((key) => segments.find(key))
    .filter((at) => at !== null)
    .map(({ segment, row }) => leanAt(segment, row));
  const histories = lookup.histories.of(
    segments,
    runs.map(({ job }) => job),
  );
  const starts = days.last(STRIP_DAYS, now);
  const ofJob = new Map<JobN, { strip: ReturnType<typeof buildStrip>; lastGoodAt: Ms | null }>();
  for (const { job } of runs) {
    const history = histories.get(job) ?? [];
    if (!ofJob.has(job))
      ofJob.set(job, { strip: buildStrip(history, starts), lastGoodAt: lastGoodAt(history) });
  }
  return runs.map((run) => {
    const job = lookup.job(run.job);
    const problem = run.problem === null ? undefined : lookup.problem(run.problem);
    const usual = lookup.histories.usualBefore(run);
    const { kind } = run;
    return {
      n: run.n,
      job: run.job,
      jobName: job?.name ?? '',
      company: run.company,
      companyName: lookup.company(run.company)?.name ?? '',
      computer: job?.computer ?? '',
      source: getSource(kind),
      type: getType(kind),
      managed: isManagedKind(kind),
      scheduleState: job ? getScheduleState(job) : null,
      status: getRunStatus(kind),
      state: getState(kind),
      startedAt: run.startSec * 1000,
      durationSec: run.elapsedSec,
      usualDuration: usual.duration,
      bytes: run.bytes,
      usualBytes: usual.bytes,
      message: run.message === null ? null : withoutBidi(run.message),
      template: (problem && lookup.cause(problem.cause)?.template) ?? null,
      strip: ofJob.get(run.job)?.strip ?? [],
      lastGoodAt: ofJob.get(run.job)?.lastGoodAt ?? null,
      review: toRequestedReview(problem, now, anomalies),
      problem: problem ? problemView(problem, lookup, days, now) : null,
      waiting: run.problem !== null && lookup.isWaiting(run.problem),
    };
  });
}

function problemView(problem: ProblemRow, lookup: RowLookup, days: Days, now: Ms): ProblemView {
  const named = <T extends { readonly by: UserId }>(
    one: T | null,
  ): (T & { readonly name: string }) | null => one && { ...one, name: lookup.name(one.by) };
  return {
    n: problem.n,
    cause: problem.cause,
    kind: lookup.cause(problem.cause)?.kind ?? 'other',
    day: dayCount(problem, days, now),
    openedAt: problem.openedAt,
    closedAt: problem.closedAt,
    review: named(problem.review),
    snooze: named(problem.snooze),
    note: named(problem.note),
    ticket: problem.ticket,
    ...(problem.linkedTicket && { linkedTicket: problem.linkedTicket }),
    ...(problem.helpedBy && { helpedBy: problem.helpedBy }),
    ...(problem.exception && { exception: problem.exception }),
    ...(problem.ruled && {
      hints: problem.ruled.flatMap(({ name, hint }) => (hint === null ? [] : [{ name, hint }])),
    }),
  };
}
