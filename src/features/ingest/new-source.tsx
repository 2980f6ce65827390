import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { CompanyN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Choice } from '#src/ui/choice.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { Select } from '#src/ui/select.tsx';
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

export function NewSource({ companies, onClose, onMade }: NewSourceProps) {
  const [name, setName] = useState('');
  const [company, setCompany] = useState<CompanyN | null>(
    companies.length === 1 ? (companies[0]?.n ?? null) : null,
  );
  const [tool, setTool] = useState<Source>('restic');
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const named = name.trim() !== '';
  const companyError = tried && company === null ? t.companyMissing : null;

  async function make(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (!named) first.current?.focus();
    if (busy || !named || company === null) return;
    setBusy(true);
    setError(null);
    const result = await withReauth(() =>
      client().ask('makeKey', { name: name.trim(), companyN: company, tool }),
    );
    setBusy(false);
    if (result.ok)
      onMade({
        id: result.value.key.id,
        name: result.value.key.name,
        tool,
        secret: result.value.secret,
        since: null,
      });
    else setError(result.failure.message);
  }

  const options = companies
    .map((one) => ({ value: String(one.n), label: one.name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const field = {
    label: t.company,
    required: true,
    block: true,
    value: company === null ? '' : String(company),
    options,
    error: companyError,
    onChange: (n: string) => setCompany(Number(n)),
  };
  return (
    <FormDialog
      title={t.newSource}
      wide
      onClose={onClose}
      first={first}
      submitLabel={t.createKey}
      busy={busy}
      error={error}
      onSubmit={make}
    >
      <TextField
        ref={first}
        label={t.name}
        required
        value={name}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
        hint={t.nameHint}
        error={tried && !named ? t.nameMissing : null}
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
              checked={tool === choice.tool}
              title={choice.label}
              detail={choice.detail}
              onChoose={() => setTool(choice.tool)}
            />
          ))}
        </div>
        <p className="m-0 pt-2 text-agate text-ink-3">{t.toolHint}</p>
      </fieldset>
    </FormDialog>
  );
}
