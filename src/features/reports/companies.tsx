import { Combobox } from '#src/ui/combobox.tsx';
import { uiMessages } from '#src/ui/messages.en.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { Customers } from '#contract/reports/template.ts';
import { MAX_CUSTOMERS } from '#contract/reports/template.ts';
import { reportMessages as t } from './messages.en.ts';

export interface CompaniesProps {
  readonly customers: Customers;
  readonly chosen: readonly number[];
  readonly all: readonly (readonly [n: number, name: string])[];
  readonly error: string | null;
  readonly onChange: (chosen: readonly number[]) => void;
}

/** The companies of a report: one, several, or all that the user can see. */
export function Companies({ customers, chosen, all, error, onChange }: CompaniesProps) {
  if (customers === 'none') return <p className="m-0 text-ink-2">{t.aboutProviders}</p>;
  const names = new Map(all);
  const rest = all.filter(([n]) => !chosen.includes(n));
  const full = customers === 'some' && chosen.length >= MAX_CUSTOMERS;
  const add = (text: string): void =>
    onChange(customers === 'one' ? [Number(text)] : [...chosen, Number(text)]);
  const label = customers === 'one' ? t.company : t.companies;
  const none = customers === 'any' ? t.allCompanies : t.findByName;
  return (
    <div className="grid gap-2">
      {!full && (
        <Combobox
          label={label}
          value=""
          placeholder={
            chosen.length === 0 ? none : customers === 'one' ? t.chooseAnother : t.addAnother
          }
          error={error}
          options={rest.map(([n, name]) => ({ value: String(n), label: name }))}
          onChange={add}
        />
      )}
      {customers === 'any' && chosen.length === 0 && (
        <p className="m-0 text-agate text-ink-3">{t.noneSelected}</p>
      )}
      {full && (
        <p className="m-0 text-agate text-ink-3">{t.companyLimit({ max: MAX_CUSTOMERS })}</p>
      )}
      {chosen.length > 0 && (
        <>
          {customers !== 'one' && (
            <p className="m-0 text-agate text-ink-3">
              {customers === 'some'
                ? t.companyCountOfMax({ count: chosen.length, max: MAX_CUSTOMERS })
                : t.companyCount({ count: chosen.length })}
            </p>
          )}
          <ul className="m-0 flex list-none flex-wrap gap-1.5 p-0" aria-label={t.selectedCompanies}>
            {chosen.map((n) => {
              const name = names.get(n) ?? t.unknownCompany;
              return (
                <li key={n} className="min-w-0 max-w-full">
                  <button
                    type="button"
                    aria-label={uiMessages.removeItem({ name })}
                    onClick={() => onChange(chosen.filter((one) => one !== n))}
                    className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 text-ink hover:bg-wash pointer-coarse:min-h-11"
                  >
                    <span className="max-w-60 truncate" data-tip={name}>
                      {name}
                    </span>
                    <Icon name="close" className="text-ink-3" />
                  </button>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}
