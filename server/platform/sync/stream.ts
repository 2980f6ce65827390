import type { Ms, TenantId } from '#contract/ids.ts';
import type { Poke } from '#contract/sync/calls.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Head } from '#server/platform/db/store.ts';
import { HELD_EPOCH } from './snapshot.ts';
import { epochFor, toScope } from './scope.ts';

const KEEP_ALIVE_MS: Ms = 15_000;
const LOOK_MS: Ms = 2_000;

/**
 * Returns a stream of pokes. It reacts to commits of this process and also polls every 2 s, so that
 * it works with other writers and lost hints (SYNC-5). `alive` returns what the session may do now;
 * null when it has ended. `mark` returns another text when sources synced or failed, for users who
 * may read that (SYNC-14); `firstMark` is its result from before the stream opened.
 */
export function pokeStream(
  context: AppContext,
  tenant: TenantId,
  session: Principal,
  alive: () => Promise<Principal | null>,
  firstMark: string,
  mark: () => Promise<string>,
  onClose: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const started = getRights(session);
  let details = -1;
  let marked = firstMark;
  let beat = 0;
  let timer: { cancel(): void } | null = null;
  let busy = false;
  let again = false;
  let stop: () => void = nothing;

  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (stop !== nothing && (controller.desiredSize ?? 0) > -64)
          controller.enqueue(encoder.encode(text));
      };
      const poke = (one: Poke): void => write(`data: ${JSON.stringify(one)}\n\n`);
      const unhook = context.store.onAppend((of) => {
        if (of === tenant) void look();
      });
      stop = () => {
        stop = nothing;
        unhook();
        timer?.cancel();
        onClose();
      };
      const end = (last: Poke): void => {
        poke(last);
        stop();
        controller.close();
      };

      async function look(): Promise<void> {
        if (busy) {
          again = true;
          return;
        }
        busy = true;
        try {
          const now = await alive();
          // The client has closed the stream in the meantime.
          if (stop === nothing) return;
          if (now === null) return end({ kind: 'out' });
          if (getRights(now) !== started) return end({ kind: 'scope' });
          const head = now.mustReset ? { seq: 0, epoch: HELD_EPOCH } : await headFor(now);
          if (head.seq !== details) {
            details = head.seq;
            poke({ kind: 'head', head: head.seq, epoch: head.epoch });
          }
          const sources =
            now.mustReset || !toScope(now).reads.has('sourceHealth') ? marked : await mark();
          if (sources !== marked) {
            marked = sources;
            poke({ kind: 'sources' });
          }
        } catch (error) {
          context.log.warn('stream: cannot look', { error: String(error) });
        } finally {
          busy = false;
          if (again) {
            again = false;
            void look();
          }
        }
      }
      async function headFor(now: Principal): Promise<Head> {
        const { seq, epoch } = await context.store.tenant(tenant, (tx) => tx.head(), {
          readOnly: true,
        });
        return { seq, epoch: epochFor(epoch, toScope(now)) };
      }
      const turn = (): void => {
        beat += LOOK_MS;
        if (beat >= KEEP_ALIVE_MS) {
          beat = 0;
          write(': still here\n\n');
        }
        void look();
        timer = context.clock.after(LOOK_MS, turn);
      };
      turn();
    },
    cancel() {
      stop();
    },
  });
}

const nothing = (): void => {};

const getRights = ({ roles, companies, mustReset }: Principal): string =>
  JSON.stringify([
    mustReset,
    [...roles].sort(),
    companies === null ? null : [...companies].sort((a, b) => a - b),
  ]);
