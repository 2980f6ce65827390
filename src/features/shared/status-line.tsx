import type { ReactNode } from 'react';
import { Icon } from '#src/ui/icon.tsx';

/** Status of a factor as icon and word, with an explanation. */
export function FactorStateLine({
  on,
  label,
  children,
}: {
  readonly on: boolean;
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <p className="m-0 flex items-start gap-2">
      <Icon
        name={on ? 'tick' : 'minus'}
        className={`mt-px ${on ? 'text-success' : 'text-ink-3'}`}
      />
      <span className="min-w-0">
        <b className={on ? 'text-success' : ''}>{label}.</b>{' '}
        <span className="text-ink-2">{children}</span>
      </span>
    </p>
  );
}
