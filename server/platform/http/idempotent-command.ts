import type { NewEvent } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { byUser } from '../auth/event-actor.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import type { RequestContext, Principal } from './handler.ts';

export interface Decision<T> {
  readonly drafts: readonly NewEvent[];
  readonly answer: (seq: number) => Result<T>;
}

/**
 * Runs a user's command exactly once (OUT-3): its events, the rows they change and the answer
 * commit together. The same id and body gets the stored answer, even if that was a refusal. The
 * same id with another body, or a number before the device's last one, is refused. A command
 * without an id (from an API client that queues nothing) just runs.
 */
export function runIdempotently<T>(
  world: AppContext,
  ctx: RequestContext,
  decide: (tx: TenantTx, session: Principal) => Promise<Decision<T>>,
): Promise<Result<T>> {
  const { command, session, tenant, now } = ctx;
  if (!session) throw new Error('a command without a session');
  return world.store.tenant(tenant, async (tx) => {
    await tx.take('run', 0); // locks the head row: from here on, one command of a tenant at a time
    if (command) {
      const before = await tx.sql
        .selectFrom('command')
        .select(['body_hash', 'answer', 'user_id'])
        .where('tenant_id', '=', tenant)
        .where('id', '=', command.id)
        .executeTakeFirst();
      if (before) {
        return before.body_hash === command.bodyHash && before.user_id === session.userId
          ? (before.answer as Result<T>)
          : failed(KEY_REUSED);
      }
      const last = await tx.sql
        .selectFrom('command')
        .select((e) => e.fn.max('n').as('n'))
        .where('tenant_id', '=', tenant)
        .where('device', '=', command.device)
        .executeTakeFirst();
      const expected = (last?.n ?? 0) + 1;
      if (command.order < expected)
        return failed({ kind: 'out-of-order', message: MESSAGES.outOfOrder, expected });
    }
    const { drafts, answer } = await decide(tx, session);
    const logged =
      drafts.length > 0 ? await tx.append(drafts, byUser(session, command?.id ?? null, now)) : [];
    const result = answer(logged.at(-1)?.seq ?? (await tx.head()).seq);
    if (command) {
      await tx.sql
        .insertInto('command')
        .values({
          tenant_id: tenant,
          device: command.device,
          id: command.id,
          n: command.order,
          user_id: session.userId,
          body_hash: command.bodyHash,
          status: result.ok ? 200 : 409,
          answer: JSON.stringify(result),
          at: now,
        })
        .execute();
    }
    return result;
  });
}

const KEY_REUSED: Failure = { kind: 'key-reused', message: MESSAGES.keyReused };

/** A decision that changes nothing, with the failure. */
export const refusal = (failure: Failure): Decision<never> => ({
  drafts: [],
  answer: () => failed(failure),
});
