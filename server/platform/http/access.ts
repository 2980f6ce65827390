/**
 * The address of a request as the log may keep it: no query, no key of an ingest address, nothing
 * that looks like a secret.
 */
export function loggedPath(path: string): string {
  return path
    .slice(0, 300)
    .replace(/^(\/+ping)\/[^/]*/i, '$1/***')
    .replace(/[\w%~-]{24,}/g, '***');
}
