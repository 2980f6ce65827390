import type { Notification } from '#contract/notifications/notices.ts';
import type { IconName } from '../../../ui/icon.tsx';

export interface Severity {
  readonly icon: IconName;
  readonly text: string;
  readonly edge: string;
  readonly wash: string;
}

/** Icon and color of each severity. */
export const SEVERITY_ICONS: Readonly<Record<Notification['severity'], Severity>> = {
  info: {
    icon: 'note',
    text: 'text-running',
    edge: 'border-l-running',
    wash: 'bg-running-wash',
  },
  success: {
    icon: 'success',
    text: 'text-success',
    edge: 'border-l-success',
    wash: 'bg-success-wash',
  },
  warning: {
    icon: 'warning',
    text: 'text-warning',
    edge: 'border-l-warning-mark',
    wash: 'bg-warning-wash',
  },
  error: {
    icon: 'failed',
    text: 'text-failed',
    edge: 'border-l-failed',
    wash: 'bg-failed-wash',
  },
};
