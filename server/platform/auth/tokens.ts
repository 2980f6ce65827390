import { createHash, createHmac } from 'node:crypto';
import type { Chance } from '../app-context.ts';

/**
 * A token is `base64url(session id, 16 bytes · secret, 32 bytes)`. The secrets of a session form a
 * chain under the server's key:
 *
 *   refresh 0 (random) ──▶ refresh 1 ──▶ refresh 2 …      each derived from the one before
 *        └▶ access 0             └▶ access 1    └▶ access 2
 *
 * So two concurrent refreshes get the same pair, although only hashes are stored.
 */
export interface AuthToken {
  readonly session: string;
  readonly secret: Buffer;
}
/** A pair that is issued together. */
export interface Pair {
  readonly refresh: string;
  readonly access: string;
  readonly refreshHash: string;
  readonly accessHash: string;
}

export const firstPair = (session: string, key: Buffer, chance: Chance): Pair =>
  getPair(makeToken(session, chance).token, key);

/** Returns a random token and its encoded form. */
export function makeToken(
  session: string,
  chance: Chance,
): { readonly token: AuthToken; readonly text: string } {
  const token = { session, secret: Buffer.from(chance.bytes(32)) };
  return { token, text: getText(token) };
}

/** Returns the pair that follows this refresh token. */
export const nextPair = ({ session, secret }: AuthToken, key: Buffer): Pair =>
  getPair({ session, secret: derive(key, 'refresh', secret) }, key);

export function readToken(text: string): AuthToken | null {
  if (!/^[\w-]{64}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  const hex = bytes.subarray(0, 16).toString('hex');
  return {
    session: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    secret: bytes.subarray(16),
  };
}

/** Returns the hash of a token. Only this is stored (AUTH-2). */
export const hashToken = ({ secret }: AuthToken): string =>
  createHash('sha256').update(secret).digest('hex');

function getPair(refresh: AuthToken, key: Buffer): Pair {
  const access: AuthToken = {
    session: refresh.session,
    secret: derive(key, 'access', refresh.secret),
  };
  return {
    refresh: getText(refresh),
    access: getText(access),
    refreshHash: hashToken(refresh),
    accessHash: hashToken(access),
  };
}

const derive = (key: Buffer, use: 'access' | 'refresh', secret: Buffer): Buffer =>
  createHmac('sha256', key).update(use).update(secret).digest();
const getText = ({ session, secret }: AuthToken): string =>
  Buffer.concat([Buffer.from(session.replaceAll('-', ''), 'hex'), secret]).toString('base64url');
