import { createHash } from 'node:crypto';

const BITS = 160;
const SHIFT = 11;

/**
 * OneDrive's QuickXorHash: each byte is turned 11 bits further in a circle of 160 bits than the one
 * before it, and the length is mixed into the end. After 160 bytes they fall onto the same places.
 * Source: learn.microsoft.com/onedrive/developer/code-snippets/quickxorhash
 */
export class QuickXorHash {
  readonly #places = new Uint8Array(BITS);
  #length = 0;

  update(bytes: Uint8Array): void {
    const places = this.#places;
    let place = this.#length % BITS;
    for (const byte of bytes) {
      places[place] = (places[place] ?? 0) ^ byte;
      place = place === BITS - 1 ? 0 : place + 1;
    }
    this.#length += bytes.byteLength;
  }

  digest(): Buffer {
    const circle = Buffer.alloc(BITS / 8);
    const add = (at: number, value: number): void => {
      circle[at] = (circle[at] ?? 0) ^ value;
    };
    for (const [place, byte] of this.#places.entries()) {
      const bit = (place * SHIFT) % BITS;
      const shifted = byte << (bit & 7);
      add(bit >> 3, shifted & 0xff);
      add(((bit >> 3) + 1) % circle.length, shifted >> 8);
    }
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(this.#length));
    for (const [at, byte] of length.entries()) add(circle.length - length.length + at, byte);
    return circle;
  }
}

/** A hash that is computed while content is read. */
export interface ContentCheck {
  update(bytes: Uint8Array): void;
  /** Whether the content has the hash that was stated for it. */
  isRight(): boolean;
}

/**
 * Checks content against a hash of the cloud: `quickXor:` in base64 or, of personal drives, in hex;
 * `sha1:` and `sha256:` in hex. Returns null for any other.
 */
export function checkContent(hash: string | null): ContentCheck | null {
  const [, kind, stated = ''] = /^(quickXor|sha1|sha256):(.+)$/.exec(hash ?? '') ?? [];
  if (kind === undefined) return null;
  const hasher = kind === 'quickXor' ? new QuickXorHash() : createHash(kind);
  const isHex = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(stated);
  return {
    update: (bytes) => void hasher.update(bytes),
    isRight: () => hasher.digest().equals(Buffer.from(stated, isHex ? 'hex' : 'base64')),
  };
}
