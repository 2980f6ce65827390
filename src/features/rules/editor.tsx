import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { Callout } from '#src/ui/callout.tsx';
import { EditorButtons } from '../shared/forms/editor-buttons.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { DoesFields, WhenFields } from './fields.tsx';
import type { FieldsProps } from './fields.tsx';
import { makeRuleFormSchema, toRuleInput } from './form.ts';
import type { RuleForm } from './form.ts';
import { Tested } from './test-result.tsx';
import { useTest } from './use-test.ts';
import { ruleText } from './labels.ts';
import { ruleMessages as t } from './messages.en.ts';

export interface EditorProps extends Pick<FieldsProps, 'companies' | 'people'> {
  /** Null: a new rule. */
  readonly id: string | null;
  readonly initial: RuleForm;
  readonly zone: string;
  readonly offline: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
  readonly onDelete: (() => void) | null;
}

/** Editor of a rule: conditions, actions and a preview of matching results. */
export function Editor({
  id,
  initial,
  zone,
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
    schema: makeRuleFormSchema(zone),
    submit: async (rule): Promise<Result<unknown>> =>
      id === null
        ? client().ask('createRule', { rule })
        : client().ask('changeRules', { id, rule }),
    onSaved: () => {
      showSuccess(id === null ? t.created : t.saved);
      onSaved();
    },
  });
  const tried = toRuleInput(form, zone);
  const test = useTest(id, tried, offline);
  const names = new Map(companies);
  const name = (n: number): string => names.get(n) ?? t.unknownCompany;

  return (
    <form
      ref={formRef}
      noValidate
      className="mx-auto grid max-w-[1400px] gap-x-10 px-4 py-4 tablet:px-5 min-[1360px]:grid-cols-[minmax(0,760px)_minmax(320px,1fr)]"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedQuestion dirty={dirty} />
      <div className="min-w-0">
        <h2 ref={headingRef} tabIndex={-1} className="m-0 pb-1 text-head outline-none">
          {id === null ? t.newRule : t.editRule}
        </h2>
        <p className="m-0 pb-4 text-ink-2" aria-live="polite">
          {tried === null ? t.newHint : ruleText(tried, name)}
        </p>
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
          <div className="grid grid-cols-2 gap-3">
            <TextField
              label={t.firstDay}
              type="date"
              value={form.from}
              onChange={({ target }) => change({ from: target.value })}
            />
            <TextField
              label={t.lastDay}
              type="date"
              value={form.to}
              error={errors['to'] ?? null}
              onChange={({ target }) => change({ to: target.value })}
            />
          </div>
        </FormSection>
        <WhenFields
          form={form}
          errors={errors}
          companies={companies}
          people={people}
          onChange={change}
        />
        <DoesFields
          form={form}
          errors={errors}
          companies={companies}
          people={people}
          onChange={change}
        />
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <EditorButtons
          saveLabel={id === null ? t.createRule : t.saveRule}
          busy={busy}
          offline={offline}
          onClose={onClose}
          onDelete={onDelete}
        />
      </div>
      <Tested test={test} ready={tried !== null} offline={offline} zone={zone} />
    </form>
  );
}
