import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

export type CalloutTone = 'failed' | 'warning' | 'success' | 'running';

export interface CalloutProps {
  readonly tone: CalloutTone;
  /** Announced to screen readers as soon as it appears. */
  readonly alert?: boolean;
  /** A button or link at the right. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A prominent message in the page. */
export function Callout({ tone, alert = false, action, children }: CalloutProps) {
  const { icon, edge, text } = TONES[tone];
  return (
    <div
      {...(alert && { role: 'alert' })}
      className={`flex min-h-11 items-center gap-2.5 rounded-part border border-l-[3px] border-rule bg-sheet px-3 py-2 ${edge}`}
    >
      <Icon name={icon} className={text} />
      <div className="min-w-0 grow break-words">{children}</div>
      {action}
    </div>
  );
}

const TONES: Readonly<
  Record<CalloutTone, { readonly icon: IconName; readonly edge: string; readonly text: string }>
> = {
  failed: { icon: 'failed', edge: 'border-l-failed', text: 'text-failed' },
  warning: { icon: 'warning', edge: 'border-l-warning-mark', text: 'text-warning' },
  success: { icon: 'success', edge: 'border-l-success', text: 'text-success' },
  running: { icon: 'running', edge: 'border-l-running', text: 'text-running' },
};
