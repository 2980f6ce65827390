import { LIMITS } from '#contract/limits.ts';
import { takeBytes } from '../../platform/http/body-budget.ts';

/** A client must not fail because its log is long: what is past this is not read to the end. */
const MOST = 32 * LIMITS.ingestBodyBytes;

/**
 * The text of a ping: its head and its tail, however long it is. Holds two pieces of
 * `LIMITS.logBytes`; null where there is no room for them now,
 * undefined where the connection ended before the body did.
 */
export async function readPingBody(request: Request): Promise<string | null | undefined> {
  if (!request.body) return '';
  if (!takeBytes(request, 2 * LIMITS.logBytes)) return null;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  // Pieces are as small as a client likes: each is copied once.
  const head = Buffer.alloc(LIMITS.logBytes);
  const tail = Buffer.alloc(LIMITS.logBytes);
  let size = 0;
  while (size <= MOST) {
    const next = await reader.read().catch(() => null);
    if (next === null) return undefined;
    const { done, value } = next;
    if (done) break;
    if (size < head.length) head.set(value.subarray(0, head.length - size), size);
    // What is beyond the head goes round and round: the last of it stands.
    const rest = value.subarray(Math.max(0, Math.min(value.length, head.length - size)));
    const last = rest.subarray(-tail.length);
    const at = (Math.max(0, size - head.length) + rest.length - last.length) % tail.length;
    tail.set(last.subarray(0, tail.length - at), at);
    tail.set(last.subarray(tail.length - at), 0);
    size += value.byteLength;
  }
  if (size > MOST) void reader.cancel().catch(() => undefined);
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
