import * as v from 'valibot';
import { call } from '../call.ts';
import { lastErrorFields } from '../last-error.ts';
import { anyId, PAGE, getPage } from '../paging.ts';
import type { Report } from './report.ts';
import { REPORT_FORMATS, REPORT_LANGUAGES, ReportFields } from './setting.ts';
import { MAX_CUSTOMERS, TEMPLATE_KEYS } from './template.ts';

const GATE = 'monitoring.report-settings';
const template = v.picklist(TEMPLATE_KEYS);
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

const templateOut = v.object({
  key: template,
  prettyName: v.string(),
  description: v.string(),
  templateName: v.string(),
  customers: v.picklist(['any', 'one', 'some', 'none']),
  maxCustomers: v.literal(MAX_CUSTOMERS),
});
export type TemplateOut = v.InferOutput<typeof templateOut>;

/**
 * The state of a due report. `kept`: no mail server is set, so it is in the outbox of this server's
 * operator. `waiting` and `making`: not finished yet.
 */
export const SENT_STATES = [
  'waiting',
  'making',
  'sending',
  'sent',
  'kept',
  'partly',
  'failed',
] as const;
export type SentState = (typeof SENT_STATES)[number];
const mailOut = v.object({
  to: v.string(),
  state: v.picklist(['sending', 'sent', 'kept', 'failed']),
  at: orNull(v.number()),
  ...lastErrorFields,
});
/**
 * `dueAt`: when it was due, for scheduled ones. `storedUntil`: until when its file is stored; null if
 * there is no file. `kept`: its former name, until the next version.
 */
const sentOut = v.object({
  _id: v.string(),
  setting: v.string(),
  name: v.string(),
  template,
  format: v.picklist(REPORT_FORMATS),
  how: v.picklist(['schedule', 'hand']),
  by: orNull(v.string()),
  state: v.picklist(SENT_STATES),
  madeAt: v.number(),
  dueAt: orNull(v.number()),
  doneAt: orNull(v.number()),
  from: orNull(v.number()),
  to: orNull(v.number()),
  rows: orNull(v.number()),
  bytes: orNull(v.number()),
  fileName: orNull(v.string()),
  storedUntil: orNull(v.number()),
  kept: orNull(v.number()),
  ...lastErrorFields,
  mails: v.array(mailOut),
});
export type SentOut = v.InferOutput<typeof sentOut>;

/**
 * `owner`: the user whose access determines the contents. `gone`: the owner no longer has access,
 * so the report isn't sent. `mine`: the caller is the owner. `nextAt`: null if switched off.
 */
const settingOut = v.object({
  _id: v.string(),
  ...ReportFields.entries,
  owner: v.string(),
  mine: v.boolean(),
  gone: v.boolean(),
  changedAt: v.number(),
  nextAt: orNull(v.number()),
  last: orNull(v.object({ state: v.picklist(SENT_STATES), at: v.number() })),
});
export type SettingOut = v.InferOutput<typeof settingOut>;
const settingsOut = v.object({
  settings: v.array(settingOut),
  /** Initial values of a new report. */
  usual: v.object({
    timeZone: v.string(),
    language: v.picklist(REPORT_LANGUAGES),
    recipient: orNull(v.string()),
  }),
  /** Whether the portal can send email. */
  mails: v.boolean(),
});
export type SettingsOut = v.InferOutput<typeof settingsOut>;

const column = v.object({
  id: v.string(),
  title: v.string(),
  kind: v.picklist([
    'text',
    'state',
    'count',
    'share',
    'bytes',
    'seconds',
    'moment',
    'day',
    'days',
  ]),
  wide: v.optional(v.number()),
  days: v.optional(v.array(v.string())),
});
/**
 * `states`: one letter per day: F failed, E error, M did not run, A anomaly, W warning, R running,
 * S success, o disabled, - nothing.
 */
const dayCells = v.object({ states: v.string(), bad: orNull(v.array(v.number())) });
const row = v.array(v.union([v.string(), v.number(), v.null(), dayCells]));
const reportEntries = {
  name: v.string(),
  template: v.string(),
  from: v.number(),
  to: v.number(),
  madeAt: v.number(),
  timeZone: v.string(),
  language: v.string(),
  facts: v.array(
    v.object({
      title: v.string(),
      kind: v.picklist(['text', 'state', 'count', 'share', 'bytes', 'seconds', 'moment', 'day']),
      value: v.union([v.string(), v.number(), v.null()]),
    }),
  ),
  sections: v.array(
    v.object({
      title: orNull(v.string()),
      columns: v.array(column),
      rows: v.array(row),
      total: orNull(row),
      none: v.string(),
    }),
  ),
  notices: v.array(v.string()),
};
/** The first rows of a report. `rows`: the number of rows of the complete report. */
const reportOut = v.object({ report: v.object(reportEntries), rows: v.number() });
export interface ReportOut {
  readonly report: Report;
  readonly rows: number;
}

export const reportCalls = {
  listReportSettings: call({
    method: 'GET',
    path: 'monitoring/reporting/reports/settings',
    summary:
      "Lists the caller's scheduled reports. Users with access to all companies see everybody's.",
    input: v.strictObject({}),
    output: settingsOut,
    gate: GATE,
    failures: ['forbidden'],
  }),
  createReportSetting: call({
    method: 'POST',
    path: 'monitoring/reporting/reports/settings',
    summary:
      'Creates a scheduled report. It contains what its owner may see at the time it is sent.',
    input: v.strictObject({ setting: ReportFields }),
    output: v.object({ _id: v.string() }),
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'conflict'],
  }),
  changeReportSetting: call({
    method: 'PUT',
    path: 'monitoring/reporting/reports/settings/{id}',
    summary:
      'Changes a scheduled report. The owner stays the same, unless the owner may no longer send reports.',
    input: v.strictObject({ id: anyId, setting: ReportFields }),
    output: v.object({}),
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'not-found'],
  }),
  removeReportSetting: call({
    method: 'DELETE',
    path: 'monitoring/reporting/reports/settings/{id}',
    summary: 'Deletes a scheduled report. Sent reports stay in the history.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: GATE,
    failures: ['forbidden', 'not-found'],
  }),
  listReportTemplates: call({
    method: 'GET',
    path: 'monitoring/reporting/reports/enabled',
    summary: 'Lists the report templates that the caller can use.',
    input: v.strictObject({}),
    output: v.array(templateOut),
    gate: GATE,
    failures: ['forbidden'],
  }),
  sendReport: call({
    method: 'POST',
    path: 'monitoring/reporting/reports/send',
    summary:
      'Sends a report now, in addition to its schedule. Responds immediately; the history shows the outcome.',
    input: v.strictObject({ reportSettingId: anyId }),
    output: v.object({ _id: v.string() }),
    gate: GATE,
    failures: ['forbidden', 'not-found', 'too-many'],
  }),
  previewReport: call({
    method: 'POST',
    path: 'monitoring/reporting/reports/preview',
    summary: 'Returns the first rows that a report would contain now. Nothing is stored or sent.',
    input: v.strictObject({
      setting: v.pick(ReportFields, ['name', 'template', 'companies', 'period', 'language']),
    }),
    output: reportOut,
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'too-many'],
  }),
  listSentReports: call({
    method: 'GET',
    path: 'monitoring/reporting/reports/sent',
    summary: 'Lists sent reports with time, recipients and outcome, newest first.',
    input: v.strictObject({ reportSettingId: v.optional(anyId), ...PAGE }),
    output: getPage(sentOut),
    gate: GATE,
    failures: ['forbidden'],
  }),
  openSentReport: call({
    method: 'GET',
    path: 'monitoring/reporting/reports/sent/{id}',
    summary: 'Returns the first rows of a sent report.',
    input: v.strictObject({ id: anyId }),
    output: v.object({ sent: sentOut, ...reportOut.entries }),
    gate: GATE,
    failures: ['forbidden', 'not-found'],
  }),
  getReportFile: call({
    method: 'GET',
    path: 'monitoring/reporting/reports/sent/{id}/file',
    summary: 'Returns the file of a sent report until its retention ends.',
    input: v.strictObject({ id: anyId }),
    output: 'bytes',
    gate: GATE,
    failures: ['forbidden', 'not-found'],
  }),
} as const;
