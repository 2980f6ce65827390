import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: `dbu_`, 32 bytes by chance as 43 signs of base 62, and the CRC-32 of all that as 6
 * more. One word for a double click, found by whoever looks for secrets by `dbu_[0-9A-Za-z]{49}`,
 * and known from a lookalike by its sum. An ingest key begins with `dbk_`.
 */
const FORM = /^dbu_[0-9A-Za-z]{49}$/;
const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function secretOf(bytes: Uint8Array): string {
  const secret = `dbu_${base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), 43)}`;
  return secret + sumOf(secret);
}

/**
 * Whether it may be a key of ours at all. Its sum is no secret: it opens nothing and spares a look
 * into the database.
 */
export const isSecret = (text: string): boolean =>
  FORM.test(text) && sumOf(text.slice(0, -6)) === text.slice(-6);

/**
 * All that is kept of a secret, and what it is looked up by: how much of it is right cannot be told
 * from the time that takes.
 */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
/** Of the signs by chance, not of the sum. */
export const hintOf = (secret: string): string => secret.slice(-10, -6);

const sumOf = (text: string): string => base62(BigInt(crc32(text)), 6);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (; rest > 0n; rest /= 62n) text = (SIGNS[Number(rest % 62n)] ?? '') + text;
  return text.padStart(length, '0');
}
