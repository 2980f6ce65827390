'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon.tsx';

export interface NoticeProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  /** Buttons or links for the next step. */
  readonly actions?: ReactNode;
  /** The heading level; 1 if it is the only heading of the page. */
  readonly level?: 1 | 2;
}

/** A centered message: not found, forbidden, empty or failed. */
export function Notice({ icon, title, children, actions, level = 1 }: NoticeProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <div className="mx-auto grid min-h-full max-w-[520px] content-center justify-items-center gap-1 px-5 py-10 text-center">
      <Icon name={icon} size={32} stroke={1.25} className="mb-1.5 text-accent" />
      <Heading className="m-0 text-head">{title}</Heading>
      {children !== undefined && <div className="grid gap-2 text-ink-2">{children}</div>}
      {actions !== undefined && (
        <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>
      )}
    </div>
  );
}
