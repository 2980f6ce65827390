import type { InferInput } from 'valibot';
import type { CompanyN, Day, UserId } from '#contract/ids.ts';
import {
  ANYTHING,
  asksSomething,
  doesSomething,
  NOTHING_DONE,
  RuleSchema,
} from '#contract/rules/rules.ts';
import type { Range, RuleFields, RuleWhen } from '#contract/rules/rules.ts';
import type { JobType, ProblemState, Source } from '#contract/runs/vocabulary.ts';
import { addDays, dayAt, isDay, momentAt } from '#src/features/shared/date-range/dates.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { ruleMessages as t } from './messages.en.ts';

/**
 * A rule as typed. Durations in minutes, sizes in MB, times as `HH:MM`; `from` and `to` are
 * inclusive days.
 */
export interface RuleForm {
  readonly name: string;
  readonly enabled: boolean;
  readonly from: Day;
  readonly to: Day;
  readonly text: string;
  readonly job: string;
  readonly computer: string;
  readonly states: readonly ProblemState[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
  readonly companies: readonly CompanyN[];
  readonly minutes: Typed;
  readonly megabytes: Typed;
  readonly streak: Typed;
  readonly timed: boolean;
  readonly days: readonly number[];
  readonly begins: string;
  readonly ends: string;
  readonly zone: string;
  readonly exception: boolean;
  readonly snoozeHours: string;
  readonly note: string;
  readonly ticket: string;
  readonly hint: string;
  readonly notify: readonly UserId[];
}
interface Typed {
  readonly min: string;
  readonly max: string;
}
type FormErrors = Readonly<Partial<Record<keyof RuleForm | 'when' | 'does', string>>>;

const SECONDS = 60;
const BYTES = 1_000_000;
const UNTYPED: Typed = { min: '', max: '' };

export const emptyForm = (zone: string): RuleForm =>
  getRuleForm(
    { name: '', enabled: true, from: null, to: null, when: ANYTHING, does: NOTHING_DONE },
    zone,
  );

export function getRuleForm(
  { name, enabled, from, to, when, does }: RuleFields,
  zone: string,
): RuleForm {
  const day = (at: number): Day => dayAt(at, { zone, hour: 0 });
  return {
    name,
    enabled,
    from: from === null ? '' : day(from),
    to: to === null ? '' : day(to - 1),
    text: when.text,
    job: when.job,
    computer: when.computer,
    states: when.states,
    sources: when.sources,
    types: when.types,
    companies: when.companies,
    minutes: typed(when.duration, SECONDS),
    megabytes: typed(when.bytes, BYTES),
    streak: typed(when.streak, 1),
    timed: when.time !== null,
    days: when.time?.days ?? [],
    begins: clockText(when.time?.from ?? 0),
    ends: clockText(when.time?.to ?? 0),
    zone: when.time?.zone ?? zone,
    exception: does.exception,
    snoozeHours: does.snoozeHours === null ? '' : String(does.snoozeHours),
    note: does.note ?? '',
    ticket: does.ticket ?? '',
    hint: does.hint ?? '',
    notify: does.notify,
  };
}

/** Returns the typed rule, or the errors by field if it is invalid. */
export function getRule(
  form: RuleForm,
  zone: string,
): { readonly rule: RuleFields | null; readonly errors: FormErrors } {
  const errors: Partial<Record<keyof RuleForm | 'when' | 'does', string>> = {};
  const range = (field: 'minutes' | 'megabytes' | 'streak', unit: number): Range => {
    const read = getRange(form[field], unit);
    if (typeof read === 'string') errors[field] = read;
    return typeof read === 'string' ? { min: null, max: null } : read;
  };
  const time = form.timed
    ? {
        days: [...form.days],
        from: getMinute(form.begins),
        to: getMinute(form.ends),
        zone: form.zone,
      }
    : null;
  if (time !== null && (time.from < 0 || time.to < 0)) errors.begins = t.timesMissing;
  const hours = form.snoozeHours.trim() === '' ? null : Number(form.snoozeHours);
  if (hours !== null && !(Number.isInteger(hours) && hours >= 1 && hours <= 24 * 366))
    errors.snoozeHours = t.snoozeHoursInvalid;
  const when: RuleWhen = {
    sources: [...form.sources],
    types: [...form.types],
    states: [...form.states],
    companies: [...form.companies],
    job: form.job.trim(),
    computer: form.computer.trim(),
    text: form.text.trim(),
    duration: range('minutes', SECONDS),
    bytes: range('megabytes', BYTES),
    streak: range('streak', 1),
    time,
  };
  const does = {
    exception: form.exception,
    snoozeHours: hours,
    note: said(form.note),
    ticket: said(form.ticket),
    hint: said(form.hint),
    notify: [...form.notify],
  };
  const from = isDay(form.from) ? momentAt(form.from, 0, zone) : null;
  const to = isDay(form.to) ? momentAt(addDays(form.to, 1), 0, zone) : null;
  if (form.name.trim() === '') errors.name = t.nameMissing;
  if (from !== null && to !== null && to <= from) errors.to = t.lastDayTooEarly;
  if (!asksSomething(when)) errors.when = t.conditionsMissing;
  if (!doesSomething(does)) errors.does = t.actionsMissing;
  return {
    rule:
      Object.keys(errors).length > 0
        ? null
        : { name: form.name.trim(), enabled: form.enabled, from, to, when, does },
    errors,
  };
}

export const makeRuleFormSchema = (
  zone: string,
): FormSchema<RuleForm, InferInput<typeof RuleSchema>> =>
  makeFormSchema(RuleSchema, (form: RuleForm) => {
    const { rule: value, errors } = getRule(form, zone);
    return { value, errors };
  });

/** Returns the typed rule without its name, for the test; null if it is invalid. */
export function toRuleInput(
  form: RuleForm,
  zone: string,
): Pick<RuleFields, 'when' | 'does'> | null {
  const { rule } = getRule({ ...form, name: 'x', from: '', to: '', exception: true }, zone);
  return rule && { when: rule.when, does: { ...rule.does, exception: form.exception } };
}

const said = (text: string): string | null => (text.trim() === '' ? null : text.trim());
const typed = ({ min, max }: Range, unit: number): Typed => ({
  min: min === null ? '' : String(min / unit),
  max: max === null ? '' : String(max / unit),
});

/** Returns the range, or the error message. */
function getRange({ min, max }: Typed, unit: number): Range | string {
  const [low, high] = [min, max].map((text) =>
    text.trim() === '' ? null : Math.round(Number(text.replace(',', '.')) * unit),
  );
  if (
    [low, high].some(
      (one) => one !== null && one !== undefined && !(Number.isSafeInteger(one) && one >= 0),
    )
  )
    return t.numberNeeded;
  if (low != null && high != null && low > high) return t.minAboveMax;
  return { min: low ?? null, max: high ?? null };
}

export const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
function getMinute(text: string): number {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
  return hours === undefined || minutes === undefined ? -1 : Number(hours) * 60 + Number(minutes);
}

/** Returns a new form with the values of a result. */
export const createRuleForm = (
  zone: string,
  like: Partial<
    Pick<
      RuleForm,
      | 'name'
      | 'text'
      | 'job'
      | 'computer'
      | 'states'
      | 'sources'
      | 'companies'
      | 'exception'
      | 'note'
      | 'streak'
      | 'ticket'
      | 'timed'
      | 'days'
    >
  >,
): RuleForm => ({ ...emptyForm(zone), streak: UNTYPED, ...like });
