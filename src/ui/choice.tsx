export interface ChoiceProps {
  readonly name: string;
  readonly checked: boolean;
  readonly title: string;
  readonly detail?: string;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}

/** A radio button with a title and a detail line. */
export function Choice({ name, checked, title, detail, disabled = false, onChoose }: ChoiceProps) {
  return (
    <label
      className={`flex min-h-11 items-start gap-3 border-b border-hair py-2.5 last:border-0 ${disabled ? 'cursor-not-allowed text-ink-3' : 'cursor-pointer'}`}
    >
      <input
        type="radio"
        name={name}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        className="m-0 mt-px size-4 shrink-0 cursor-[inherit] appearance-none rounded-full border border-control bg-sheet checked:border-5 checked:border-accent"
      />
      <span className="min-w-0">
        <span className="block">{title}</span>
        {detail !== undefined && <span className="block text-agate text-ink-3">{detail}</span>}
      </span>
    </label>
  );
}
