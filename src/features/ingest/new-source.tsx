import { useRef } from 'react';
import type { CompanyN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { monitoringCalls } from '#contract/runs/calls.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Choice } from '#src/ui/choice.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { Select } from '#src/ui/select.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { TOOL_CHOICES } from './install-commands.ts';
import type { RevealedSecret } from './secret-dialog.tsx';
import { sourceMessages as t } from './messages.en.ts';

export interface NewSourceProps {
  readonly companies: readonly CompanyRow[];
  readonly onClose: () => void;
  readonly onMade: (made: RevealedSecret) => void;
}

/** With more companies than this, the list has a search field. */
const FEW = 10;

interface SourceForm {
  readonly name: string;
  readonly companyN: CompanyN | null;
  readonly tool: Source;
}
const schema = makeFormSchema(
  monitoringCalls.createKey.input,
  ({ name, companyN, tool }: SourceForm) => ({
    value: { name: name.trim(), companyN: companyN ?? 0, tool },
    errors: { ...(companyN === null && { companyN: t.companyMissing }) },
  }),
  { name: t.nameMissing },
);

export function NewSource({ companies, onClose, onMade }: NewSourceProps) {
  const first = useRef<HTMLInputElement>(null);
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: {
      name: '',
      companyN: companies.length === 1 ? (companies[0]?.n ?? null) : null,
      tool: 'restic',
    },
    schema,
    submit: (input) => withReauth(() => client().ask('createKey', input)),
    onSaved: ({ key: { id, name }, secret }, { tool }) =>
      onMade({ id, name, tool: tool ?? 'restic', secret, since: null }),
  });

  const options = companies
    .map((one) => ({ value: String(one.n), label: one.name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const field = {
    label: t.company,
    required: true,
    block: true,
    value: form.companyN === null ? '' : String(form.companyN),
    options,
    error: errors['companyN'] ?? null,
    onChange: (n: string) => change({ companyN: Number(n) }),
  };
  return (
    <FormDialog
      dirty={dirty}
      title={t.newSource}
      wide
      onClose={onClose}
      first={first}
      submitLabel={t.createKey}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <TextField
        ref={first}
        label={t.name}
        required
        value={form.name}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        onChange={({ target }) => change({ name: target.value })}
        hint={t.nameHint}
        error={errors['name'] ?? null}
      />
      {companies.length > FEW ? (
        <Combobox {...field} placeholder={t.typeName} />
      ) : (
        <Select {...field} placeholder={t.chooseCompany} />
      )}
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">{t.tool}</legend>
        <div className="grid border-t border-hair tablet:grid-cols-2 tablet:gap-x-6">
          {TOOL_CHOICES.map((choice) => (
            <Choice
              key={choice.tool}
              name="tool"
              checked={form.tool === choice.tool}
              title={choice.label}
              detail={choice.detail}
              onChoose={() => change({ tool: choice.tool })}
            />
          ))}
        </div>
        <p className="m-0 pt-2 text-agate text-ink-3">{t.toolHint}</p>
      </fieldset>
    </FormDialog>
  );
}
