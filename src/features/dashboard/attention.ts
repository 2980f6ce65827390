import type { Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { firstLine } from '#contract/runs/first-line.ts';
import type { Attention } from '#contract/dashboard/overview.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { formatDate, formatSpan, formatTime } from '#src/ui/format.ts';
import { STATES } from '#src/ui/states.ts';
import { needsRoom } from '../shared/capacity.ts';
import type { Filling } from '../shared/capacity.ts';
import { dashboardMessages as t } from './messages.en.ts';

/** A line of the attention list. */
export type AttentionLine =
  | { readonly kind: 'problem'; readonly key: string; readonly of: Attention }
  | {
      readonly kind: 'source';
      readonly key: string;
      readonly failed: LastSync['failed'];
      readonly since: Ms;
    }
  | { readonly kind: 'repository'; readonly key: string; readonly of: readonly Filling[] }
  | {
      readonly kind: 'computers';
      readonly key: string;
      readonly of: readonly ComputerOut[];
      readonly since: Ms;
    };

export interface Also {
  readonly failed: LastSync['failed'];
  readonly filling: readonly Filling[];
  readonly computers: readonly ComputerOut[];
}

const MAX_SHOWN = 8;

/**
 * Returns the lines, worst first. Issues outside the results always have one line each: failing
 * sources come right after failures, because they hide some; nearly full repositories count as
 * warnings; computers without a job come last.
 */
export function attentionLines(
  problems: readonly Attention[],
  { failed, filling, computers }: Also,
): readonly AttentionLine[] {
  const beside: AttentionLine[] = [];
  const pressing = filling.filter(needsRoom);
  if (failed.length > 0)
    beside.push({
      kind: 'source',
      key: 'source',
      failed,
      since: Math.min(...failed.map(({ at }) => at)),
    });
  if (pressing.length > 0) beside.push({ kind: 'repository', key: 'repository', of: pressing });
  if (computers.length > 0)
    beside.push({
      kind: 'computers',
      key: 'computers',
      of: computers,
      since: Math.min(...computers.map(({ firstSeenAt }) => firstSeenAt)),
    });
  const lines = problems.slice(0, MAX_SHOWN - beside.length).map((of): AttentionLine => ({
    kind: 'problem',
    key: `problem-${of.cause ?? ''}-${of.run}`,
    of,
  }));
  return [...lines, ...beside].toSorted((a, b) => rank(a) - rank(b));
}

function rank(line: AttentionLine): number {
  switch (line.kind) {
    case 'problem':
      return RUN_STATES.indexOf(line.of.state);
    case 'source':
      return RUN_STATES.indexOf('Error') + 0.5;
    case 'repository':
      return RUN_STATES.indexOf('Warning') + 0.5;
    case 'computers':
      return RUN_STATES.length;
  }
}

/** Returns the headline: the template of a shared cause, otherwise the run's message. */
export const headline = ({ cause, template, message, state }: Attention): string =>
  (cause === null ? (said(message) ?? template) : (template ?? said(message))) ??
  (state === 'Missed' ? t.didNotReport : STATES[state].label);
/** Removes leading times and levels, because the line has its own icon. */
const said = (message: string | null): string | null => message && (firstLine(message) || message);

/**
 * Returns the affected jobs and companies: `40 jobs, 12 companies`, or the name of a single job.
 */
export function whom({
  cause,
  jobs,
  companies,
  companyName,
  jobName,
  computer,
}: Attention): string {
  if (cause !== null)
    return t.jobsOf({
      count: jobs,
      companies: companies === 1 ? companyName : t.companyCount({ count: companies }),
    });
  return `${companyName}, ${computer === '' || jobName.includes(computer) ? jobName : t.jobOnComputer({ job: jobName, computer })}`;
}

/** `since 02:00 AM` on the same day, otherwise the duration: `6 d`. */
export function sinceText(since: Ms, now: Ms, zone: string): string {
  return formatDate(since, zone) === formatDate(now, zone)
    ? t.since({ time: formatTime(since, zone) })
    : (formatSpan(since, now) ?? t.now);
}

/**
 * Returns the text beside the heading. It names the period, because the sidebar's count covers
 * another one.
 */
export const openWords = (pending: number): string => t.openProblems({ count: pending });
