import type { CalendarCell } from '../calendar/calendar.ts';
import type { ReviewState } from '../runs/query.ts';

export const REVIEW_WORDS: Readonly<Record<ReviewState, string>> = {
  pending: 'To check',
  snoozed: 'Snoozed',
  cleared: 'Cleared',
  none: '',
};
export const STATE_WORDS: Readonly<Record<Exclude<CalendarCell, null>, string>> = {
  Failed: 'Failed',
  Error: 'Error',
  Missed: 'Did not run',
  Anomaly: 'Anomaly',
  Warning: 'Warning',
  Running: 'Running',
  Success: 'Success',
  off: 'Disabled',
};
