import { IconButton } from './button.tsx';
import { uiMessages as t } from './messages.en.ts';

export interface ChosenProps<T extends string | number> {
  /** The kind of values: `Companies`. */
  readonly label: string;
  readonly items: readonly { readonly key: T; readonly label: string }[];
  readonly none: string;
  readonly disabled?: boolean;
  readonly onRemove: (key: T) => void;
}

/** The selected values, each with a button to remove it. */
export function SelectedValues<T extends string | number>({
  label,
  items,
  none,
  disabled = false,
  onRemove,
}: ChosenProps<T>) {
  if (items.length === 0) return <p className="m-0 text-ink-3">{none}</p>;
  return (
    <ul
      aria-label={label}
      className="m-0 max-h-60 list-none overflow-auto border-t border-hair p-0"
    >
      {items.map(({ key, label }) => (
        <li key={key} className="flex min-h-9 items-center gap-2 border-b border-hair">
          <span className="min-w-0 grow truncate" data-tip={label}>
            {label}
          </span>
          {!disabled && (
            <IconButton
              icon="close"
              label={t.removeItem({ name: label })}
              onClick={() => onRemove(key)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
