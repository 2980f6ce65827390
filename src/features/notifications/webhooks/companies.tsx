import { useWatch } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { SelectedValues } from '#src/ui/chosen.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { webhookMessages as t } from './messages.en.ts';

export interface CompaniesProps {
  readonly chosen: readonly number[] | null;
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly number[] | null) => void;
}

/** The companies that a webhook covers: all, or some. */
export function Companies({ chosen, error, onChange }: CompaniesProps) {
  const known = useWatch('companies', EMPTY) ?? [];
  const word = (n: number): string => known.find((one) => one.n === n)?.name ?? GONE;
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="pb-1 font-semibold">{t.companies}</legend>
      <Choice
        name="companies"
        checked={chosen === null}
        title={t.allCompanies}
        detail={t.allCompaniesHint}
        onChoose={() => onChange(null)}
      />
      <Choice
        name="companies"
        checked={chosen !== null}
        title={t.someCompanies}
        detail={t.someCompaniesHint}
        onChoose={() => onChange(chosen ?? [])}
      />
      {chosen !== null && (
        <div className="grid gap-2 pt-3">
          <Combobox
            label={t.addCompany}
            value=""
            placeholder={t.typeName}
            error={error ?? null}
            onChange={(n) => onChange([...chosen, Number(n)])}
            options={known
              .filter(({ n }) => !chosen.includes(n))
              .map(({ n, name }) => ({ value: String(n), label: name }))
              .toSorted((a, b) => a.label.localeCompare(b.label))}
          />
          <SelectedValues
            label={t.companies}
            none={t.noCompanies}
            items={chosen.map((n) => ({ key: n, label: word(n) }))}
            onRemove={(n) => onChange(chosen.filter((one) => one !== n))}
          />
        </div>
      )}
    </fieldset>
  );
}

const EMPTY = {};
const GONE = t.unknownCompany;
