import { JOB_TYPES, PROBLEM_STATES, SOURCES } from '#contract/monitoring/words.ts';
import { STATE_NAMES } from '#contract/monitoring/rules.ts';
import { Check } from '#src/ui/check.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { SOURCE_WORDS, TYPE_WORDS } from '../daily-checks/words.ts';
import type { Form, ruleOf } from './form.ts';
import { Many } from './many.tsx';
import { DAY_WORDS } from './words.ts';

export interface FieldsProps {
  readonly form: Form;
  readonly faults: ReturnType<typeof ruleOf>['faults'];
  readonly companies: readonly (readonly [n: number, name: string])[];
  readonly people: readonly (readonly [id: string, name: string])[];
  readonly onChange: (next: Partial<Form>) => void;
}

/** What results are meant. What is left empty holds always. */
export function WhenFields({ form, faults, companies, onChange }: FieldsProps) {
  return (
    <FormSection title="When" says="All of it must hold. What is left empty holds always.">
      {faults.when !== undefined && <p className="m-0 text-failed">{faults.when}</p>}
      <TextField
        label="The message holds"
        value={form.text}
        maxLength={200}
        hint="In any case. * stands for any characters, ? for one; then it is the whole message. | stands between two of which either will do."
        aria-invalid={faults.when !== undefined}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <TextField
        label="The job's name holds"
        value={form.job}
        maxLength={200}
        onChange={({ target }) => onChange({ job: target.value })}
      />
      <TextField
        label="The computer's name holds"
        value={form.computer}
        maxLength={200}
        onChange={({ target }) => onChange({ computer: target.value })}
      />
      <Many
        label="The state is"
        none="Any"
        chosen={form.states}
        options={PROBLEM_STATES.map((state) => [state, STATE_NAMES[state]] as const)}
        onChange={(states) => onChange({ states })}
      />
      <Many
        label="The company is"
        none="Any"
        chosen={form.companies}
        options={companies}
        onChange={(next) => onChange({ companies: next })}
      />
      <Many
        label="The source is"
        none="Any"
        chosen={form.sources}
        options={SOURCES.map((source) => [source, SOURCE_WORDS[source]] as const)}
        onChange={(sources) => onChange({ sources })}
      />
      <Many
        label="The type is"
        none="Any"
        chosen={form.types}
        options={JOB_TYPES.map((type) => [type, TYPE_WORDS[type]] as const)}
        onChange={(types) => onChange({ types })}
      />
      {RANGES.map(([word, field]) => (
        <div key={field} className="grid grid-cols-2 items-end gap-3">
          <TextField
            label={`${word}, from`}
            value={form[field].least}
            inputMode="decimal"
            fault={faults[field] ?? null}
            onChange={({ target }) =>
              onChange({ [field]: { ...form[field], least: target.value } })
            }
          />
          <TextField
            label={`${word}, to`}
            value={form[field].most}
            inputMode="decimal"
            onChange={({ target }) => onChange({ [field]: { ...form[field], most: target.value } })}
          />
        </div>
      ))}
      <div>
        <Check
          checked={form.timed}
          title="Only at certain times"
          detail={`By when it started, in ${form.zone}.`}
          onChange={(timed) => onChange({ timed })}
        />
        {form.timed && (
          <div className="grid gap-3 pt-2 pl-7">
            <Many
              label="Days"
              none="Every day"
              chosen={form.days}
              options={DAY_WORDS.map((word, place) => [place + 1, word] as const)}
              onChange={(days) => onChange({ days })}
            />
            <div className="grid grid-cols-2 gap-3">
              <TextField
                label="Begins"
                type="time"
                value={form.begins}
                fault={faults.begins ?? null}
                onChange={({ target }) => onChange({ begins: target.value })}
              />
              <TextField
                label="Ends before"
                type="time"
                value={form.ends}
                onChange={({ target }) => onChange({ ends: target.value })}
              />
            </div>
            <p className="m-0 text-agate text-ink-3">
              The same time twice is the whole day; an end before the beginning is past midnight.
            </p>
          </div>
        )}
      </div>
    </FormSection>
  );
}

const RANGES: readonly (readonly [word: string, field: 'minutes' | 'megabytes' | 'streak'])[] = [
  ['Minutes it took', 'minutes'],
  ['Megabytes transferred', 'megabytes'],
  ['Results in a row', 'streak'],
];

/** What is done with them. */
export function DoesFields({ form, faults, people, onChange }: FieldsProps) {
  return (
    <FormSection title="Then" says="Once for each problem. What a person changes afterwards stays.">
      {faults.does !== undefined && <p className="m-0 text-failed">{faults.does}</p>}
      <Check
        checked={form.exception}
        title="It is known and counts as OK"
        detail="Shown as an exception, never as a success, for as long as the newest result matches."
        onChange={(exception) => onChange({ exception })}
      />
      <TextField
        label="Snooze it for so many hours"
        value={form.snoozeHours}
        inputMode="numeric"
        fault={faults.snoozeHours ?? null}
        onChange={({ target }) => onChange({ snoozeHours: target.value })}
      />
      <TextArea
        label="Put a note to it"
        value={form.note}
        maxLength={2_000}
        onChange={({ target }) => onChange({ note: target.value })}
      />
      <TextField
        label="Tie it to ticket"
        value={form.ticket}
        maxLength={64}
        onChange={({ target }) => onChange({ ticket: target.value })}
      />
      <TextArea
        label="Show a hint with it"
        value={form.hint}
        maxLength={400}
        rows={2}
        hint="What to do, for whoever opens the result."
        onChange={({ target }) => onChange({ hint: target.value })}
      />
      <Many
        label="Tell by mail"
        none="Nobody"
        chosen={form.notify}
        options={people}
        onChange={(notify) => onChange({ notify })}
      />
    </FormSection>
  );
}
