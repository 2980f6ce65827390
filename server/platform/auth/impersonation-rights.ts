import type { Selectable } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { mayImpersonate } from '#contract/users/authority.ts';
import type { UserRights } from '#contract/users/authority.ts';
import type { SessionTable } from '../db/database-account.ts';
import type { AppContext } from '../app-context.ts';

/**
 * An impersonation session lasts as long as the actor's right to impersonate and the actor's own
 * session (G33, G42).
 */
export type ImpersonationRow = Pick<
  Selectable<SessionTable>,
  'actor_id' | 'actor_tenant' | 'parent_id'
>;

/**
 * Returns whether the actor may still impersonate; true for a user's own session. Call it after the
 * transaction that read the session, because the actor may belong to another provider.
 */
export async function isActorActive(
  context: AppContext,
  tenant: TenantId,
  row: ImpersonationRow,
  target: UserRights,
): Promise<boolean> {
  const { actor_id: actor, parent_id: parent } = row;
  if (actor === null) return true;
  if (parent === null) return false;
  return context.store.tenant(
    row.actor_tenant ?? tenant,
    async (tx) => {
      const own = await tx.sql
        .selectFrom('session')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', parent)
        .where('user_id', '=', actor)
        .where('ended_at', 'is', null)
        .where('absolute_until', '>', context.clock.now())
        .executeTakeFirst();
      const user = own && (await tx.rows('user', [actor])).get(actor);
      return (
        user !== undefined &&
        user.deletedAt === null &&
        mayImpersonate(user, target, row.actor_tenant !== null)
      );
    },
    { readOnly: true },
  );
}
