import type { OutputOf } from '#contract/calls.ts';
import type { Notification } from '#contract/notifications/notices.ts';
import { hasAuthorityOver } from '#contract/users/authority.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { FORBIDDEN, NOT_FOUND } from '../../platform/http/envelope.ts';
import type { Handlers, Principal } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

type Names =
  | 'listNotifications'
  | 'ackNotification'
  | 'publishNotification'
  | 'listPublishedNotifications'
  | 'endNotification';
const MAX_LISTED = 50;

/**
 * Notices above the pages. Each is for all users of a provider, for those with a role, or for one
 * user, who is the only one to see it.
 */
export const notificationHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  listNotifications: ({ userId }, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const { session } = ctx;
        return userId === session.userId
          ? ok(await openNotifications(tx, session))
          : failed(NOT_FOUND);
      },
      { readOnly: true },
    ),

  ackNotification: ({ notificationId, userId }, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      const { session } = ctx;
      // A repeated call succeeds, because the page may not have received the response.
      if (
        userId !== session.userId ||
        !(await listActiveNotices(tx, session, true)).some(({ id }) => id === notificationId)
      )
        return failed(NOT_FOUND);
      await tx.sql
        .insertInto('notification_ack')
        .values({
          tenant_id: tx.tenant,
          notification_id: notificationId,
          user_id: userId,
          at: ctx.now,
        })
        .onConflict((on) => on.columns(['tenant_id', 'notification_id', 'user_id']).doNothing())
        .execute();
      return ok({});
    }),

  publishNotification: (fields, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      const { session } = ctx;
      const { userId } = fields;
      if (session.companies !== null) return failed(FORBIDDEN);
      if (userId !== null) {
        const user = (await tx.rows('user', [userId])).get(userId);
        if (user?.deletedAt !== null) return failed(NOT_FOUND);
        if (userId !== session.userId && !hasAuthorityOver(session, user)) return failed(FORBIDDEN);
      }
      const row: Notification = { _id: context.chance.uuid(), ...fields };
      const { _id: id } = row;
      await tx.sql
        .insertInto('notification')
        .values({
          tenant_id: tx.tenant,
          id,
          row: JSON.stringify(row),
          made_at: ctx.now,
          ended_at: null,
        })
        .execute();
      await audit(tx, context, ctx, {
        what: 'notification.published',
        user: userId,
        detail: { notification: id, app: row.app },
      });
      return ok(row);
    }),

  listPublishedNotifications: (_, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        if (ctx.session.companies !== null) return failed(FORBIDDEN);
        const rows = await tx.sql
          .selectFrom('notification')
          .select(['id', 'row', 'made_at'])
          .where('tenant_id', '=', tx.tenant)
          .where('ended_at', 'is', null)
          .orderBy('made_at', 'desc')
          .limit(200)
          .execute();
        const acks = new Map(
          (
            await tx.sql
              .selectFrom('notification_ack')
              .select(['notification_id', (e) => e.fn.countAll<number>().as('acks')])
              .where('tenant_id', '=', tx.tenant)
              .groupBy('notification_id')
              .execute()
          ).map((one) => [one.notification_id, one.acks]),
        );
        return ok<OutputOf<'listPublishedNotifications'>>(
          rows.map(({ id, row, made_at: at }) => ({
            ...row,
            roles: row.roles && [...row.roles],
            at,
            acks: acks.get(id) ?? 0,
          })),
        );
      },
      { readOnly: true },
    ),

  endNotification: ({ id }, ctx) =>
    context.store.tenant(ctx.tenant, async (tx) => {
      if (ctx.session.companies !== null) return failed(FORBIDDEN);
      const { numUpdatedRows } = await tx.sql
        .updateTable('notification')
        .set({ ended_at: ctx.now })
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0) return failed(NOT_FOUND);
      await audit(tx, context, ctx, {
        what: 'notification.ended',
        user: null,
        detail: { notification: id },
      });
      return ok({});
    }),
});

type NotificationOut = OutputOf<'listNotifications'>[number];
/** Returns the notices that a user has not acknowledged, newest first. */
export const openNotifications = async (
  tx: TenantTx,
  session: Principal,
): Promise<NotificationOut[]> =>
  (await listActiveNotices(tx, session)).map(({ row }) => ({
    ...row,
    roles: row.roles && [...row.roles],
  }));

/** Returns a user's current notices, newest first; with `also`, including acknowledged ones. */
async function listActiveNotices(
  { tenant, sql }: TenantTx,
  { userId, roles }: Principal,
  also = false,
): Promise<{ readonly id: string; readonly row: Notification }[]> {
  let query = sql
    .selectFrom('notification')
    .select(['id', 'row'])
    .where('tenant_id', '=', tenant)
    .where('ended_at', 'is', null);
  if (!also)
    query = query.where('id', 'not in', (e) =>
      e
        .selectFrom('notification_ack')
        .select('notification_id')
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', userId),
    );
  const rows = await query.orderBy('made_at', 'desc').execute();
  return rows
    .filter(
      ({ row }) =>
        (row.userId === null || row.userId === userId) &&
        (row.roles === null || row.roles.some((role) => roles.includes(role))),
    )
    .slice(0, also ? undefined : MAX_LISTED);
}
