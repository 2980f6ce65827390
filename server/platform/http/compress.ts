import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** Smaller responses gain nothing. */
const MIN_BYTES = 1_000;
const br = promisify(brotliCompress);
const gz = promisify(gzip);
const zs = promisify(zstdCompress);

export type Coding = 'zstd' | 'br' | 'gzip';

const CODERS: Record<Coding, (bytes: Uint8Array) => Promise<Buffer>> = {
  zstd: (bytes) => zs(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: (bytes) =>
    br(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  gzip: (bytes) => gz(bytes, { level: 6 }),
};

/** Returns the coding that the caller prefers: by `q`, then in the order of `offered`. */
export function chosenCoding(
  accept: string | null,
  offered: readonly Coding[] = ['zstd', 'br', 'gzip'],
): Coding | null {
  const quality = new Map<string, number>();
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', ...params] = part.split(';').map((piece) => piece.trim());
    const q = params.find((param) => param.startsWith('q='));
    if (name !== '') quality.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const of = (coding: Coding): number => quality.get(coding) ?? quality.get('*') ?? 0;
  const best = offered.toSorted((a, b) => of(b) - of(a))[0];
  return best !== undefined && of(best) > 0 ? best : null;
}

/**
 * Compresses a response for the caller and sets `headers`. Small responses, and those with a
 * secret, stay as they are.
 */
export async function compressed(
  bytes: Uint8Array<ArrayBuffer>,
  accept: string | null,
  headers: Headers,
): Promise<Uint8Array<ArrayBuffer>> {
  headers.append('vary', 'accept-encoding');
  const coding =
    bytes.byteLength < MIN_BYTES || headers.has('content-encoding') ? null : chosenCoding(accept);
  if (coding === null) return bytes;
  headers.set('content-encoding', coding);
  return new Uint8Array(await CODERS[coding](bytes));
}

/** For a response that never changes: builds it on first use and compresses it once per coding. */
export function compressedOnce(
  make: () => Uint8Array<ArrayBuffer>,
): (accept: string | null, headers: Headers) => Promise<Uint8Array<ArrayBuffer>> {
  let plain: Uint8Array<ArrayBuffer> | null = null;
  const made = new Map<Coding, Promise<Buffer>>();
  return async (accept, headers) => {
    headers.append('vary', 'accept-encoding');
    const bytes = (plain ??= make());
    const coding = bytes.byteLength < MIN_BYTES ? null : chosenCoding(accept);
    if (coding === null) return bytes;
    headers.set('content-encoding', coding);
    const coded = made.get(coding) ?? CODERS[coding](bytes);
    made.set(coding, coded);
    return new Uint8Array(await coded);
  };
}
