import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';

/** The name of an archive, as the specification has it. The time is the provider's. */
export const archiveName = (suffix: string, at: Ms, timeZone: string): string =>
  `${DateTime.fromMillis(at, { zone: timeZone }).toFormat('yyyy-LL-dd HH:mm:ss')}${suffix}`;

/**
 * Returns the header that names a download (RFC 6266): a plain form for old programs, and the exact
 * name in UTF-8.
 */
export function contentDisposition(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w !#$&()+,.;=@[\]^`{}~-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExact(name)}`;
}

/** RFC 8187: letters, digits and what `encodeURIComponent` leaves and the RFC allows. */
const encodeExact = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
