import type { ReactNode } from 'react';
import type { Ms } from '#contract/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { formatAge, formatWhen } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { uiMessages } from '#src/ui/messages.en.ts';

export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="border-t border-rule px-5 py-3">
      <h3 className="m-0 pb-1">{title}</h3>
      <ul className="m-0 list-none p-0">{children}</ul>
    </section>
  );
}

interface AgainProps {
  /** Label of the button that discards the change. */
  readonly away: string;
  readonly at: Ms;
  readonly zone: string;
  readonly now: Ms;
  readonly onMend: (how: 'retry' | 'discard') => void;
}

/** Buttons to retry or discard a rejected change, and when it was made. */
export function Again({ away, at, zone, now, onMend }: AgainProps) {
  return (
    <div className="mt-1.5 flex items-center gap-2">
      <Button size="sm" onClick={() => onMend('retry')}>
        {uiMessages.tryAgain}
      </Button>
      <Button size="sm" variant="quiet" onClick={() => onMend('discard')}>
        {away}
      </Button>
      <span className="ml-auto text-agate text-ink-3" data-tip={formatWhen(at, zone)}>
        {formatAge(at, now)}
      </span>
    </div>
  );
}

export function Trouble({ children }: { readonly children: ReactNode }) {
  return (
    <p className="m-0 flex items-start gap-2.5 border-t border-hair bg-warning-wash px-5 py-2">
      <Icon name="warning" className="mt-px text-warning" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}
