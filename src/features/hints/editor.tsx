import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { EditorButtons } from '../shared/forms/editor-buttons.tsx';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { PROBLEM_KIND_LABELS } from '../shared/runs/labels.ts';
import { MultiSelect } from '../shared/forms/multi-select.tsx';
import { HintBody } from '../shared/hint-body.tsx';
import { hintFormSchema } from './form.ts';
import type { HintForm, LinkForm } from './form.ts';
import { conditionsText } from './labels.ts';
import { hintMessages as t } from './messages.en.ts';

export interface EditorProps {
  /** Null: a new hint. */
  readonly id: string | null;
  readonly initial: HintForm;
  readonly offline: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
  readonly onDelete: (() => void) | null;
}

/** Editor of a hint: matching results, the steps, and a preview. */
export function Editor({ id, initial, offline, onSaved, onClose, onDelete }: EditorProps) {
  const { form, change, errors, error, busy, dirty, formRef, headingRef, save } = useDraftForm({
    initial,
    offline,
    schema: hintFormSchema,
    submit: (hint) =>
      id === null ? client().ask('createHint', { hint }) : client().ask('changeHint', { id, hint }),
    onSaved: () => {
      showSuccess(id === null ? t.created : t.saved);
      onSaved();
    },
  });

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
          {id === null ? t.newHint : t.editHint}
        </h2>
        <p className="m-0 pb-4 text-ink-2" aria-live="polite">
          {conditionsText({
            text: form.text.trim(),
            kinds: [...form.kinds],
            sources: [...form.sources],
          }) || t.newHintHint}
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
          <Check
            checked={form.inside}
            title={t.internal}
            detail={t.internalHint}
            onChange={(inside) => change({ inside })}
          />
        </FormSection>
        <FormSection title={t.conditions} description={t.conditionsHint}>
          <TextField
            label={t.messageContains}
            value={form.text}
            maxLength={200}
            error={errors['when'] ?? null}
            onChange={({ target }) => change({ text: target.value })}
            hint={t.patternHint}
          />
          <MultiSelect
            label={t.kind}
            none={t.any}
            chosen={form.kinds}
            options={PROBLEM_KINDS.map((kind) => [kind, PROBLEM_KIND_LABELS[kind]] as const)}
            onChange={(kinds) => change({ kinds })}
          />
          <MultiSelect
            label={t.source}
            none={t.any}
            chosen={form.sources}
            options={SOURCES.map((source) => [source, SOURCE_NAMES[source]] as const)}
            onChange={(sources) => change({ sources })}
          />
        </FormSection>
        <FormSection title={t.instructions}>
          <TextArea
            label={t.summary}
            value={form.summary}
            maxLength={2_000}
            error={errors['summary'] ?? null}
            onChange={({ target }) => change({ summary: target.value })}
          />
          <TextArea
            label={t.steps}
            rows={5}
            value={form.steps}
            maxLength={10_000}
            error={errors['steps'] ?? null}
            hint={t.stepsHint}
            onChange={({ target }) => change({ steps: target.value })}
          />
          <Links links={form.links} errors={errors} onChange={(links) => change({ links })} />
        </FormSection>
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <EditorButtons
          saveLabel={id === null ? t.createHint : t.saveHint}
          busy={busy}
          offline={offline}
          onClose={onClose}
          onDelete={onDelete}
        />
      </div>
      <Preview form={form} />
    </form>
  );
}

const LINKS = 10;

function Links({
  links,
  errors,
  onChange,
}: {
  readonly links: readonly LinkForm[];
  readonly errors: FormErrors;
  readonly onChange: (links: readonly LinkForm[]) => void;
}) {
  const put = (at: number, next: Partial<LinkForm>): void =>
    onChange(links.map((one, i) => (i === at ? { ...one, ...next } : one)));
  return (
    <fieldset className="m-0 grid gap-3 border-0 p-0">
      <legend className="p-0 pb-1.5 font-semibold">{t.links}</legend>
      {links.map((link, i) => (
        <div
          key={i}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2 gap-y-2 tablet:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]"
        >
          <TextField
            label={t.linkName({ n: i + 1 })}
            value={link.name}
            maxLength={200}
            onChange={({ target }) => put(i, { name: target.value })}
          />
          <TextField
            label={t.linkAddress({ n: i + 1 })}
            type="url"
            inputMode="url"
            value={link.address}
            maxLength={2_000}
            error={errors[`link${i}`] ?? null}
            onChange={({ target }) => put(i, { address: target.value })}
          />
          <IconButton
            icon="close"
            label={t.removeLink({ n: i + 1 })}
            className="mt-7 min-w-9 pointer-coarse:min-h-11 pointer-coarse:min-w-11"
            onClick={() => onChange(links.toSpliced(i, 1))}
          />
        </div>
      ))}
      {links.length < LINKS && (
        <div>
          <Button icon="plus" onClick={() => onChange([...links, { name: '', address: '' }])}>
            {t.addLink}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** Preview of the hint as in the panel. */
function Preview({ form }: { readonly form: HintForm }) {
  const { summary, steps, links } = form;
  const shown = {
    summary: summary.trim(),
    steps: steps
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    links: links.filter(
      ({ name, address }) => name.trim() !== '' && /^https?:\/\/\S/i.test(address.trim()),
    ),
  };
  const empty = shown.summary === '' && shown.steps.length + shown.links.length === 0;
  return (
    <aside
      aria-labelledby="hint-preview"
      className="min-w-0 self-start border-t-2 border-head-rule pt-5 min-[1360px]:sticky min-[1360px]:top-4 min-[1360px]:mt-[58px]"
    >
      <h2 id="hint-preview" className="m-0 pb-2 text-body font-semibold">
        {t.preview}
      </h2>
      {empty ? (
        <p className="m-0 text-ink-3">{t.previewHint}</p>
      ) : (
        <>
          <p className="m-0 font-semibold break-words">{form.name}</p>
          <HintBody {...shown} />
        </>
      )}
    </aside>
  );
}
