import type { Notification } from '#contract/notifications/notices.ts';
import type { IconName } from '../../../ui/icon.tsx';

export interface Severity {
  readonly word: string;
  readonly icon: IconName;
  readonly text: string;
  readonly edge: string;
  readonly wash: string;
}

/** Icon, word and color of each severity. */
export const SEVERITIES: Readonly<Record<Notification['severity'], Severity>> = {
  info: {
    word: 'Notice',
    icon: 'note',
    text: 'text-running',
    edge: 'border-l-running',
    wash: 'bg-running-wash',
  },
  success: {
    word: 'Good news',
    icon: 'success',
    text: 'text-success',
    edge: 'border-l-success',
    wash: 'bg-success-wash',
  },
  warning: {
    word: 'Warning',
    icon: 'warning',
    text: 'text-warning',
    edge: 'border-l-warning-mark',
    wash: 'bg-warning-wash',
  },
  error: {
    word: 'Error',
    icon: 'failed',
    text: 'text-failed',
    edge: 'border-l-failed',
    wash: 'bg-failed-wash',
  },
};
