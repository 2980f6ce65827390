import type { UserId } from '../ids.ts';
import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
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
 * The current state of an alarm. `late`: the oldest 20 of `lateCount`. `share`: 0 to 1.
 * `isMet`: whether its targets are met; `kept` is the former name, until the next version.
 * `lastFiredAt`: when it last notified its recipients. `id` and `_id` are the same.
 * `jobInstanceUid`: that of `job`; null for a group.
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
  isMet: v.boolean(),
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
 * A job or a company. `warning` includes anomalies; `failed` includes errors. `lastSuccessAt`: for
 * a company, the oldest of its jobs. `met`: null if there is no target.
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

const numberText = (max: number) =>
  v.optional(v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/), v.transform(Number), v.maxValue(max)));
const idOut = v.object({ _id: v.string(), id: v.string() });

export const slaCalls = {
  saveSlaAlarm: call({
    method: 'POST',
    path: 'monitoring/reporting/save-sla-alarm',
    summary: 'Creates an alarm for one job or for a group.',
    input: v.strictObject({ alarm: SlaSchema }),
    output: idOut,
    gate: 'monitoring.job-actions',
    feature: 'reporting',
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  changeSlaAlarm: call({
    method: 'PUT',
    path: 'monitoring/reporting/save-sla-alarm/{id}',
    summary: 'Changes an alarm and evaluates it again, regardless of earlier notifications.',
    input: v.strictObject({ id: anyId, alarm: SlaSchema }),
    output: v.object({}),
    gate: 'monitoring.job-actions',
    feature: 'reporting',
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  getSlaAlarm: call({
    method: 'GET',
    path: 'monitoring/reporting/get-sla-alarm/{jobInstanceUid}',
    summary: 'Lists the alarms of one job: its own, and those of groups that include it.',
    input: v.strictObject({ jobInstanceUid: v.pipe(v.string(), v.maxLength(300)) }),
    output: v.object({ alarms: v.array(slaOut) }),
    gate: 'monitoring.reporting',
    feature: 'reporting',
    failures: ['not-found'],
  }),
  listSlaAlarms: call({
    method: 'GET',
    path: 'monitoring/reporting/get-all-sla-alarm',
    summary:
      'Lists all alarms with their current state, broken ones first, and the users who can be recipients.',
    input: v.strictObject({}),
    output: v.object({
      alarms: v.array(slaOut),
      people: v.array(v.object({ id: storedIdSchema<UserId>(), name: v.string() })),
    }),
    gate: 'monitoring.reporting',
    feature: 'reporting',
    failures: [],
  }),
  removeSlaAlarm: call({
    method: 'DELETE',
    path: 'monitoring/reporting/remove-sla-alarm/{id}',
    summary: 'Deletes an alarm.',
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
      'Returns, per job or company, the share of results that ended well or with a warning, worst first. Without a period, the last 30 days. `minSuccessPct` and `maxAgeHours`: their targets.',
    input: v.strictObject({
      ...OF_JOBS,
      by: v.optional(v.picklist(['job', 'company'])),
      minSuccessPct: numberText(100),
      maxAgeHours: numberText(2_160),
      ...RESULTS_PAGED,
    }),
    output: slaReport,
    gate: 'monitoring.reporting',
    feature: 'reporting',
    failures: ['bad-input'],
  }),
} as const;
