import type { RunState } from '#contract/runs/query.ts';
import { Icon } from './icon.tsx';
import { STATES } from './states.ts';

export interface StateMarkProps {
  readonly state: RunState;
  /** Muted: the row is cleared. */
  readonly done?: boolean;
  /** Only the icon, with its word for screen readers, if the word is shown elsewhere in the row. */
  readonly bare?: boolean;
  readonly className?: string;
}

/** A state is always icon, word and color, never color alone. */
export function StateMark({ state, done = false, bare = false, className = '' }: StateMarkProps) {
  const { label, icon, text } = STATES[state];
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${done ? 'text-ink-3' : text} ${className}`}
    >
      {bare ? (
        <Icon name={icon} label={label} />
      ) : (
        <>
          <Icon name={icon} />
          {label}
        </>
      )}
    </span>
  );
}
