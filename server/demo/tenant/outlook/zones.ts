import { DateTime } from 'luxon';
import { findIana } from 'windows-iana';
import { badRequest } from '../graph-error.ts';

/** A date and time with its zone, as Graph has them. */
export interface ZonedTime {
  readonly dateTime: string;
  readonly timeZone: string;
}

/**
 * Returns the zone that a name of Windows or of IANA stands for.
 * @throws GraphError 400
 */
export function readZone(name: string): string {
  const zone = /^utc$/i.test(name) ? 'UTC' : (findIana(name)[0] ?? name);
  if (!DateTime.utc().setZone(zone).isValid)
    throw badRequest(`A valid TimeZone value must be specified. The '${name}' is not supported.`);
  return zone;
}

/** Reads a date and time in its zone. @throws GraphError 400 */
export function readZoned({ dateTime, timeZone }: ZonedTime): DateTime {
  const at = DateTime.fromISO(dateTime.replace(/(\.\d{3})\d+$/, '$1'), {
    zone: readZone(timeZone),
  });
  if (!at.isValid) throw badRequest(`The value '${dateTime}' is not a valid date and time.`);
  return at;
}

/** Graph returns times in UTC unless the client prefers another zone. */
export const toUtc = (time: ZonedTime): ZonedTime => ({
  dateTime: `${readZoned(time).toUTC().toFormat("yyyy-LL-dd'T'HH:mm:ss")}.0000000`,
  timeZone: 'UTC',
});
