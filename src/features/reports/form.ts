import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { SettingOut, SettingsOut } from '#contract/reports/calls.ts';
import { findFieldsError, ReportFields } from '#contract/reports/setting.ts';
import type {
  ReportFormat,
  ReportLanguage,
  ReportPeriod,
  ReportSchedule,
} from '#contract/reports/setting.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { MAX_CUSTOMERS } from '#contract/reports/template.ts';
import type { Customers, TemplateKey } from '#contract/reports/template.ts';
import { findFormErrors } from '#src/ui/form-errors.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import * as v from 'valibot';
import { reportMessages as t } from './messages.en.ts';

/** A report as typed. Recipients are separated by commas, semicolons, spaces or line breaks. */
export interface ReportForm {
  readonly name: string;
  readonly template: TemplateKey;
  readonly companies: readonly CompanyN[];
  readonly period: ReportPeriod;
  readonly every: ReportSchedule['every'];
  readonly weekday: number;
  readonly day: number;
  readonly at: string;
  readonly timeZone: string;
  readonly recipients: string;
  readonly format: ReportFormat;
  readonly language: ReportLanguage;
  readonly enabled: boolean;
}

/** The page's own messages for field errors. */
export const REPORT_ERRORS = {
  'setting.name': t.nameMissing,
  'setting.schedule': t.timeNotValid,
  'setting.recipients.*': t.addressNotValid,
  'setting.recipients': t.addressCount,
} as const;

export const newReportForm = (
  { timeZone, language, recipient }: SettingsOut['usual'],
  template: TemplateKey,
): ReportForm => ({
  name: '',
  template,
  companies: [],
  period: 'last-7',
  every: 'week',
  weekday: 1,
  day: 1,
  at: '08:00',
  timeZone,
  recipients: recipient ?? '',
  format: 'pdf',
  language,
  enabled: true,
});

export function getReportForm({
  schedule,
  recipients,
  ...rest
}: Pick<SettingOut, keyof ReportFields>): ReportForm {
  const { name, template, companies, period, format, language, enabled } = rest;
  return {
    name,
    template,
    companies,
    period,
    format,
    language,
    enabled,
    every: schedule.every,
    at: schedule.at,
    timeZone: schedule.timeZone,
    weekday: schedule.every === 'week' ? schedule.weekday : 1,
    day: schedule.every === 'month' ? schedule.day : 1,
    recipients: recipients.join('\n'),
  };
}

const getInput = ({
  every,
  weekday,
  day,
  at,
  timeZone,
  recipients,
  name,
  template,
  companies,
  period,
  format,
  language,
  enabled,
}: ReportForm): unknown => ({
  name,
  template,
  companies: [...companies],
  period,
  format,
  language,
  enabled,
  recipients: recipients.split(/[\s,;]+/).filter((one) => one !== ''),
  schedule:
    every === 'day'
      ? { every, at, timeZone }
      : every === 'week'
        ? { every, weekday, at, timeZone }
        : { every, day, at, timeZone },
});

/** Converts the form to the call's input; null with the errors by field if it is invalid. */
export function getSetting(
  form: ReportForm,
  customers: Customers,
): { readonly setting: ReportFields | null; readonly errors: FormErrors } {
  const input = getInput(form);
  const errors = {
    ...findFormErrors(v.object({ setting: ReportFields }), { setting: input }, REPORT_ERRORS),
  };
  const error = findFieldsError(customers, form.companies);
  if (error !== null)
    errors['setting.companies'] = {
      one: MESSAGES.reportOneCompany,
      some: MESSAGES.reportSomeCompanies,
      many: MESSAGES.reportManyCompanies({ max: MAX_CUSTOMERS }),
      none: MESSAGES.reportNoCompanies,
    }[error];
  const parsed = v.safeParse(ReportFields, input);
  return {
    setting: parsed.success && Object.keys(errors).length === 0 ? parsed.output : null,
    errors,
  };
}

export const reportSchema = makeReadingSchema((form: ReportForm) => {
  const { setting: value, errors } = getSetting(form, TEMPLATES[form.template].customers);
  return { value, errors };
});
