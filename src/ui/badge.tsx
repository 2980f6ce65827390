import type { ReactNode } from 'react';

export interface BadgeProps {
  /** `quiet`: a neutral fact. The others have the color of a state, always with a word. */
  readonly tone?: 'quiet' | 'warning' | 'failed' | 'running' | 'success';
  readonly title?: string;
  readonly children: ReactNode;
}

/** A short, non-interactive fact beside a name: `known, day 3`, `shared`. */
export function Badge({ tone = 'quiet', title, children }: BadgeProps) {
  return (
    <span
      data-tip={title}
      className={`inline-flex h-[18px] shrink-0 items-center gap-1 rounded-part px-1.5 text-agate whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

const TONES = {
  quiet: 'border border-rule text-ink-2',
  warning: 'bg-warning-wash text-warning',
  failed: 'bg-failed-wash text-failed',
  running: 'bg-running-wash text-running',
  success: 'bg-success-wash text-success',
} as const;
