import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuthToken } from '../../platform/auth/tokens.ts';

/**
 * Derives the values of one sign-in at another site from its cookie's secret, so that the database
 * stores none of them.
 */
export const deriveValue = ({ secret }: AuthToken, use: 'state' | 'nonce' | 'verifier'): string =>
  createHmac('sha256', secret).update(`oidc ${use}`).digest('base64url');

/** Compares in constant time. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export const redirectTo = (location: string): Response =>
  new Response(null, { status: 302, headers: { location } });
