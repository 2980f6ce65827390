export interface CheckProps {
  readonly checked: boolean;
  readonly title: string;
  readonly detail?: string;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A check box with a title and a detail line. */
export function Check({ checked, title, detail, disabled = false, onChange }: CheckProps) {
  return (
    <label
      className={`flex min-h-9 items-start gap-3 border-b border-hair py-2 last:border-0 pointer-coarse:min-h-11 ${disabled ? 'cursor-not-allowed text-ink-3' : 'cursor-pointer'}`}
    >
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="m-0 mt-px size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">
        <span className="block">{title}</span>
        {detail !== undefined && <span className="block text-agate text-ink-3">{detail}</span>}
      </span>
    </label>
  );
}
