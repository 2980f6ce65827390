import type { Selectable } from 'kysely';
import type { TenantId } from '#contract/ids.ts';
import { mayActAs } from '#contract/users/authority.ts';
import type { UserRights } from '#contract/users/authority.ts';
import type { SessionTable } from '../db/database-account.ts';
import type { AppContext } from '../app-context.ts';

/**
 * A session in which somebody acts as another user lasts as long as the right to do so, and as the
 * own session of who acts (G33, G42).
 */
export type ActingRow = Pick<Selectable<SessionTable>, 'actor_id' | 'actor_tenant' | 'parent_id'>;

/**
 * Asked after the transaction that read the session: the actor may be of another provider. True for
 * a user's own session.
 */
export async function isActorActive(
  world: AppContext,
  tenant: TenantId,
  row: ActingRow,
  target: UserRights,
): Promise<boolean> {
  const { actor_id: actor, parent_id: parent } = row;
  if (actor === null) return true;
  if (parent === null) return false;
  return world.store.tenant(
    row.actor_tenant ?? tenant,
    async (tx) => {
      const own = await tx.sql
        .selectFrom('session')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', parent)
        .where('user_id', '=', actor)
        .where('ended_at', 'is', null)
        .where('absolute_until', '>', world.clock.now())
        .executeTakeFirst();
      const user = own && (await tx.rows('user', [actor])).get(actor);
      return (
        user !== undefined &&
        user.deletedAt === null &&
        mayActAs(user, target, row.actor_tenant !== null)
      );
    },
    { readOnly: true },
  );
}
