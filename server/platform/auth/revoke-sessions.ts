import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import { knownSessions } from './known-sessions.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Ends what stands open of a user: its own sessions, those of others who act as it, and those in
 * which it acts as somebody here. `except`: the session that goes on; without one what was begun
 * and needs more steps ends too. Answers how many sessions ended. After the commit `forgetSessions`
 * has to be told.
 */
export async function revokeSessions(
  { tenant, sql }: TenantTx,
  userId: UserId,
  now: Ms,
  except: string | null = null,
): Promise<number> {
  const ended = await sql
    .updateTable('session')
    .set({ ended_at: now })
    .where('tenant_id', '=', tenant)
    .where('ended_at', 'is', null)
    .where((is) => is.or([is('user_id', '=', userId), is('actor_id', '=', userId)]))
    .$if(except !== null, (query) => query.where('id', '!=', except))
    .executeTakeFirst();
  if (except === null)
    await sql
      .updateTable('attempt')
      .set({ done_at: now, code_hash: null })
      .where('tenant_id', '=', tenant)
      .where('user_id', '=', userId)
      .where('done_at', 'is', null)
      .execute();
  return Number(ended.numUpdatedRows);
}

/**
 * What this process remembers of the provider's sessions is read anew: to be called after each
 * commit that ended one.
 */
export const forgetSessions = ({ store }: AppContext, tenant: TenantId): void =>
  knownSessions(store).forget(tenant);
