/** `/ping/{key}[/{slug}][/start|/fail|/log|/{exit}]`: the parsed path and its query. */
export interface PingAddress {
  readonly secret: string;
  /** Null: the key's own job. */
  readonly slug: string | null;
  readonly action: 'success' | 'start' | 'fail' | 'log' | { readonly exit: number };
  readonly query: URLSearchParams;
}

/**
 * Returns null if the path is not a ping address. Some clients append `/start` and the like after
 * the query, which is accepted.
 */
export function readPingAddress(url: URL): PingAddress | null {
  let search = url.search;
  let path = url.pathname;
  const behind = /^(\?.*)(\/(?:start|fail|log|\d{1,3}))$/.exec(search);
  if (behind) [search, path] = [behind[1] ?? '', path.replace(/\/+$/, '') + (behind[2] ?? '')];
  const parts = path.replace(/\/+$/, '').split('/').slice(2).map(decoded);
  const [secret, second, third] = parts;
  if (secret === undefined || secret === '' || parts.length > 3 || parts.includes(null))
    return null;
  const query = new URLSearchParams(search);
  if (second === undefined || second === null)
    return { secret: secret ?? '', slug: null, action: 'success', query };
  if (third === undefined || third === null) {
    const action = getAction(second);
    return action === null
      ? withSlug(secret ?? '', second, 'success', query)
      : { secret: secret ?? '', slug: null, action, query };
  }
  const action = getAction(third);
  return action === null ? null : withSlug(secret ?? '', second, action, query);
}

const withSlug = (
  secret: string,
  slug: string,
  action: PingAddress['action'],
  query: URLSearchParams,
): PingAddress | null =>
  /^[\p{L}\p{N}._ -]{1,100}$/u.test(slug) ? { secret, slug, action, query } : null;

function getAction(part: string): PingAddress['action'] | null {
  if (part === 'start' || part === 'fail' || part === 'log') return part;
  return /^\d{1,3}$/.test(part) && Number(part) <= 255 ? { exit: Number(part) } : null;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
