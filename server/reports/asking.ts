import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed } from '#contract/result.ts';
import type { Ask, Signed } from '#server/http/handler.ts';
import { faultOf } from '#server/http/serve-call.ts';
import { StoreFault } from '#server/store/retry.ts';
import type { TenantTx } from '#server/store/store.ts';
import type { World } from '#server/world.ts';
import { mayReport } from './access.ts';

export const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
export const FORBIDDEN: Failure = { kind: 'forbidden', message: MESSAGES.forbidden };
export const badField = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});

/**
 * For who may see scheduled reports at all. What nobody expected is said in the words of the call.
 */
export async function asked<T>(
  world: World,
  ask: Ask,
  sentence: string,
  work: (tx: TenantTx, signed: Signed) => Promise<Result<T>>,
  readOnly = false,
): Promise<Result<T>> {
  const { signed, tenant } = ask;
  if (!signed) throw new Error('a report without a session');
  return spoken(world, sentence, () =>
    world.store.tenant(
      tenant,
      async (tx) => ((await mayReport(tx, signed)) ? work(tx, signed) : failed(FORBIDDEN)),
      { readOnly },
    ),
  );
}

export async function spoken<T>(
  world: World,
  sentence: string,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFault) throw error;
    world.log.error('a call about reports failed', faultOf(error));
    return failed({ kind: 'server-fault', message: sentence });
  }
}
