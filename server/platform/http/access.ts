/**
 * Returns the path of a request for the log: without query, ingest keys in the path, names of
 * downloads, or anything
 * that looks like a secret.
 */
export function loggedPath(path: string): string {
  return path
    .slice(0, 300)
    .replace(/^(\/+ping)\/[^/]*/i, '$1/***')
    .replace(/^(\/+download)\/.*/i, '$1/***')
    .replace(/[\w%~-]{24,}/g, '***');
}
