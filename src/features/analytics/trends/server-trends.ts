import type { OutputOf } from '#contract/calls.ts';
import type { TrendDay, TrendPart, Trends, TrendTally } from '#contract/analytics/trends.ts';

/** Converts the server's answer to the same shape as a device's. */
export function toTrends(parts: OutputOf<'analytics'>, chart: OutputOf<'chartFailures'>): Trends {
  return {
    now: tally(parts.all.now),
    before: tally(parts.all.before),
    whole: { now: true, before: true },
    days: chart.days.map(getDay),
    daysBefore: chart.before.map(getDay),
    parts: {
      company: parts.companies.map(getPart),
      type: parts.types.map(getPart),
      source: parts.sources.map(getPart),
    },
    series: chart.series.map(({ key, failures, warnings }) => ({ key, failures, warnings })),
    version: 0,
  };
}

type Tallied = OutputOf<'analytics'>['all']['now'];
const tally = ({
  runs,
  success,
  warning,
  failed,
  missed,
  anomaly,
  running,
}: Tallied): TrendTally => ({ runs, success, warning, failed, missed, anomaly, running });
const getPart = ({
  key,
  name,
  now,
  before,
}: OutputOf<'analytics'>['types'][number]): TrendPart => ({
  key,
  name,
  now: tally(now),
  before: tally(before),
});
const getDay = ({
  date,
  from,
  runs,
  failures,
  warnings,
  missed,
}: OutputOf<'chartFailures'>['days'][number]): TrendDay => ({
  day: date,
  from: Date.parse(from),
  runs,
  failures,
  warnings,
  missed,
});
