import type { Ms } from '#contract/ids.ts';

/** The prefix makes browsers insist on Secure, on the path `/` and on this very host. */
export const COOKIE = '__Host-daybook-refresh';
const FIXED = 'Path=/; HttpOnly; Secure; SameSite=Strict';

export const refreshCookie = (token: string, until: Ms, now: Ms): string => `${COOKIE}=${token}; Max-Age=${Math.max(0, Math.ceil((until - now) / 1000))}; ${FIXED}`;
export const noCookie = `${COOKIE}=; Max-Age=0; ${FIXED}`;

export function cookieOf(headers: Headers): string | null {
  const parts = (headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const own = parts.filter((part) => part.startsWith(`${COOKIE}=`));
  return own.length === 1 ? (own[0]?.slice(COOKIE.length + 1) ?? null) : null;
}
