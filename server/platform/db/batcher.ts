import type { TenantId } from '#contract/ids.ts';
import { StoreError } from './retry.ts';

interface Waiting<W, A> {
  readonly work: W;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/**
 * Batches work per tenant: work that arrives while a batch runs waits and then runs together, in
 * order, up to the weight `max`, at least one item. Each item gets its own result. The next batch
 * begins when `does` resolves, or earlier when it calls `free`. If `does` fails with several items,
 * none of them took effect, and each runs alone so that only the faulty ones fail. If the database
 * itself failed, all of them fail.
 */
export function makeBatcher<W, A>(
  does: (tenant: TenantId, works: readonly W[], free: () => void) => Promise<readonly A[]>,
  weigh: (work: W) => number,
  max: number,
): (tenant: TenantId, work: W) => Promise<A> {
  const lines = new Map<TenantId, Waiting<W, A>[]>();

  async function go(tenant: TenantId, line: Waiting<W, A>[]): Promise<void> {
    while (line.length > 0) {
      const some = line.splice(0, fitting(line));
      await new Promise<void>((free) => void doneBy(tenant, some, free));
    }
    lines.delete(tenant);
  }

  function fitting(line: readonly Waiting<W, A>[]): number {
    let weight = 0;
    const over = line.findIndex(({ work }) => (weight += weigh(work)) > max);
    return over < 0 ? line.length : Math.max(1, over);
  }

  async function doneBy(
    tenant: TenantId,
    some: readonly Waiting<W, A>[],
    free: () => void,
  ): Promise<void> {
    try {
      const answers = await does(
        tenant,
        some.map(({ work }) => work),
        free,
      );
      free();
      for (const [index, one] of some.entries()) one.resolve(answers[index] as A);
    } catch (error) {
      if (some.length > 1 && !(error instanceof StoreError)) {
        for (const one of some) await doneBy(tenant, [one], () => undefined);
        free();
        return;
      }
      free();
      for (const one of some) one.reject(error);
    }
  }

  return (tenant, work) =>
    new Promise((resolve, reject) => {
      const one = { work, resolve, reject };
      const line = lines.get(tenant);
      if (line) line.push(one);
      else {
        const fresh = [one];
        lines.set(tenant, fresh);
        void go(tenant, fresh);
      }
    });
}
