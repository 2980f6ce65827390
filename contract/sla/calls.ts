import * as v from 'valibot';
import { call } from '../call.ts';
import { anyId } from '../paging.ts';
import { OF_JOBS, RESULTS_PAGED } from '../runs/result-filters.ts';
import { SlaSchema } from './sla.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const late = v.object({
  jobInstanceUid: v.string(),
  jobName: v.string(),
  companyName: v.string(),
  lastSuccessAt: orNull(v.number()),
});

/**
 * As of now. `late`: the oldest 20 of `lateCount`. `share` of 0 to 1. `lastFiredAt`: when it was
 * last told. `id` and `_id` are the same. `jobInstanceUid`: that of `job`, null for a group.
 */
const slaOut = v.object({
  _id: v.string(),
  id: v.string(),
  jobInstanceUid: orNull(v.string()),
  ...SlaSchema.entries,
  madeBy: v.string(),
  changedAt: v.number(),
  jobName: orNull(v.string()),
  companyName: orNull(v.string()),
  kept: v.boolean(),
  jobs: v.number(),
  share: orNull(v.number()),
  lateCount: v.number(),
  late: v.array(late),
  brokenSince: orNull(v.number()),
  lastFiredAt: orNull(v.number()),
});
export type SlaOut = v.InferOutput<typeof slaOut>;

const figures = {
  runs: v.number(),
  success: v.number(),
  warning: v.number(),
  failed: v.number(),
  missed: v.number(),
  share: orNull(v.number()),
};
/**
 * A job or a company. `warning` holds what was unusual; `failed` holds errors. `lastSuccessAt`: of
 * a company, its oldest. `met`: null where nothing was asked for.
 */
const slaLine = v.object({
  company: v.number(),
  companyName: v.string(),
  jobInstanceUid: orNull(v.string()),
  jobName: orNull(v.string()),
  jobs: v.number(),
  ...figures,
  lastSuccessAt: orNull(v.number()),
  ageHours: orNull(v.number()),
  met: orNull(v.boolean()),
});
export type SlaLine = v.InferOutput<typeof slaLine>;
const slaReport = v.object({
  rows: v.array(slaLine),
  count: v.number(),
  page: v.number(),
  pageSize: v.number(),
  total: v.object({ ...figures, met: v.number(), missedTarget: v.number() }),
});
export type SlaReport = v.InferOutput<typeof slaReport>;

const asked = (most: number) =>
  v.optional(v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/), v.transform(Number), v.maxValue(most)));
const idOut = v.object({ _id: v.string(), id: v.string() });

export const slaCalls = {
  saveSlaAlarm: call({
    method: 'POST',
    path: 'monitoring/reporting/save-sla-alarm',
    summary: 'A new alarm, of one job or of a group.',
    input: v.strictObject({ alarm: SlaSchema }),
    output: idOut,
    gate: 'monitoring.job-actions',
    feature: 'reporting',
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  changeSlaAlarm: call({
    method: 'PUT',
    path: 'monitoring/reporting/save-sla-alarm/{id}',
    summary: 'Changes an alarm. What it was told of counts no more: it is judged anew.',
    input: v.strictObject({ id: anyId, alarm: SlaSchema }),
    output: v.object({}),
    gate: 'monitoring.job-actions',
    feature: 'reporting',
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  getSlaAlarm: call({
    method: 'GET',
    path: 'monitoring/reporting/get-sla-alarm/{jobInstanceUid}',
    summary: 'The alarms of one job: its own, and those of groups that look at it.',
    input: v.strictObject({ jobInstanceUid: v.pipe(v.string(), v.maxLength(300)) }),
    output: v.object({ alarms: v.array(slaOut) }),
    gate: 'monitoring.reporting',
    feature: 'reporting',
    failures: ['not-found'],
  }),
  listSlaAlarms: call({
    method: 'GET',
    path: 'monitoring/reporting/get-all-sla-alarm',
    summary: 'All alarms, the broken ones first, as of now; and who can be told.',
    input: v.strictObject({}),
    output: v.object({
      alarms: v.array(slaOut),
      people: v.array(v.object({ id: v.string(), name: v.string() })),
    }),
    gate: 'monitoring.reporting',
    feature: 'reporting',
    failures: [],
  }),
  removeSlaAlarm: call({
    method: 'DELETE',
    path: 'monitoring/reporting/remove-sla-alarm/{id}',
    summary: 'Takes an alarm away.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'monitoring.job-actions',
    feature: 'reporting',
    failures: ['not-found'],
  }),
  slaReport: call({
    method: 'GET',
    path: 'monitoring/reporting/sla-report',
    summary:
      'Of each job or company the share of its results that ended well or with a warning, worst first; without a time of the last 30 days. `minSuccessPct` and `maxAgeHours`: what is asked of them.',
    input: v.strictObject({
      ...OF_JOBS,
      by: v.optional(v.picklist(['job', 'company'])),
      minSuccessPct: asked(100),
      maxAgeHours: asked(2_160),
      ...RESULTS_PAGED,
    }),
    output: slaReport,
    gate: 'monitoring.reporting',
    feature: 'reporting',
    failures: ['bad-input'],
  }),
} as const;
