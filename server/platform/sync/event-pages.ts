import { constants, deflateRawSync } from 'node:zlib';
import type { Logged } from '#contract/events.ts';
import type { CauseRow } from '#contract/runs/rows.ts';
import type { Poke, PushedPage } from '#contract/sync/calls.ts';
import { PUSHED_PAGE } from '#contract/sync/calls.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toMessage } from '#server/platform/http/answer-sum.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { epochFor, toScope } from './scope.ts';
import type { SyncScope } from './scope.ts';
import { visibleEvent } from './visible.ts';

/** What was appended to a log since the last look. */
export interface NewEvents {
  /** The end of the log at the last look. */
  readonly after: number;
  readonly head: number;
  readonly epoch: string;
  readonly events: readonly Logged[];
  readonly causes: readonly CauseRow[];
}

/** Reads what is new; null if it is too much to send. Devices then request it. */
export async function readNewEvents(
  tx: TenantTx,
  after: number,
  { seq: head, epoch }: { readonly seq: number; readonly epoch: string },
): Promise<NewEvents | null> {
  if (head <= after || head - after > PUSHED_PAGE.events) return null;
  const events = await tx.eventsAfter(after, head - after);
  if (events.at(-1)?.seq !== head) return null;
  const causes = await causesIn(tx, events);
  return { after, head, epoch, events, causes };
}

/** Returns the causes of new problems. */
export const causesIn = async (tx: TenantTx, events: readonly Logged[]): Promise<CauseRow[]> => {
  const ids = getCauses(events);
  return ids.size === 0 ? [] : [...(await tx.rows('cause', [...ids])).values()];
};

const getCauses = (events: readonly Logged[]): ReadonlySet<number> =>
  new Set(
    events.flatMap(({ event }) => (event.type === 'problem.opened@1' ? [event.data.cause] : [])),
  );

/** Pokes with new events, each built once for all sessions that get the same. */
export interface PagePokes {
  /** The log position of a device that can use them. */
  readonly after: number;
  /** Returns the bytes for a session; null if they are too long to send. */
  write(session: Principal): Uint8Array | null;
}

/**
 * Returns the pokes with these events. Sessions with the same rights share one, unless an event names their
 * user anywhere: what users see of events differs only by what is about or by themselves.
 */
export function makePagePokes(news: NewEvents): PagePokes {
  const named = new Set(JSON.stringify(news.events).match(UUID));
  const built = new Map<string, Uint8Array | null>();
  return {
    after: news.after,
    write(session) {
      const own = named.has(session.userId) ? session.userId : '';
      const key = JSON.stringify([
        own,
        session.key === undefined,
        [...session.roles].sort(),
        session.companies,
        session.deleted,
      ]);
      let bytes = built.get(key);
      if (bytes === undefined) {
        bytes = encode(news, toScope(session));
        built.set(key, bytes);
      }
      return bytes;
    },
  };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function encode(
  { after, head, epoch, events, causes }: NewEvents,
  scope: SyncScope,
): Uint8Array | null {
  const seen = events.flatMap((one) => visibleEvent(scope, one) ?? []);
  const ids = getCauses(seen);
  const page: PushedPage = {
    after,
    cursor: head,
    events: seen,
    ...(scope.companies !== null && { causes: causes.filter(({ n }) => ids.has(n)) }),
  };
  const text = JSON.stringify(page);
  const poke: Poke = {
    kind: 'head',
    head,
    epoch: epochFor(epoch, scope),
    ...(text.length < MIN_PACKED_CHARS
      ? { page }
      : { packed: deflateRawSync(text, { level: constants.Z_BEST_SPEED }).toString('base64') }),
  };
  const message = toMessage(JSON.stringify(poke));
  return message.length > PUSHED_PAGE.chars ? null : Buffer.from(message);
}

/** Shorter pages gain little from compression. */
const MIN_PACKED_CHARS = 2_000;
