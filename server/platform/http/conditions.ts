/** What the conditions of a request come to: it goes on, the caller has the content, or they fail. */
export type Conditions = 'met' | 'not-modified' | 'failed';

/**
 * Evaluates the conditions of a GET or HEAD request for content with a strong ETag, in the order of
 * RFC 9110, section 13.2.2. `If-Unmodified-Since` and `If-Modified-Since` are ignored, since the content
 * has no date of modification (sections 13.1.3 and 13.1.4). `If-Range` is evaluated with the range.
 */
export function evaluateConditions(headers: Headers, etag: string): Conditions {
  const match = headers.get('if-match');
  // A weak tag matches no strong one.
  if (match !== null && !isAny(match) && !readTags(match).includes(etag)) return 'failed';
  const noneMatch = headers.get('if-none-match');
  if (noneMatch === null) return 'met';
  const known = readTags(noneMatch).map((tag) => tag.replace(/^W\//, ''));
  return isAny(noneMatch) || known.includes(etag) ? 'not-modified' : 'met';
}

const isAny = (value: string): boolean => value.trim() === '*';

/** An ETag may have commas in its quotes. */
const readTags = (value: string): readonly string[] =>
  value.match(/(?:W\/)?"[!\u0023-\u007e\u0080-\u00ff]*"/g) ?? [];
