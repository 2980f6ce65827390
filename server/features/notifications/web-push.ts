import { createCipheriv, createECDH, createPrivateKey, hkdfSync, sign } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';

/** The browser's public key and authentication secret, base64url. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}
/** Generated for every message: 16 random bytes and a private key of P-256. */
export interface Once {
  readonly salt: Uint8Array;
  readonly privateKey: Uint8Array;
}

const TOKEN_MS: Ms = 12 * 3_600_000;
const RECORD = 4_096;
/** The capacity of one record without its tag and its delimiter. */
const MAX_BYTES = RECORD - 17;
const derive = (from: Uint8Array, by: Uint8Array, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', from, by, info, bytes));
const label = (text: string): Buffer => Buffer.from(`${text}\0`);

/**
 * RFC 8291: encrypts a message as `aes128gcm` in one record, which only the browser with these keys
 * can decrypt. Throws if the keys are invalid.
 */
export function sealMessage(
  { p256dh, auth }: PushKeys,
  message: string,
  { salt, privateKey }: Once,
): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url');
  const secret = Buffer.from(auth, 'base64url');
  const plain = Buffer.from(message);
  if (secret.length !== 16 || plain.length > MAX_BYTES)
    throw new RangeError('keys or message of a wrong length');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  const ours = ecdh.getPublicKey();
  const key = derive(
    ecdh.computeSecret(theirs),
    secret,
    Buffer.concat([label('WebPush: info'), theirs, ours]),
    32,
  );
  const cipher = createCipheriv(
    'aes-128-gcm',
    derive(key, salt, label('Content-Encoding: aes128gcm'), 16),
    derive(key, salt, label('Content-Encoding: nonce'), 12),
  );
  const size = Buffer.alloc(5);
  size.writeUInt32BE(RECORD);
  size.writeUInt8(ours.length, 4);
  // The byte after the message marks this record as the last one.
  return Buffer.concat([
    salt,
    size,
    ours,
    cipher.update(plain),
    cipher.update(Uint8Array.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * RFC 8292: returns the header that identifies the sender, signed for that push service only.
 * `contact` is a `mailto:` or `https:` address.
 */
export function vapidHeader(key: JsonWebKey, contact: string, endpoint: string, now: Ms): string {
  const claims = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ aud: new URL(endpoint).origin, exp: Math.floor((now + TOKEN_MS) / 1000), sub: contact })}`;
  const signature = sign('sha256', Buffer.from(claims), {
    key: createPrivateKey({ format: 'jwk', key }),
    dsaEncoding: 'ieee-p1363',
  });
  return `vapid t=${claims}.${signature.toString('base64url')}, k=${getPoint(key)}`;
}

/** Returns the public key as browsers expect it: the uncompressed point, base64url. */
export const getPoint = ({ x = '', y = '' }: JsonWebKey): string =>
  Buffer.concat([
    Uint8Array.of(4),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]).toString('base64url');
