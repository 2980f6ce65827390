import type { Result } from '#contract/result.ts';
import { failed } from '#contract/result.ts';
import { FORBIDDEN } from '#server/platform/http/envelope.ts';
import type { SessionContext, Principal } from '#server/platform/http/handler.ts';
import { describeError } from '#server/platform/http/serve-call.ts';
import { StoreError } from '#server/platform/db/retry.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { mayReport } from './access.ts';

/**
 * Runs `work` for users who can see scheduled reports. An unexpected error fails with the call's
 * own message.
 */
export async function asReporter<T>(
  context: AppContext,
  ctx: SessionContext,
  sentence: string,
  work: (tx: TenantTx, session: Principal) => Promise<Result<T>>,
  readOnly = false,
): Promise<Result<T>> {
  const { session, tenant } = ctx;
  return spoken(context, sentence, () =>
    context.store.tenant(
      tenant,
      async (tx) => ((await mayReport(tx, session)) ? work(tx, session) : failed(FORBIDDEN)),
      { readOnly },
    ),
  );
}

export async function spoken<T>(
  context: AppContext,
  sentence: string,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    context.log.error('a call about reports failed', describeError(error));
    return failed({ kind: 'server-error', message: sentence });
  }
}
