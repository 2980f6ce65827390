import { formatTag } from './messages.ts';

/** Returns a moment in the current language, with its time zone: `Aug 10, 2026, 7:00 AM UTC`. */
export const formatMoment = (at: number, timeZone = 'UTC'): string =>
  new Intl.DateTimeFormat(formatTag(), {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(at);
