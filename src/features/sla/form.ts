import type { UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { SlaSchema } from '#contract/sla/sla.ts';
import type { SlaFields } from '#contract/sla/sla.ts';
import type { EntityGroup, JobType, Source } from '#contract/runs/vocabulary.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { slaMessages as t } from './messages.en.ts';

/** An alarm as typed. */
export interface AlarmForm {
  readonly name: string;
  readonly enabled: boolean;
  readonly job: SlaFields['job'];
  readonly companies: readonly number[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
  readonly groups: readonly EntityGroup[];
  readonly hours: string;
  readonly percent: string;
  readonly days: string;
  readonly recipients: readonly UserId[];
}
export type SlaFormErrors = Readonly<
  Partial<Record<'name' | 'hours' | 'percent' | 'days', string>>
>;

export const createAlarmForm = (
  job: { readonly uid: string; readonly name: string } | null,
): AlarmForm => ({
  name: job === null ? '' : job.name.slice(0, 200),
  enabled: true,
  job: job === null ? null : { jobInstanceUid: job.uid, key: null },
  companies: [],
  sources: [],
  types: [],
  groups: [],
  hours: '26',
  percent: '',
  days: '30',
  recipients: [],
});

export const getAlarmForm = ({
  name,
  enabled,
  job,
  group,
  maxAgeHours,
  minSuccessPct,
  windowDays,
  recipients,
}: SlaFields): AlarmForm => ({
  name,
  enabled,
  job,
  companies: group?.companyIds ?? [],
  sources: group?.source ?? [],
  types: group?.type ?? [],
  groups: group?.entityGroup ?? [],
  hours: maxAgeHours === null ? '' : String(maxAgeHours),
  percent: minSuccessPct === null ? '' : String(minSuccessPct),
  days: String(windowDays),
  recipients,
});

/** Returns the typed alarm, or the errors by field if it is invalid. */
export function getAlarm(form: AlarmForm): {
  readonly alarm: SlaFields | null;
  readonly errors: SlaFormErrors;
} {
  const errors: Partial<Record<keyof SlaFormErrors, string>> = {};
  const whole = (field: 'hours' | 'percent' | 'days', max: number, says: string): number | null => {
    const text = form[field].trim();
    const one = Number(text);
    if (text !== '' && !(Number.isInteger(one) && one >= 1 && one <= max)) errors[field] = says;
    return text === '' ? null : one;
  };
  const hours = whole('hours', 2_160, t.maxAgeInvalid);
  const percent = whole('percent', 100, t.percentInvalid);
  const days = whole('days', 90, t.windowInvalid);
  if (form.name.trim() === '') errors.name = t.nameMissing;
  if (days === null) errors.days ??= t.windowMissing;
  if (hours === null && percent === null) errors.hours ??= MESSAGES.slaAsksNothing;
  const group =
    form.job === null
      ? {
          companyIds: [...form.companies],
          source: [...form.sources],
          type: [...form.types],
          entityGroup: [...form.groups],
        }
      : null;
  const alarm: SlaFields = {
    name: form.name.trim(),
    enabled: form.enabled,
    job: form.job,
    group,
    maxAgeHours: hours,
    minSuccessPct: percent,
    windowDays: days ?? 30,
    recipients: [...form.recipients],
  };
  return { alarm: Object.keys(errors).length > 0 ? null : alarm, errors };
}

export const alarmFormSchema = makeFormSchema(SlaSchema, (form: AlarmForm) => {
  const { alarm: value, errors } = getAlarm(form);
  return { value, errors };
});
