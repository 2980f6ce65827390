import type { profileCalls } from '#contract/auth/profile-calls.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { revokeSessions, forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { ownId } from './profile.ts';
import { isOver } from '../../platform/auth/sessions.ts';

/** PROFILE-5: users see their own sessions, and end them. */
export function ownSessionHandlers(
  context: AppContext,
): Pick<Handlers, Extract<keyof typeof profileCalls, 'listSessions' | 'endSession'>> {
  return {
    listSessions: async ({ id }, ctx) => {
      const session = ownId(ctx, id);
      if (!session) return failed(NOT_FOUND);
      const rows = await context.store.tenant(
        ctx.tenant,
        ({ tenant, sql }) =>
          sql
            .selectFrom('session')
            .selectAll('session')
            .select((of) =>
              of
                .selectFrom('person')
                .select('name')
                .where('person.tenant_id', '=', tenant)
                .whereRef('person.id', '=', 'session.actor_id')
                .as('actor'),
            )
            .where('session.tenant_id', '=', tenant)
            .where('session.user_id', '=', session.userId)
            .where('session.ended_at', 'is', null)
            .orderBy('session.rotated_at', 'desc')
            .orderBy('session.id')
            .execute(),
        { readOnly: true },
      );
      return ok(
        rows
          .filter((row) => !isOver(row, ctx.now))
          .map((row) => ({ row, impersonator: getImpersonator(row) }))
          .map(({ row, impersonator }) => ({
            id: row.id,
            current: row.id === session.sessionId,
            beganAt: row.made_at,
            seenAt: row.rotated_at,
            until: row.absolute_until,
            ip: row.ip,
            agent: row.agent,
            how: row.how,
            impersonator,
            acting: impersonator,
          })),
      );
    },

    endSession: async ({ id, session: sessionId }, ctx) => {
      const session = ownId(ctx, id);
      if (!session) return failed(NOT_FOUND);
      const ended = await context.store.tenant(ctx.tenant, async (tx) => {
        const count =
          sessionId === 'others'
            ? await revokeSessions(tx, session.userId, ctx.now, session.sessionId)
            : Number(
                (
                  await tx.sql
                    .updateTable('session')
                    .set({ ended_at: ctx.now })
                    .where('tenant_id', '=', tx.tenant)
                    .where('user_id', '=', session.userId)
                    .where('id', '=', sessionId)
                    .where('ended_at', 'is', null)
                    .executeTakeFirst()
                ).numUpdatedRows,
              );
        if (count > 0)
          await audit(tx, context, ctx, {
            what: 'session.ended',
            user: session.userId,
            detail: { count },
          });
        return count;
      });
      forgetSessions(context, ctx.tenant);
      return sessionId !== 'others' && ended === 0 ? failed(NOT_FOUND) : ok({ ended });
    },
  };
}

const getImpersonator = (row: {
  readonly actor_id: string | null;
  readonly actor: string | null;
  readonly actor_name: string | null;
}): string | null => (row.actor_id === null ? null : (row.actor ?? row.actor_name ?? ''));
