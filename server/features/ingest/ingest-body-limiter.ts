import { busyFor } from '../../platform/http/envelope.ts';
import { releaseSlotDuring, makeQueues } from '../../platform/http/concurrency.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { Holder } from './authenticate-key.ts';

/**
 * Bodies that are read at once: of a key, and of a provider. So many more of each wait for their
 * turn.
 */
export const TURNS = { key: 8, provider: 32, waiting: 256, retryAfterMs: 1_000 } as const;

/**
 * ING-16: reads what a source sends without holding a place among those that are worked on, as it
 * may send as slowly as it likes: who does holds up its own key, and at the worst its own provider.
 * What is read is one body a turn; those that wait are not read.
 */
export function makeBodyLimiter(turns: Readonly<Record<keyof typeof TURNS, number>> = TURNS) {
  const lines = makeQueues(turns.waiting);
  return {
    async read<T>(
      { tenant, key }: Holder,
      request: Request,
      work: () => Promise<T>,
    ): Promise<Result<T>> {
      if (!request.body) return ok(await work());
      const read = await releaseSlotDuring(async () =>
        lines.run(`key ${key.id}`, turns.key, async () =>
          lines.run(`provider ${tenant}`, turns.provider, async () => ({ body: await work() })),
        ),
      );
      return read === null ? failed(busyFor(turns.retryAfterMs)) : ok(read.body);
    },
    /** Lines that are kept: those in which somebody is. */
    get size() {
      return lines.size;
    },
  };
}

const ofWorld = new WeakMap<AppContext, ReturnType<typeof makeBodyLimiter>>();
/** Those of a server: one line of a key, by whatever way it sends. */
export function getBodyLimiter(world: AppContext): ReturnType<typeof makeBodyLimiter> {
  const turns = ofWorld.get(world) ?? makeBodyLimiter();
  ofWorld.set(world, turns);
  return turns;
}
