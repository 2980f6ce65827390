import * as v from 'valibot';
import type { SyncEvent } from '#machines/sync-events.ts';
import { getWait } from '#machines/sync-events.ts';
import type { WorkerClock } from '#workers/context.ts';
import { sumMessage } from './checked-fetch.ts';
import { PushedPageSchema, unpackPage } from './pushed-pages.ts';
import type { PushedPages } from './pushed-pages.ts';
import type { Wire } from './wire.ts';

const PokeSchema = v.variant('kind', [
  v.object({
    kind: v.literal('head'),
    head: v.number(),
    epoch: v.string(),
    page: v.optional(v.unknown()),
    packed: v.optional(v.string()),
  }),
  v.object({ kind: v.literal('sources') }),
  v.object({ kind: v.literal('scope') }),
  v.object({ kind: v.literal('out') }),
]);

/** A longer line is not a poke. */
const MAX_CHARS = 200_000;
/** After this time without data, a stream counts as dead: the server sends a comment every 25 s. */
const DEAD_MS = 70_000;

/**
 * Reads the stream of pokes until it ends or `signal` aborts (SYNC-5). The events that a poke carries are
 * added to `pushed` before it is reported (SYNC-23). An unknown poke counts as a nudge.
 */
export async function readPokes(
  wire: Wire,
  clock: WorkerClock,
  epoch: () => string,
  signal: AbortSignal,
  pushed: PushedPages,
  report: (event: SyncEvent) => void,
): Promise<void> {
  const emit = (event: SyncEvent): void => {
    // Whatever else it is, the next pull must ask the server.
    if (event.type !== 'POKE') pushed.clear();
    report(event);
  };
  const body = await wire.stream(signal);
  if (signal.aborted) return;
  if (!body.ok) {
    emit({ type: 'STREAM_CLOSED', retryAfterMs: getWait(body.failure) });
    return;
  }
  emit({ type: 'STREAM_OPEN' });
  const reader = body.value.getReader();
  const quit = (): void => {
    reader.cancel().catch(() => {});
  };
  signal.addEventListener('abort', quit, { once: true });
  let off = clock.after(DEAD_MS, quit);
  const decoder = new TextDecoder();
  let rest = '';
  const readLine = makeLineReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      off();
      off = clock.after(DEAD_MS, quit);
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\r|\n/);
      rest = (lines.pop() ?? '').slice(0, MAX_CHARS);
      for (const line of lines) {
        const data = readLine(line);
        if (data === 'damaged') emit({ type: 'NUDGE' });
        else if (data !== null) emit(await getEvent(data.text, epoch(), pushed));
      }
    }
  } catch {
    // aborted: the same as the end
  } finally {
    off();
    signal.removeEventListener('abort', quit);
  }
  if (!signal.aborted) emit({ type: 'STREAM_CLOSED', retryAfterMs: 0 });
}

/**
 * Returns a reader of a stream's lines in their order. It returns the data of a message, null for a line that
 * means nothing, or `damaged` if a message was (SYNC-24). Streams of older servers have no checksums.
 */
function makeLineReader(): (line: string) => { readonly text: string } | 'damaged' | null {
  let isChecked = false;
  let sum: string | null = null;
  return (line) => {
    if (line.startsWith(':')) return null;
    if (line === '') {
      const isCut = sum !== null;
      sum = null;
      return isCut ? 'damaged' : null;
    }
    if (line.startsWith('sum:')) {
      isChecked = true;
      sum = line.slice(4).trim();
      return null;
    }
    if (!line.startsWith('data:')) return 'damaged';
    const text = line.slice(5).trim();
    const isWhole = !isChecked || sumMessage(text) === sum;
    sum = null;
    return isWhole ? { text } : 'damaged';
  };
}

async function getEvent(data: string, epoch: string, pushed: PushedPages): Promise<SyncEvent> {
  const poke = v.safeParse(PokeSchema, parsed(data));
  if (!poke.success) return { type: 'NUDGE' };
  switch (poke.output.kind) {
    case 'head': {
      const { head, epoch: of, page, packed } = poke.output;
      if (of !== epoch) return { type: 'NUDGE' };
      const read = v.safeParse(
        PushedPageSchema,
        packed === undefined ? page : await unpackPage(packed),
      );
      // Without one, earlier pages end before what this poke is about.
      if (read.success) pushed.add(of, read.output);
      else pushed.clear();
      return { type: 'POKE', head };
    }
    case 'sources':
      return { type: 'NUDGE' };
    case 'scope':
      return { type: 'SCOPE' };
    case 'out':
      return { type: 'NUDGE' }; // the next pull gets it from the server
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
