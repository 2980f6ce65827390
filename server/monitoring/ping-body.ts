import { LIMITS } from '#contract/limits.ts';

/** A client must not fail because its log is long: what is past this is not read to the end. */
const MOST = 32 * LIMITS.ingestBodyBytes;

/** The text of a ping: its head and its tail, however long it is. Holds two pieces of `LIMITS.logBytes` at most. */
export async function readPingBody(request: Request): Promise<string> {
  if (!request.body) return '';
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    const room = LIMITS.logBytes - head.length;
    if (room > 0) head = Buffer.concat([head, value.subarray(0, room)]);
    const rest = room > 0 ? value.subarray(room) : value;
    if (rest.byteLength > 0) tail = Buffer.concat([tail, rest]).subarray(-LIMITS.logBytes);
    if (size > MOST) {
      void reader.cancel().catch(() => undefined);
      break;
    }
  }
  const text = new TextDecoder();
  return tail.length === 0 ? text.decode(head) : `${text.decode(head)}${size > head.length + tail.length ? '\n…\n' : ''}${text.decode(tail)}`;
}
