import { busyFor } from '../../platform/http/envelope.ts';
import { releaseSlotDuring, makeQueues } from '../../platform/http/concurrency.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { AuthenticatedSource } from '../../platform/auth/ingest-key-auth.ts';

/**
 * Bodies read concurrently, per key and per provider. `waiting` is the maximum number in each
 * queue.
 */
export const TURNS = { key: 8, provider: 32, waiting: 256, retryAfterMs: 1_000 } as const;

export interface BodyLimiter {
  read<T>(
    holder: AuthenticatedSource,
    request: Request,
    work: () => Promise<T>,
  ): Promise<Result<T>>;
  /** The number of queues in use. */
  readonly size: number;
}

/**
 * ING-16: reads a request body without occupying a work slot, because a source can send as slowly
 * as it likes. A slow sender delays its own key and at worst its own provider. Bodies are read one
 * per turn; waiting ones are not read.
 */
export function makeBodyLimiter(
  turns: Readonly<Record<keyof typeof TURNS, number>> = TURNS,
): BodyLimiter {
  const lines = makeQueues(turns.waiting);
  return {
    async read<T>(
      { tenant, key }: AuthenticatedSource,
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
    get size() {
      return lines.size;
    },
  };
}
