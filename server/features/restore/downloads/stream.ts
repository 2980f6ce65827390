import type { Bytes, Ms } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';

/** What keeps a running download going. */
export interface StreamGuard {
  readonly clock: Clock;
  /** Whether the download is still allowed. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Closes the connection. Returns false if there is none to close. */
  readonly disconnect: () => boolean;
  /** Called once, however it ends. */
  readonly onEnd: (error: unknown) => void;
}

const PIECE_BYTES: Bytes = 65_536;
const CHECK_MS: Ms = 15_000;
/** A receiver that reads nothing for this long counts as disconnected. */
const STALLED_MS: Ms = 5 * 60_000;

/**
 * Returns content as the body of a response. It breaks off when the right to it ends, when the
 * receiver reads nothing, or when the content can't be read: the body is then shorter than its
 * stated length, and never has wrong bytes.
 */
export function guardedStream(
  content: AsyncIterable<Uint8Array>,
  { clock, mayGoOn, disconnect, onEnd }: StreamGuard,
): ReadableStream<Uint8Array> {
  const pieces = inPieces(content);
  let takenAt = clock.now();
  let isOver = false;
  let timer = { cancel: () => {} };

  function finish(error: unknown): void {
    if (isOver) return;
    isOver = true;
    timer.cancel();
    onEnd(error);
    if (error !== null) void leave();
  }
  /** An HTTP server would log the error of a stream, and might send its message. */
  function breakOff(controller: ReadableStreamDefaultController, error: unknown): void {
    finish(error);
    if (!disconnect()) controller.error(error);
  }
  async function leave(): Promise<void> {
    try {
      await pieces.return(undefined);
    } catch {
      // It has ended for another reason.
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const check = async (): Promise<void> => {
          const isTaken = clock.now() - takenAt < STALLED_MS;
          if (isTaken && (await mayGoOn().catch(() => true))) return watch();
          if (isOver) return;
          breakOff(
            controller,
            isTaken ? new Error('The session has ended.') : new Error('Nobody takes the file.'),
          );
        };
        function watch(): void {
          if (!isOver) timer = clock.after(CHECK_MS, () => void check());
        }
        watch();
      },
      async pull(controller) {
        takenAt = clock.now();
        try {
          const next = await pieces.next();
          if (isOver) return;
          if (next.done !== true) return controller.enqueue(next.value);
          finish(null);
          controller.close();
        } catch (error) {
          if (!isOver) breakOff(controller, error);
        }
      },
      cancel: () => finish(CANCELLED),
    },
    { highWaterMark: 1 },
  );
}
const CANCELLED = new Error('The receiver has left.');

/** Joins small pieces: an archive of small files would be sent in thousands of them. */
async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let small: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    small.push(piece);
    size += piece.byteLength;
    if (size < PIECE_BYTES) continue;
    yield joined(small);
    small = [];
    size = 0;
  }
  if (size > 0) yield joined(small);
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
