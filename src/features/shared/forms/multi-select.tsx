import { Icon } from '#src/ui/icon.tsx';
import { uiMessages } from '#src/ui/messages.en.ts';
import { Select } from '#src/ui/select.tsx';
import { multiSelectMessages as t } from './multi-select.messages.en.ts';

export interface ManyProps<T extends string | number> {
  readonly label: string;
  /** Meaning of an empty selection. */
  readonly none: string;
  readonly chosen: readonly T[];
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly onChange: (chosen: readonly T[]) => void;
}

/** Selects several values: a select adds them, their chips remove them. */
export function MultiSelect<T extends string | number>({
  label,
  none,
  chosen,
  options,
  onChange,
}: ManyProps<T>) {
  const rest = options.filter(([value]) => !chosen.includes(value));
  return (
    <div className="grid gap-2">
      <Select
        label={label}
        block
        value=""
        placeholder={chosen.length === 0 ? none : t.addAnother}
        options={rest.map(([value, label]) => ({ value: String(value), label }))}
        onChange={(text) => {
          const found = rest.find(([value]) => String(value) === text);
          if (found) onChange([...chosen, found[0]]);
        }}
      />
      {chosen.length > 0 && (
        <ul className="m-0 flex list-none flex-wrap gap-1.5 p-0" aria-label={t.chosen({ label })}>
          {chosen.map((value) => {
            const label = options.find(([one]) => one === value)?.[1] ?? t.deletedItem;
            return (
              <li key={value} className="min-w-0">
                <button
                  type="button"
                  className={CHIP}
                  aria-label={uiMessages.removeItem({ name: label })}
                  onClick={() => onChange(chosen.filter((one) => one !== value))}
                >
                  <span className="max-w-60 truncate">{label}</span>
                  <Icon name="close" className="text-ink-3" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

const CHIP =
  'inline-flex h-7 max-w-full items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 text-ink hover:bg-wash pointer-coarse:min-h-11';
