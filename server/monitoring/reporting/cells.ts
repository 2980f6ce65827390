import type { JobN, Ms, UserId } from '#contract/ids.ts';
import type { Cell, ExportColumn, ExportColumnId } from '#contract/monitoring/csv.ts';
import { utcText, wallText } from '#contract/monitoring/csv.ts';
import { dayOf } from '#contract/monitoring/day.ts';
import { LEAST_SPREAD, usualOf } from '#contract/monitoring/judge.ts';
import type { ProblemRow, StatRow } from '#contract/monitoring/rows.ts';
import { reviewOf } from './problems.ts';
import type { Wall } from './question.ts';
import type { Told } from './told.ts';

/** What cells are made from beside the result. `stats`: what is usual now; `lastGood`: the newest start that ended well. */
export interface Around {
  readonly names: ReadonlyMap<UserId, string>;
  readonly stats: ReadonlyMap<unknown, StatRow>;
  readonly lastGood: ReadonlyMap<JobN, Ms>;
  readonly anomalies: boolean;
  readonly wall: Wall;
  readonly now: Ms;
}

type Value = string | number | boolean | readonly [low: number, high: number] | null | undefined;
interface Column { readonly is: 'text' | 'code' | 'number' | 'moment' | 'range'; readonly unit?: string; readonly of: (told: Told, around: Around) => Value }

const COLUMNS: { readonly [Id in ExportColumnId]: Column } = {
  state: { is: 'code', of: ({ run }) => (run.status === 'Success' && run.anomaly.length > 0 ? 'Anomaly' : run.status) },
  streak: { is: 'number', of: ({ problem }, around) => problem && streakOf(problem, around) },
  company: { is: 'text', of: ({ known }) => known.companyName },
  job: { is: 'text', of: ({ known }) => known.job.name },
  computer: { is: 'text', of: ({ known }) => known.job.computer },
  server: { is: 'text', of: ({ known }) => known.job.server },
  source: { is: 'code', of: ({ known }) => known.job.source },
  type: { is: 'code', of: ({ known }) => known.job.type },
  managed: { is: 'code', of: ({ known }) => known.job.managed },
  kind: { is: 'code', of: ({ problem, cause }) => problem && (cause?.kind ?? 'other') },
  cause: { is: 'text', of: ({ cause }) => cause?.template },
  message: { is: 'text', of: ({ run }) => run.message },
  started: { is: 'moment', of: ({ run }) => run.startedAt },
  duration: { is: 'number', unit: 'seconds', of: ({ run }) => run.durationSec },
  usualDuration: { is: 'range', unit: 'seconds', of: ({ run }, { stats }) => usualOf(stats.get(run.job)?.durations ?? [], LEAST_SPREAD.duration) },
  bytes: { is: 'number', unit: 'bytes', of: ({ run }) => run.bytes },
  usualBytes: { is: 'range', unit: 'bytes', of: ({ run }, { stats }) => usualOf(stats.get(run.job)?.bytes ?? [], LEAST_SPREAD.bytes) },
  lastGood: { is: 'moment', of: ({ run }, { lastGood }) => lastGood.get(run.job) },
  review: { is: 'code', of: ({ problem }, { now, anomalies }) => (!problem || (!anomalies && problem.state === 'Anomaly') ? 'none' : reviewOf(problem, now)) },
  reviewedBy: { is: 'text', of: ({ problem }, { names }) => problem?.review && (names.get(problem.review.by) ?? '') },
  reviewedAt: { is: 'moment', of: ({ problem }) => problem?.review?.at },
  comment: { is: 'text', of: ({ problem }) => problem?.review?.comment },
  snoozedUntil: { is: 'moment', of: ({ problem }, { now }) => (problem && reviewOf(problem, now) === 'snoozed' ? problem.snooze?.until : null) },
  note: { is: 'text', of: ({ problem }) => problem?.note?.content },
  ticket: { is: 'text', of: ({ problem }) => problem?.ticket },
  run: { is: 'number', of: ({ run }) => run.n },
};

/** As in the files that a device makes: units in the titles, moments and ranges in two columns. */
export const titlesOf = (columns: readonly ExportColumn[]): readonly string[] => columns.flatMap(({ id, title }) => {
  const { is, unit = '' } = COLUMNS[id];
  if (is === 'moment') return [title, `${title} (UTC)`];
  if (is === 'range') return [`${title} from (${unit})`, `${title} to (${unit})`];
  return [unit === '' ? title : `${title} (${unit})`];
});

export const cellsOf = (told: Told, columns: readonly ExportColumn[], around: Around): readonly Cell[] => columns.flatMap(({ id, words }): readonly Cell[] => {
  const { is, of } = COLUMNS[id], value = of(told, around) ?? null;
  switch (is) {
    case 'range': return Array.isArray(value) ? [Number(value[0]), Number(value[1])] : [null, null];
    case 'moment': return typeof value === 'number' ? [wallText(value, around.wall.timeZone), utcText(value)] : [null, null];
    case 'code': return [words?.[String(value)] ?? (value === null ? null : String(value))];
    default: return [typeof value === 'string' || typeof value === 'number' ? value : null];
  }
});

const streakOf = ({ openedAt, closedAt }: ProblemRow, { wall: { timeZone, dayBeginsHour }, now }: Around): number =>
  Math.max(1, dayOf(closedAt ?? now, timeZone, dayBeginsHour) - dayOf(openedAt, timeZone, dayBeginsHour) + 1);
