import type { UserId } from '#contract/ids.ts';
import { JOB_TYPES, PROBLEM_STATES, SOURCES } from '#contract/runs/vocabulary.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { STATES } from '#src/ui/states.ts';
import { Check } from '#src/ui/check.tsx';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { TYPE_WORDS } from '../shared/runs/labels.ts';
import type { RuleForm } from './form.ts';
import { MultiSelect } from '../shared/forms/multi-select.tsx';
import { DAY_NAMES } from './labels.ts';
import { ruleMessages as t } from './messages.en.ts';

export interface FieldsProps {
  readonly form: RuleForm;
  readonly errors: FormErrors;
  readonly companies: readonly (readonly [n: number, name: string])[];
  readonly people: readonly (readonly [id: UserId, name: string])[];
  readonly onChange: (next: Partial<RuleForm>) => void;
}

/** Conditions of a rule. Empty fields match everything. */
export function WhenFields({ form, errors, companies, onChange }: FieldsProps) {
  return (
    <FormSection title={t.conditions} description={t.conditionsHint}>
      {errors['when'] !== undefined && <p className="m-0 text-failed">{errors['when']}</p>}
      <TextField
        label={t.messageContains}
        value={form.text}
        maxLength={200}
        hint={t.patternHint}
        aria-invalid={errors['when'] !== undefined}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <TextField
        label={t.jobContains}
        value={form.job}
        maxLength={200}
        onChange={({ target }) => onChange({ job: target.value })}
      />
      <TextField
        label={t.computerContains}
        value={form.computer}
        maxLength={200}
        onChange={({ target }) => onChange({ computer: target.value })}
      />
      <MultiSelect
        label={t.state}
        none={t.any}
        chosen={form.states}
        options={PROBLEM_STATES.map((state) => [state, STATES[state].label] as const)}
        onChange={(states) => onChange({ states })}
      />
      <MultiSelect
        label={t.company}
        none={t.any}
        chosen={form.companies}
        options={companies}
        onChange={(next) => onChange({ companies: next })}
      />
      <MultiSelect
        label={t.source}
        none={t.any}
        chosen={form.sources}
        options={SOURCES.map((source) => [source, SOURCE_NAMES[source]] as const)}
        onChange={(sources) => onChange({ sources })}
      />
      <MultiSelect
        label={t.type}
        none={t.any}
        chosen={form.types}
        options={JOB_TYPES.map((type) => [type, TYPE_WORDS[type]] as const)}
        onChange={(types) => onChange({ types })}
      />
      {RANGES.map(([word, field]) => (
        <div key={field} className="grid grid-cols-2 items-end gap-3">
          <TextField
            label={t.min({ label: word })}
            value={form[field].min}
            inputMode="decimal"
            error={errors[field] ?? null}
            onChange={({ target }) => onChange({ [field]: { ...form[field], min: target.value } })}
          />
          <TextField
            label={t.max({ label: word })}
            value={form[field].max}
            inputMode="decimal"
            onChange={({ target }) => onChange({ [field]: { ...form[field], max: target.value } })}
          />
        </div>
      ))}
      <div>
        <Check
          checked={form.timed}
          title={t.timed}
          detail={t.timedHint({ zone: form.zone })}
          onChange={(timed) => onChange({ timed })}
        />
        {form.timed && (
          <div className="grid gap-3 pt-2 pl-7">
            <MultiSelect
              label={t.days}
              none={t.everyDay}
              chosen={form.days}
              options={DAY_NAMES.map((word, place) => [place + 1, word] as const)}
              onChange={(days) => onChange({ days })}
            />
            <div className="grid grid-cols-2 gap-3">
              <TextField
                label={t.startTime}
                type="time"
                value={form.begins}
                error={errors['begins'] ?? null}
                onChange={({ target }) => onChange({ begins: target.value })}
              />
              <TextField
                label={t.endTime}
                type="time"
                value={form.ends}
                onChange={({ target }) => onChange({ ends: target.value })}
              />
            </div>
            <p className="m-0 text-agate text-ink-3">{t.timesHint}</p>
          </div>
        )}
      </div>
    </FormSection>
  );
}

const RANGES: readonly (readonly [word: string, field: 'minutes' | 'megabytes' | 'streak'])[] = [
  [t.minutes, 'minutes'],
  [t.megabytes, 'megabytes'],
  [t.streak, 'streak'],
];

/** Actions of a rule. */
export function DoesFields({ form, errors, people, onChange }: FieldsProps) {
  return (
    <FormSection title={t.actions} description={t.actionsHint}>
      {errors['does'] !== undefined && <p className="m-0 text-failed">{errors['does']}</p>}
      <Check
        checked={form.exception}
        title={t.markAsOk}
        detail={t.markAsOkHint}
        onChange={(exception) => onChange({ exception })}
      />
      <TextField
        label={t.snoozeHours}
        value={form.snoozeHours}
        inputMode="numeric"
        error={errors['snoozeHours'] ?? null}
        onChange={({ target }) => onChange({ snoozeHours: target.value })}
      />
      <TextArea
        label={t.addNote}
        value={form.note}
        maxLength={2_000}
        onChange={({ target }) => onChange({ note: target.value })}
      />
      <TextField
        label={t.linkTicket}
        value={form.ticket}
        maxLength={64}
        onChange={({ target }) => onChange({ ticket: target.value })}
      />
      <TextArea
        label={t.showHint}
        value={form.hint}
        maxLength={400}
        rows={2}
        hint={t.showHintHint}
        onChange={({ target }) => onChange({ hint: target.value })}
      />
      <MultiSelect
        label={t.email}
        none={t.nobody}
        chosen={form.notify}
        options={people}
        onChange={(notify) => onChange({ notify })}
      />
    </FormSection>
  );
}
