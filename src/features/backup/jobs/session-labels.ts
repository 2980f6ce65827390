import type { OutputOf } from '#contract/calls.ts';
import type { StateLabel } from '../state-label.ts';
import { stateLabel } from './labels.ts';
import { backupJobMessages as t } from './messages.en.ts';

type Session = NonNullable<OutputOf<'getLatestSession'>['session']>;

/** Returns what a session is doing, or how it ended. */
export function sessionStateLabel(state: Session['state'], status: Session['status']): StateLabel {
  if (state === 'done') return stateLabel(RESULTS[status]);
  const word = state === 'queued' ? t.queued : state === 'stopping' ? t.stoppingNow : t.running;
  return { ...stateLabel('running'), label: word };
}

const RESULTS = {
  Running: 'running',
  Success: 'success',
  Warning: 'warning',
  Failed: 'failed',
  Error: 'cancelled',
} as const;

/** Returns who or what started a session. */
export const reasonLabel = (reason: Session['reason']): string =>
  ({
    manual: t.startedManually,
    schedule: t.startedOnSchedule,
    retry: t.startedAsRetry,
    chained: t.startedAfterJob,
  })[reason];

/** Returns the state of a mailbox or drive in a session. */
export function objectStateLabel(state: string): StateLabel {
  switch (state) {
    case 'success':
    case 'warning':
    case 'failed':
    case 'running':
    case 'cancelled':
      return stateLabel(state);
    case 'waiting':
      return { label: t.waiting, icon: 'scheduled', text: 'text-ink-2' };
    default:
      return { label: t.pending, icon: 'missed', text: 'text-ink-3' };
  }
}

export const objectKindLabel = (kind: string): string =>
  new Map([
    ['mailbox', t.mailbox],
    ['archive', t.archive],
    ['drive', t.drive],
    ['site', t.site],
    ['team', t.team],
  ]).get(kind) ?? kind;
