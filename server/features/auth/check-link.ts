import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { askingBuckets } from './recovery-limits.ts';
import { countTry, giveBack, tooMany } from './rate-limit.ts';

/**
 * Answers whether a link is valid, without using it up. Links that aren't get one answer, whatever
 * the reason, and are limited for each address as guesses.
 */
export async function checkLink(
  tx: TenantTx,
  { ip, now }: RequestContext,
  isValid: () => Promise<boolean>,
): Promise<Result<{}>> {
  const tried = askingBuckets(ip);
  const outcome = await countTry(tx, tried, now);
  if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
  if (!(await isValid())) return failed({ kind: 'not-found', message: MESSAGES.linkOver });
  await giveBack(tx, tried, now);
  return ok({});
}
