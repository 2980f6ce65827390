import type { UserId } from '#contract/ids.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { Callout } from '#src/ui/callout.tsx';
import { EditorButtons } from '../shared/forms/editor-buttons.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { ENTITY_GROUP_WORDS, TYPE_WORDS } from '../shared/runs/labels.ts';
import { MultiSelect } from '../shared/forms/multi-select.tsx';
import { alarmFormSchema } from './form.ts';
import type { AlarmForm } from './form.ts';
import { slaMessages as t } from './messages.en.ts';

export interface EditorProps {
  /** Null: a new alarm. */
  readonly id: string | null;
  readonly initial: AlarmForm;
  /** Name of its job; null for a group of jobs. */
  readonly jobName: string | null;
  readonly offline: boolean;
  readonly companies: readonly (readonly [n: number, name: string])[];
  readonly people: readonly (readonly [id: UserId, name: string])[];
  readonly onSaved: () => void;
  readonly onClose: () => void;
  readonly onDelete: (() => void) | null;
}

/** Editor of an alarm: scope, target and recipients. */
export function Editor({
  id,
  initial,
  jobName,
  offline,
  companies,
  people,
  onSaved,
  onClose,
  onDelete,
}: EditorProps) {
  const { form, change, errors, error, busy, dirty, formRef, headingRef, save } = useDraftForm({
    initial,
    offline,
    schema: alarmFormSchema,
    onSaved,
    submit: (alarm) =>
      id === null
        ? client().ask('saveSlaAlarm', { alarm })
        : client().ask('changeSlaAlarm', { id, alarm }),
  });

  return (
    <form
      ref={formRef}
      noValidate
      className="mx-auto max-w-[900px] px-4 py-4 tablet:px-5"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedQuestion dirty={dirty} />
      <h2 ref={headingRef} tabIndex={-1} className="m-0 pb-4 text-head outline-none">
        {id === null ? t.newAlarm : t.editAlarm}
      </h2>
      <FormSection title={t.general}>
        <RequiredNote />
        <TextField
          label={t.name}
          required
          value={form.name}
          maxLength={200}
          error={errors['name'] ?? null}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Switch
          label={t.on}
          detail={t.onHint}
          on={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </FormSection>
      {jobName === null ? (
        <FormSection title={t.jobsSection} description={t.jobsHint}>
          <MultiSelect
            label={t.companyField}
            none={t.any}
            chosen={form.companies}
            options={companies}
            onChange={(next) => change({ companies: next })}
          />
          <MultiSelect
            label={t.sourceField}
            none={t.any}
            chosen={form.sources}
            options={SOURCES.map((source) => [source, SOURCE_NAMES[source]] as const)}
            onChange={(sources) => change({ sources })}
          />
          <MultiSelect
            label={t.typeField}
            none={t.any}
            chosen={form.types}
            options={JOB_TYPES.map((type) => [type, TYPE_WORDS[type]] as const)}
            onChange={(types) => change({ types })}
          />
          <MultiSelect
            label={t.groupField}
            none={t.any}
            chosen={form.groups}
            options={ENTITY_GROUPS.map((group) => [group, ENTITY_GROUP_WORDS[group]] as const)}
            onChange={(groups) => change({ groups })}
          />
        </FormSection>
      ) : (
        <FormSection title={t.jobSection}>
          <p className="m-0 break-words">{jobName}</p>
        </FormSection>
      )}
      <FormSection title={t.target} description={t.targetHint}>
        <TextField
          label={t.maxAge}
          value={form.hours}
          inputMode="numeric"
          error={errors['hours'] ?? null}
          hint={t.maxAgeHint}
          onChange={({ target }) => change({ hours: target.value })}
        />
        <TextField
          label={t.minSuccess}
          value={form.percent}
          inputMode="numeric"
          error={errors['percent'] ?? null}
          hint={t.minSuccessHint}
          onChange={({ target }) => change({ percent: target.value })}
        />
        <TextField
          label={t.window}
          required
          value={form.days}
          inputMode="numeric"
          error={errors['days'] ?? null}
          onChange={({ target }) => change({ days: target.value })}
        />
      </FormSection>
      <FormSection title={t.recipientsSection} description={t.recipientsHint}>
        <MultiSelect
          label={t.users}
          none={t.nobody}
          chosen={form.recipients}
          options={people}
          onChange={(recipients) => change({ recipients })}
        />
      </FormSection>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <EditorButtons
        saveLabel={id === null ? t.createAlarm : t.saveAlarm}
        busy={busy}
        offline={offline}
        onClose={onClose}
        onDelete={onDelete}
      />
    </form>
  );
}
