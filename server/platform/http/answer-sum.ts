import { crc32 } from 'node:zlib';
import { CHECK_HEADERS } from '#contract/sync/calls.ts';
import { JSON_TYPE } from './envelope.ts';

const MARK = /^[\w-]{1,64}$/;

/**
 * Adds the checksum of an answer to `headers` if the device asked for it with a mark (SYNC-24).
 * `bytes`: the body before it is compressed.
 */
export function addSum(
  request: Request,
  status: number,
  bytes: Uint8Array,
  headers: Headers,
): void {
  const mark = request.headers.get(CHECK_HEADERS.mark);
  if (mark === null || !MARK.test(mark)) return;
  headers.set(CHECK_HEADERS.sum, toHex(crc32(bytes, crc32(`${mark} ${status}\n`))));
}

/**
 * Adds the checksum to an answer that has none yet, such as a refusal. Streams have none, so that nobody
 * has to collect them in memory; the stream of news has one per message.
 */
export async function withSum(request: Request, response: Response): Promise<Response> {
  const { status, headers } = response;
  const isStream = response.body !== null && headers.get('content-type') !== JSON_TYPE;
  if (headers.has(CHECK_HEADERS.sum) || !request.headers.has(CHECK_HEADERS.mark) || isStream)
    return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const summed = new Headers(headers);
  addSum(request, status, bytes, summed);
  return new Response(response.body === null ? null : bytes, { status, headers: summed });
}

/** Returns a message of a stream, after a line with the checksum of its data. */
export const toMessage = (data: string): string => `sum: ${toHex(crc32(data))}\ndata: ${data}\n\n`;

const toHex = (sum: number): string => sum.toString(16).padStart(8, '0');
