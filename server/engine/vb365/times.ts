import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';

/** Returns the milliseconds of a time; null if it is none. */
export function parseTime(value: string | null | undefined): Ms | null {
  const time = DateTime.fromISO(value ?? '', { zone: 'utc' });
  return time.isValid ? time.toMillis() : null;
}
