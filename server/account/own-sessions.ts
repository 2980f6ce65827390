import type { profileCalls } from '#contract/account/profile-calls.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../audit.ts';
import { endSessionsOf, forgetSessions } from '../end-sessions.ts';
import { NOT_FOUND } from '../http/envelope.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';
import { ownId } from './profile.ts';
import { isOver } from './sessions.ts';

/** PROFILE-5: everybody sees where they are signed in, and ends it. */
export function ownSessionHandlers(
  world: World,
): Pick<Handlers, Extract<keyof typeof profileCalls, 'listSessions' | 'endSession'>> {
  return {
    listSessions: async ({ id }, ask) => {
      const signed = ownId(ask, id);
      if (!signed) return failed(NOT_FOUND);
      const rows = await world.store.tenant(
        ask.tenant,
        ({ tenant, sql }) =>
          sql
            .selectFrom('session')
            .selectAll('session')
            .select((of) =>
              of
                .selectFrom('person')
                .select('name')
                .whereRef('person.tenant_id', '=', 'session.tenant_id')
                .whereRef('person.id', '=', 'session.actor_id')
                .as('actor'),
            )
            .where('session.tenant_id', '=', tenant)
            .where('session.user_id', '=', signed.userId)
            .where('session.ended_at', 'is', null)
            .orderBy('session.rotated_at', 'desc')
            .orderBy('session.id')
            .execute(),
        { readOnly: true },
      );
      return ok(
        rows
          .filter((row) => !isOver(row, ask.now))
          .map((row) => ({
            id: row.id,
            current: row.id === signed.sessionId,
            beganAt: row.made_at,
            seenAt: row.rotated_at,
            until: row.absolute_until,
            ip: row.ip,
            agent: row.agent,
            how: row.how,
            acting: row.actor_id === null ? null : (row.actor ?? row.actor_name ?? ''),
          })),
      );
    },

    endSession: async ({ id, session }, ask) => {
      const signed = ownId(ask, id);
      if (!signed) return failed(NOT_FOUND);
      const ended = await world.store.tenant(ask.tenant, async (tx) => {
        const count =
          session === 'others'
            ? await endSessionsOf(tx, signed.userId, ask.now, signed.sessionId)
            : Number(
                (
                  await tx.sql
                    .updateTable('session')
                    .set({ ended_at: ask.now })
                    .where('tenant_id', '=', tx.tenant)
                    .where('user_id', '=', signed.userId)
                    .where('id', '=', session)
                    .where('ended_at', 'is', null)
                    .executeTakeFirst()
                ).numUpdatedRows,
              );
        if (count > 0)
          await audit(tx, world, ask, {
            what: 'session.ended',
            user: signed.userId,
            detail: { count },
          });
        return count;
      });
      forgetSessions(world, ask.tenant);
      return session !== 'others' && ended === 0 ? failed(NOT_FOUND) : ok({ ended });
    },
  };
}
