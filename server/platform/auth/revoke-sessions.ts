import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Ends all sessions of a user: its own, those in which others impersonate it, and those in which it
 * impersonates somebody here. `except`: the session to keep; without it, unfinished sign-ins end
 * too. Returns how many sessions ended. Call `forgetSessions` after the commit.
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
 * Empties this process's cache of the provider's sessions. Call it after each commit that ended
 * one.
 */
export const forgetSessions = ({ knownSessions }: AppContext, tenant: TenantId): void =>
  knownSessions.forget(tenant);
