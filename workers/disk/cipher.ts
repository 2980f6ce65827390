import { DiskError } from './disk-errors.ts';

/**
 * AES-GCM with a random 96-bit IV per record. The additional data is the record's place,
 * `store|database|id|schema`, so that a ciphertext that was moved to another record, store or
 * database can't be opened. It doesn't detect an older ciphertext of the same record put back in
 * its place.
 */
export interface Cipher {
  seal(store: string, id: string, bytes: Uint8Array<ArrayBuffer>): Promise<Sealed>;
  /**
   * Returns a new buffer that the caller owns. Rejects with `DiskError` corrupt if it isn't what
   * was sealed at this place.
   */
  open(store: string, id: string, sealed: Sealed | undefined): Promise<ArrayBuffer>;
  /** Returns a key that hides the text: the same text gives the same key. */
  blind(text: string): Promise<string>;
}
export interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

/**
 * Of the sealed data. Increase it when the plaintext format changes: older records become
 * unreadable and are reloaded.
 */
const SCHEMA = 2;

export function makeCipher(key: CryptoKey, database: string): Cipher {
  const place = (store: string, id: string): Uint8Array<ArrayBuffer> =>
    encoder.encode(`${store}|${database}|${id}|${SCHEMA}`);
  return {
    seal: async (store, id, bytes) => {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      return {
        iv,
        data: await crypto.subtle.encrypt(
          { name: 'AES-GCM', iv, additionalData: place(store, id) },
          key,
          bytes,
        ),
      };
    },
    open: async (store, id, sealed) => {
      try {
        if (!sealed) throw new RangeError('no record');
        return await crypto.subtle.decrypt(
          { name: 'AES-GCM', iv: sealed.iv, additionalData: place(store, id) },
          key,
          sealed.data,
        );
      } catch {
        throw new DiskError('corrupt', `${store} ${id} cannot be read.`);
      }
    },
    blind: async (text) =>
      [
        ...new Uint8Array(
          await crypto.subtle.digest('SHA-256', encoder.encode(`${database}|${text}`)),
        ),
      ]
        .map((one) => one.toString(16).padStart(2, '0'))
        .join(''),
  };
}

/** For memory, which stores nothing at rest. */
export const plainCipher: Cipher = {
  seal: (_store, _id, bytes) =>
    Promise.resolve({ iv: new Uint8Array(0), data: bytes.slice().buffer }),
  open: (store, id, sealed) =>
    sealed
      ? Promise.resolve(sealed.data.slice(0))
      : Promise.reject(new DiskError('corrupt', `${store} ${id} is missing.`)),
  blind: (text) => Promise.resolve(text),
};

export const sealJson = (
  cipher: Cipher,
  store: string,
  id: string,
  value: unknown,
): Promise<Sealed> => cipher.seal(store, id, encoder.encode(JSON.stringify(value)));

export async function openJson<T>(
  cipher: Cipher,
  store: string,
  id: string,
  sealed: Sealed | undefined,
): Promise<T> {
  const bytes = await cipher.open(store, id, sealed);
  // authentic: only a holder of the key could have written it
  return JSON.parse(decoder.decode(bytes)) as T;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
