import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: `dbu_`, 32 random bytes as 43 base-62 characters, and the CRC-32 of all that as 6
 * more. A double click selects it, secret scanners find it by `dbu_[0-9A-Za-z]{49}`, and the
 * checksum tells it from a lookalike. An ingest key begins with `dbk_`.
 */
const FORM = /^dbu_[0-9A-Za-z]{49}$/;
const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function formatApiKey(bytes: Uint8Array): string {
  const secret = `dbu_${base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), 43)}`;
  return secret + getChecksum(secret);
}

/**
 * Returns whether the text has the form and checksum of an API key. The checksum is no secret: it
 * only saves a database lookup.
 */
export const isSecret = (text: string): boolean =>
  FORM.test(text) && getChecksum(text.slice(0, -6)) === text.slice(-6);

/**
 * Returns the hash under which a secret is stored and looked up. A lookup by hash takes the same
 * time however much of a guess is right.
 */
export const hashApiKey = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
/** Returns the last random characters, without the checksum. */
export const getApiKeyHint = (secret: string): string => secret.slice(-10, -6);

const getChecksum = (text: string): string => base62(BigInt(crc32(text)), 6);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (; rest > 0n; rest /= 62n) text = (SIGNS[Number(rest % 62n)] ?? '') + text;
  return text.padStart(length, '0');
}
