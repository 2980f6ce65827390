import type { EngineResult } from '#contract/engine/engine.ts';
import { createCipheriv, createDecipheriv, createSecretKey, timingSafeEqual } from 'node:crypto';
import sodium, { ready } from 'libsodium-wrappers-sumo';
import type { Bytes } from '#contract/ids.ts';
import type { Chance } from '#server/platform/app-context.ts';
import { failed, ok } from '../../result.ts';
import { resticMessages as t } from './messages.en.ts';

// restic's encryption: AES-256 in counter mode, then Poly1305-AES over the ciphertext (restic's
// design document, "Keys, Encryption and MAC"). Sealed bytes are nonce, ciphertext and MAC.

export interface Key {
  /** 32 bytes, for AES-256. */
  readonly encrypt: Uint8Array;
  /** 16 bytes, the AES key that turns a nonce into the second half of a one-time key. */
  readonly macK: Uint8Array;
  /** 16 bytes, Poly1305's r. */
  readonly macR: Uint8Array;
}

export interface Sealer {
  seal(plain: Uint8Array): Uint8Array;
  /** Returns `damaged` if a single bit differs from what was sealed. */
  open(sealed: Uint8Array): EngineResult<Uint8Array>;
}

export const NONCE_BYTES: Bytes = 16;
const MAC_BYTES = 16;
/** How much longer sealed bytes are. */
export const SEAL_BYTES: Bytes = NONCE_BYTES + MAC_BYTES;

export async function makeSealer(key: Key, chance: Pick<Chance, 'bytes'>): Promise<Sealer> {
  await ready;
  const encryptKey = createSecretKey(key.encrypt);
  // Encrypts single blocks, so one is enough for all: it has no state between two of them.
  const block = createCipheriv('aes-128-ecb', key.macK, null).setAutoPadding(false);
  const mac = (nonce: Uint8Array, ciphertext: Uint8Array): Uint8Array =>
    sodium.crypto_onetimeauth(ciphertext, Buffer.concat([key.macR, block.update(nonce)]));
  return {
    seal(plain) {
      const nonce = chance.bytes(NONCE_BYTES);
      const ciphertext = createCipheriv('aes-256-ctr', encryptKey, nonce).update(plain);
      return Buffer.concat([nonce, ciphertext, mac(nonce, ciphertext)]);
    },
    open(sealed) {
      if (sealed.length < SEAL_BYTES) return failed('damaged', t.encryptedCutOff);
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const ciphertext = sealed.subarray(NONCE_BYTES, sealed.length - MAC_BYTES);
      if (!timingSafeEqual(mac(nonce, ciphertext), sealed.subarray(sealed.length - MAC_BYTES)))
        return failed('damaged', t.encryptedChanged);
      return ok(createDecipheriv('aes-256-ctr', encryptKey, nonce).update(ciphertext));
    },
  };
}

/** Key bytes as scrypt derives them, and as restic orders them. */
export const splitSealingKey = (bytes: Uint8Array): Key => ({
  encrypt: bytes.subarray(0, 32),
  macK: bytes.subarray(32, 48),
  macR: maskR(bytes.subarray(48, 64)),
});
export const KEY_BYTES: Bytes = 64;

/** The reverse, in memory of its own: what is next to it goes to no thread. */
export const joinKey = ({ encrypt, macK, macR }: Key): Uint8Array =>
  Uint8Array.from([...encrypt, ...macK, ...macR]);

/** Clears the bits that Poly1305 requires to be clear in r. */
function maskR(r: Uint8Array): Uint8Array {
  const masked = Uint8Array.from(r);
  for (const at of [3, 7, 11, 15]) masked[at] = (masked[at] ?? 0) & 15;
  for (const at of [4, 8, 12]) masked[at] = (masked[at] ?? 0) & 252;
  return masked;
}
