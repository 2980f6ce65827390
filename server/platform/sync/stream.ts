import type { Ms, TenantId } from '#contract/ids.ts';
import type { Poke } from '#contract/sync/calls.ts';
import { toMessage } from '#server/platform/http/answer-sum.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import type { HeadPosition } from '#server/platform/db/store.ts';
import { HELD_EPOCH } from './snapshot.ts';
import { epochFor, toScope } from './scope.ts';
import { type LogUpdate, type Tails, TICK_MS } from './tail.ts';

const KEEP_ALIVE_MS: Ms = 15_000;
const ENCODER = new TextEncoder();

/**
 * Returns a stream of pokes. It follows the tail of its provider (SYNC-5, SYNC-20). `firstMark` is the
 * mark of the sources from before the stream opened: another one is signaled to users who may read
 * that (SYNC-14). `withEvents`: the client knows the events by their current names (SYNC-23).
 */
export function pokeStream(
  tails: Tails,
  tenant: TenantId,
  session: Principal,
  {
    firstMark,
    withEvents,
    onClose,
  }: {
    readonly firstMark: string;
    readonly withEvents: boolean;
    readonly onClose: () => void;
  },
): ReadableStream<Uint8Array> {
  const started = getRights(session);
  const reader = getReader(session);
  let sent = -1;
  let marked = firstMark;
  let beat = 0;
  let leave: () => void = nothing;

  return new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true;
      /** Returns whether it was written: nothing is, while too much waits for the client. */
      const write = (bytes: Uint8Array): boolean => {
        const isWritten = isOpen && (controller.desiredSize ?? 0) > -MAX_WAITING;
        if (isWritten) controller.enqueue(bytes);
        return isWritten;
      };
      const poke = (one: Poke): boolean => write(ENCODER.encode(toMessage(JSON.stringify(one))));
      const end = (last: Poke): void => {
        poke(last);
        leave();
        controller.close();
      };
      /** Whether the client reads what was sent: a backlog of events would be useless to it. */
      const isPrompt = (): boolean => (controller.desiredSize ?? 0) > -MAX_BACKLOG;
      function look({ head: at, session: now, mark, pages }: LogUpdate): void {
        if (now === null) return end({ kind: 'out' });
        if (now !== undefined && getRights(now) !== started) return end({ kind: 'scope' });
        const head = reader.see(at);
        if (head.seq !== sent) {
          const isNext =
            withEvents && pages !== null && pages.after === sent && head.epoch !== HELD_EPOCH;
          const bytes = isNext && now !== undefined && isPrompt() ? pages.write(now) : null;
          const isWritten =
            bytes === null
              ? poke({ kind: 'head', head: head.seq, epoch: head.epoch })
              : write(bytes);
          if (isWritten) sent = head.seq;
        }
        if (mark !== null && mark !== marked && reader.readsSources && poke({ kind: 'sources' }))
          marked = mark;
      }
      const unfollow = tails.follow(tenant, {
        sessionId: session.sessionId,
        readsSources: () => reader.readsSources,
        tick() {
          beat += TICK_MS;
          if (beat < KEEP_ALIVE_MS) return;
          beat = 0;
          write(KEEP_ALIVE);
        },
        look,
      });
      leave = () => {
        leave = nothing;
        isOpen = false;
        unfollow();
        onClose();
      };
    },
    cancel() {
      leave();
    },
  });
}

const nothing = (): void => {};
/** Messages that a client has not read. */
const MAX_BACKLOG = 8;
const MAX_WAITING = 64;
const KEEP_ALIVE = ENCODER.encode(': still here\n\n');

/** What a session sees of the log's end. Its rights don't change: the stream ends when they do. */
function getReader(session: Principal): {
  readonly readsSources: boolean;
  see(head: HeadPosition): HeadPosition;
} {
  if (session.mustReset) return { readsSources: false, see: () => ({ seq: 0, epoch: HELD_EPOCH }) };
  const scope = toScope(session);
  let known: { readonly of: string; readonly epoch: string } | null = null;
  return {
    readsSources: scope.reads.has('sourceHealth'),
    see({ seq, epoch }) {
      if (known?.of !== epoch) known = { of: epoch, epoch: epochFor(epoch, scope) };
      return { seq, epoch: known.epoch };
    },
  };
}

const getRights = ({ roles, companies, mustReset }: Principal): string =>
  JSON.stringify([
    mustReset,
    [...roles].sort(),
    companies === null ? null : [...companies].sort((a, b) => a - b),
  ]);
