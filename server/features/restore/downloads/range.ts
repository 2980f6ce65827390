import type { Bytes } from '#contract/ids.ts';

/** Which bytes are sent. `whole`: all of them, with status 200. */
export type RequestedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly from: Bytes; readonly to: Bytes }
  | { readonly kind: 'unsatisfiable' };

const WHOLE: RequestedRange = { kind: 'whole' };

/**
 * Reads `Range` and `If-Range` (RFC 9110, sections 13 and 14). Several ranges, other units and what
 * can't be read are ignored, as the RFC allows. `If-Range` needs the same strong ETag; a date never
 * matches, since downloads have none.
 */
export function readRange(headers: Headers, bytes: Bytes, etag: string): RequestedRange {
  const range = headers.get('range');
  const ifRange = headers.get('if-range');
  if (range === null || (ifRange !== null && ifRange.trim() !== etag)) return WHOLE;
  const found = /^\s*bytes\s*=\s*(\d{0,16})\s*-\s*(\d{0,16})\s*$/i.exec(range);
  if (found === null) return WHOLE;
  const [, first = '', last = ''] = found;
  if (first === '') {
    if (last === '') return WHOLE;
    const count = Math.min(Number(last), bytes);
    return count === 0
      ? { kind: 'unsatisfiable' }
      : { kind: 'part', from: bytes - count, to: bytes };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return WHOLE;
  if (from >= bytes) return { kind: 'unsatisfiable' };
  return { kind: 'part', from, to: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
