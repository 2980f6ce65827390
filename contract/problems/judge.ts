import type { Bytes, Seconds } from '../ids.ts';
import { getTemplate } from './cause.ts';
import type { Anomaly, ProblemRow, StatRow } from '../runs/rows.ts';
import { SEVERITY } from '../runs/vocabulary.ts';
import type { Measure, ProblemKind, ProblemState, Status } from '../runs/vocabulary.ts';

/** The part of a result that is needed to judge it. */
export interface ResultFacts {
  readonly status: Status;
  readonly durationSec: Seconds | null;
  readonly bytes: Bytes | null;
  readonly files: number | null;
  readonly message: string | null;
  /** Names of computer and server, because a bare name looks like any other word. */
  readonly names?: readonly string[];
}

/** RUN-4: minimum number of finished runs from which a typical range is derived. */
export const MIN_RUNS = 7;
/**
 * Minimum spread, whatever the median: seconds, bytes, files. Nine seconds instead of two are not
 * an anomaly.
 */
export const MIN_SPREAD: Readonly<Record<Measure, number>> = {
  duration: 5,
  bytes: 65_536,
  files: 1,
};

/**
 * Returns the typical range: median ± 4·MAD, where the MAD is at least 5 % of the median and at
 * least `min` (RUN-4). Returns null for fewer than seven values. Bounds are integers, never below
 * 0.
 */
export function getUsualRange(
  values: readonly number[],
  min = 0,
): readonly [low: number, high: number] | null {
  return values.length < MIN_RUNS ? null : rangeAround(getMedian(values), values, min);
}

/** How many spreads around the median are usual, and the least spread as a share of it. */
const SPREADS = 4;
const MIN_SHARE = 0.05;

function rangeAround(
  middle: number,
  values: readonly number[],
  min: number,
): readonly [low: number, high: number] {
  const deviation = getMedian(values.map((value) => Math.abs(value - middle)));
  const spread = SPREADS * Math.max(deviation, middle * MIN_SHARE, min);
  return [Math.max(0, Math.floor(middle - spread)), Math.ceil(middle + spread)];
}

/**
 * Returns what is unusual about a run that ended well or with a warning (RUN-4). Running, failed
 * and missed runs have no anomalies; their state is enough.
 */
export function getAnomalies(
  facts: ResultFacts,
  stat: Pick<StatRow, 'durations' | 'bytes' | 'files' | 'calibrated'>,
): Anomaly[] {
  if (facts.status !== 'Success' && facts.status !== 'Warning') return [];
  const found: Anomaly[] = [];
  const judge = (measure: Measure, value: number | null, history: readonly number[]): void => {
    const band = value === null ? null : getBand(measure, value, history);
    if (band === null || value === null) return;
    const [low, high] = widen(band, stat.calibrated[measure]);
    if (value < low || value > high) found.push({ measure, value, low, high });
  };
  judge('duration', facts.durationSec, stat.durations);
  judge('bytes', facts.bytes, stat.bytes);
  judge('files', facts.files, stat.files);
  return found;
}

export interface JudgedProblem {
  readonly state: ProblemState;
  readonly template: string;
  readonly kind: ProblemKind;
}

/** Returns the problem of a result, as a state and a cause, or null if there is none (RUN-5). */
export function getProblem(
  facts: ResultFacts,
  anomalies: readonly Anomaly[],
): JudgedProblem | null {
  switch (facts.status) {
    case 'Running':
      return null;
    case 'Missed':
      return { state: 'Missed', template: 'Did not run', kind: 'silent' };
    case 'Failed':
    case 'Error':
    case 'Warning':
      return facts.message === null || facts.message.trim() === ''
        ? { state: facts.status, template: SPEECHLESS[facts.status], kind: 'other' }
        : { state: facts.status, ...getTemplate(facts.message, facts.names) };
    case 'Success':
      return anomalies.length === 0
        ? null
        : { state: 'Anomaly', template: anomalies.map(strangeness).join(', '), kind: 'unusual' };
  }
}

/** What happens next for a job: a run starts, or a result arrives with or without a problem. */
export type Next = 'started' | Pick<JudgedProblem, 'state' | 'template'> | null;

/**
 * Returns the next step of a job's problem (RUN-6). `same`: the open problem continues and includes
 * the result. `close`: it ends, by success if `next` is null, otherwise by change. `open`: a new
 * one begins, and ends an open one by change. `none`: no problem before or after.
 */
export function step(
  current: Pick<ProblemRow, 'state'> | null,
  currentTemplate: string | null,
  next: Next,
): 'none' | 'same' | 'close' | 'open' {
  if (next === 'started')
    return current === null ? 'none' : current.state === 'Missed' ? 'close' : 'same';
  if (next === null) return current === null ? 'none' : 'close';
  if (current === null) return 'open';
  return next.template === currentTemplate && SEVERITY[next.state] <= SEVERITY[current.state]
    ? 'same'
    : 'open';
}

/**
 * Returns a text such as "Transferred 96.4 GB, usual 8.1 to 11.6 GB", or null if nothing is
 * unusual.
 */
export const anomalyText = (anomalies: readonly Anomaly[]): string | null =>
  anomalies.length === 0 ? null : anomalies.map(sentence).join('; ');

const SPEECHLESS = {
  Failed: 'Failed without a message',
  Error: 'Error without a message',
  Warning: 'Warning without a message',
} as const;

/**
 * Returns the range outside of which a value is unusual, or null if it can't be unusual. Bytes and
 * files have additional rules below.
 */
function getBand(
  measure: Measure,
  value: number,
  history: readonly number[],
): readonly [number, number] | null {
  if (history.length < MIN_RUNS) return null;
  const middle = getMedian(history);
  // A file count is only unusual if it is halved, then always; growth shows in bytes.
  if (measure === 'files') {
    if (value * 2 >= middle) return null;
    const [low, high] = rangeAround(middle, history, MIN_SPREAD[measure]);
    return [Math.max(low, Math.ceil(middle / 2)), high];
  }
  const isNothing = measure === 'bytes' && value === 0 && middle > 0;
  // Most values are so near that the MAD, which only widens the range, isn't needed.
  const min = Math.max(middle * MIN_SHARE, MIN_SPREAD[measure]);
  if (!isNothing && Math.abs(value - middle) <= SPREADS * min) return null;
  const [low, high] = rangeAround(middle, history, MIN_SPREAD[measure]);
  // Zero bytes instead of some are unusual even if the range includes 0.
  return isNothing && low === 0
    ? [history.reduce((smallest, one) => (one > 0 && one < smallest ? one : smallest), high), high]
    : [low, high];
}

const widen = (
  [low, high]: readonly [number, number],
  calibrated: readonly [number, number] | undefined,
): readonly [number, number] =>
  calibrated === undefined
    ? [low, high]
    : [Math.min(low, calibrated[0]), Math.max(high, calibrated[1])];

/** Sorts by insertion, because a history has at most 30 values: a quarter of the time of `sort`. */
function getMedian(values: readonly number[]): number {
  const sorted: number[] = [];
  for (const value of values) {
    let at = sorted.length;
    for (; at > 0 && (sorted[at - 1] as number) > value; at -= 1)
      sorted[at] = sorted[at - 1] as number;
    sorted[at] = value;
  }
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

function strangeness({ measure, value, low }: Anomaly): string {
  const less = value < low;
  switch (measure) {
    case 'duration':
      return less ? 'Took less time than usual' : 'Took longer than usual';
    case 'bytes':
      return value === 0
        ? 'Transferred nothing'
        : less
          ? 'Transferred less than usual'
          : 'Transferred more than usual';
    case 'files':
      return 'Fewer files than usual';
  }
}

function sentence({ measure, value, low, high }: Anomaly): string {
  switch (measure) {
    case 'duration':
      return `Took ${lengthText(value)}, usual ${range(low, high, lengthText)}`;
    case 'bytes':
      return `Transferred ${bytesText(value)}, usual ${range(low, high, bytesText)}`;
    case 'files':
      return `${countText(value)} files, usual ${range(low, high, countText)}`;
  }
}

/** Formats a range such as "8.1 to 11.6 GB". The unit appears once if both values share it. */
function range(low: number, high: number, text: (value: number) => string): string {
  const [from, to] = [text(low), text(high)];
  const [number, unit, ...rest] = from.split(' ');
  return rest.length === 0 &&
    unit !== undefined &&
    to.endsWith(` ${unit}`) &&
    to.split(' ').length === 2
    ? `${number} to ${to}`
    : `${from} to ${to}`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

function bytesText(bytes: Bytes): string {
  let unit = 0;
  let value = bytes;
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? 'bytes'}`;
}

function lengthText(seconds: Seconds): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0
    ? `${minutes / 60} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const countText = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
