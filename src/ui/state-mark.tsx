import type { RunState } from '#contract/runs/query.ts';
import { Icon } from './icon.tsx';
import { STATES } from './states.ts';

export interface StateMarkProps {
  readonly state: RunState;
  /** Recedes to grey: the row is dealt with. */
  readonly done?: boolean;
  /** Icon alone, its word for screen readers: where the word stands elsewhere in the row. */
  readonly bare?: boolean;
  readonly className?: string;
}

/** State is always icon + word + colour, never colour alone. */
export function StateMark({ state, done = false, bare = false, className = '' }: StateMarkProps) {
  const { word, icon, text } = STATES[state];
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${done ? 'text-ink-3' : text} ${className}`}
    >
      {bare ? (
        <Icon name={icon} label={word} />
      ) : (
        <>
          <Icon name={icon} />
          {word}
        </>
      )}
    </span>
  );
}
