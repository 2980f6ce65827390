import { CHECK_HEADERS } from '#contract/sync/calls.ts';
import type { WorkerContext } from '#workers/context.ts';
import { crc32 } from './crc32.ts';

/**
 * Returns `fetch` with a check of each answer against its checksum (SYNC-24). The sum includes a
 * mark that only this request has, so an answer to another request fails, too. It rejects like a
 * broken connection does: the outcome is unknown. Answers without a sum come from older servers and
 * from proxies; streams are checked message by message.
 */
export function makeCheckedFetch({
  fetch,
  chance,
}: Pick<WorkerContext, 'fetch' | 'chance'>): typeof fetch {
  return async (input, init) => {
    const mark = chance.mark();
    const request = input instanceof Request ? input : null;
    const headers = request?.headers ?? new Headers(init?.headers);
    headers.set(CHECK_HEADERS.mark, mark);
    const response = await (request ? fetch(request, init) : fetch(input, { ...init, headers }));
    const sum = response.headers.get(CHECK_HEADERS.sum);
    if (sum === null) return response;
    const { status, statusText } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const found = crc32(bytes, crc32(new TextEncoder().encode(`${mark} ${status}\n`)));
    if (toHex(found) !== sum) throw new TypeError('The answer was damaged, or is another one.');
    return new Response(bytes.length === 0 ? null : bytes, {
      status,
      statusText,
      headers: response.headers,
    });
  };
}

/** Returns the checksum of a stream's message, as its line before has it. */
export const sumMessage = (data: string): string => toHex(crc32(new TextEncoder().encode(data)));

const toHex = (sum: number): string => sum.toString(16).padStart(8, '0');
