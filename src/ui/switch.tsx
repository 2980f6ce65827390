export interface SwitchProps {
  readonly label: string;
  /** A second line with an explanation. */
  readonly detail?: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly disabled?: boolean;
}

/**
 * A switch that applies at once. Its knob is filled when on, so that color is not the only
 * difference.
 */
export function Switch({ label, detail, on, onChange, disabled = false }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      disabled={disabled}
      onClick={() => onChange(!on)}
      className="group flex min-h-9 w-full items-center gap-3 rounded-part text-left disabled:cursor-not-allowed disabled:text-ink-3 pointer-coarse:min-h-11"
    >
      <span
        aria-hidden
        className="relative h-[18px] w-8 shrink-0 rounded-pill border border-control bg-sheet transition-colors duration-150 group-aria-checked:border-accent group-aria-checked:bg-accent group-disabled:border-rule"
      >
        <span className="absolute top-[3px] left-[3px] size-2.5 rounded-full border-[1.5px] border-control transition-transform duration-150 group-aria-checked:translate-x-3.5 group-aria-checked:border-on-accent group-aria-checked:bg-on-accent" />
      </span>
      <span className="min-w-0">
        <span className="block">{label}</span>
        {detail !== undefined && <span className="block text-agate text-ink-3">{detail}</span>}
      </span>
    </button>
  );
}
