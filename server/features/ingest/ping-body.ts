import { LIMITS } from '#contract/limits.ts';
import { takeBytes } from '../../platform/http/body-budget.ts';

/** A long log must not make a client fail, so anything past this limit is not read. */
const MAX_READ_BYTES = 32 * LIMITS.ingestBodyBytes;

/**
 * Returns the text of a ping: its head and tail, whatever its length. It buffers two pieces of
 * `LIMITS.logBytes`. Returns null if there is no memory for them now, and undefined if the
 * connection ended before the body.
 */
export async function readPingBody(request: Request): Promise<string | null | undefined> {
  if (!request.body) return '';
  if (!takeBytes(request, 2 * LIMITS.logBytes)) return null;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  // A client can send chunks of any size, so each is copied only once.
  const head = Buffer.alloc(LIMITS.logBytes);
  const tail = Buffer.alloc(LIMITS.logBytes);
  let size = 0;
  while (size <= MAX_READ_BYTES) {
    const next = await reader.read().catch(() => null);
    if (next === null) return undefined;
    const { done, value } = next;
    if (done) break;
    if (size < head.length) head.set(value.subarray(0, head.length - size), size);
    // After the head, the tail is a ring buffer that keeps the last bytes.
    const rest = value.subarray(Math.max(0, Math.min(value.length, head.length - size)));
    const last = rest.subarray(-tail.length);
    const at = (Math.max(0, size - head.length) + rest.length - last.length) % tail.length;
    tail.set(last.subarray(0, tail.length - at), at);
    tail.set(last.subarray(tail.length - at), 0);
    size += value.byteLength;
  }
  if (size > MAX_READ_BYTES) void reader.cancel().catch(() => undefined);
  const text = new TextDecoder();
  const beyond = size - head.length;
  if (beyond <= 0) return text.decode(head.subarray(0, size));
  const turn = beyond % tail.length;
  const end =
    beyond <= tail.length
      ? tail.subarray(0, beyond)
      : Buffer.concat([tail.subarray(turn), tail.subarray(0, turn)]);
  return `${text.decode(head)}${beyond > tail.length ? '\n…\n' : ''}${text.decode(end)}`;
}
