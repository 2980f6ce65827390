import { getLastError } from '#contract/last-error.ts';
import type { UserId } from '#contract/ids.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { getCategories, notifyDefaults } from '#contract/notifications/notifications.ts';
import type { NotifySettings } from '#contract/notifications/notifications.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import type { Handlers, Principal } from '#server/platform/http/handler.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { sendDigest } from './digest.ts';
import { digestAfter } from './due.ts';
import { startPolling } from './poll.ts';
import { endpointHash, push, loadVapid } from './push.ts';
import type { Subscription } from './push.ts';
import { keepPushed } from './push-due.ts';
import { getPoint } from './web-push.ts';
import { notificationMessages as t } from './messages.en.ts';

const TRIES = 10;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };

/** NOTIFY-2: users manage their own notifications. */
export function notifyHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'getNotify'
  | 'saveNotify'
  | 'sendDigest'
  | 'addPushDevice'
  | 'renewPushDevice'
  | 'removePushDevice'
  | 'testPushDevice'
> {
  const rateLimit = makePerMinuteLimit(TRIES);
  return {
    getNotify: (_, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const { userId, roles, sessionId } = ctx.session;
        const { sql, tenant } = tx;
        const { features } = await loadBranding(tx);
        const { settings, row } = await loadSettings(tx, userId);
        const person = await sql
          .selectFrom('person')
          .select(['email', 'email_verified'])
          .where('tenant_id', '=', tenant)
          .where('id', '=', userId)
          .executeTakeFirst();
        const devices = await sql
          .selectFrom('push_device')
          .select(['id', 'agent', 'made_at', 'last_at', 'fault', 'session_id'])
          .where('tenant_id', '=', tenant)
          .where('user_id', '=', userId)
          .orderBy('made_at', 'desc')
          .execute();
        return ok({
          settings,
          categories: [...getCategories(roles, features)],
          email: person?.email || null,
          emailVerified: person?.email_verified ?? false,
          nextAt: row?.next_at ?? null,
          lastAt: row?.last_at ?? null,
          vapid: getPoint((await loadVapid(tx, context)).key),
          devices: devices.map(({ id, agent, made_at, last_at, fault: error, session_id }) => ({
            _id: id,
            agent,
            current: session_id === sessionId,
            madeAt: made_at,
            lastAt: last_at,
            ...getLastError(error),
          })),
        });
      }),

    saveNotify: ({ settings }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const stored = {
          ...settings,
          digest: {
            ...settings.digest,
            weekdays: settings.digest.weekdays.toSorted((a, b) => a - b),
          },
        };
        const nextAt = digestAfter(stored, ctx.now);
        await keepSettings(tx, ctx.session, stored, nextAt);
        return ok({ nextAt });
      }),

    async sendDigest(_, ctx) {
      const refused = rateLimit.check(`${ctx.tenant} ${ctx.session.userId}`, ctx.now);
      if (refused) return failed(refused);
      return context.store.tenant(ctx.tenant, async (tx) => {
        const { userId } = ctx.session;
        const { settings, row } = await loadSettings(tx, userId);
        const person = await tx.sql
          .selectFrom('person')
          .select(['email', 'email_verified'])
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', userId)
          .executeTakeFirst();
        if (person?.email && !person.email_verified)
          return failed({ kind: 'conflict', message: MESSAGES.emailNotConfirmed });
        const to = await sendDigest(
          tx,
          context,
          userId,
          settings,
          row?.last_at ?? null,
          ctx.now,
          true,
        );
        return to === null
          ? failed({ kind: 'conflict', message: MESSAGES.noMailAddress })
          : ok({ to });
      });
    },

    addPushDevice: (subscription, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        const { sql, tenant } = tx;
        const { session } = ctx;
        const endpoint_hash = endpointHash(subscription.endpoint);
        const before = await sql
          .selectFrom('push_device')
          .select(['id', 'user_id'])
          .where('tenant_id', '=', tenant)
          .where('endpoint_hash', '=', endpoint_hash)
          .executeTakeFirst();
        // A browser is notified for one user only: the last one to sign in there.
        if (before) await removeDevice(tx, before.id);
        const { count } = await sql
          .selectFrom('push_device')
          .select((e) => e.fn.countAll<number>().as('count'))
          .where('tenant_id', '=', tenant)
          .where('user_id', '=', session.userId)
          .executeTakeFirstOrThrow();
        if (count >= LIMITS.pushDevices)
          return failed({
            kind: 'conflict',
            message: MESSAGES.pushDevicesFull({ max: LIMITS.pushDevices }),
          });
        const id = context.chance.uuid();
        const { settings, row } = await loadSettings(tx, session.userId);
        // A user without settings gets the defaults.
        if (!row) await keepSettings(tx, session, settings, null);
        await sql
          .insertInto('push_device')
          .values({
            tenant_id: tenant,
            id,
            user_id: session.userId,
            session_id: session.sessionId,
            endpoint_hash,
            sealed: await seal(tx, context, getSecretRef(id), JSON.stringify(subscription)),
            agent: (ctx.request.headers.get('user-agent') ?? '').slice(0, 200),
            made_at: ctx.now,
            seen_at: ctx.now,
            last_at: null,
            fault: null,
          })
          .execute();
        await audit(tx, context, ctx, { what: 'push.added', user: session.userId, detail: { id } });
        return ok({ _id: id });
      }),

    renewPushDevice: ({ endpoint }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const { sql, tenant } = tx;
        const { session } = ctx;
        const hash = endpointHash(endpoint);
        const row = await sql
          .selectFrom('push_device')
          .select(['id', 'user_id'])
          .where('tenant_id', '=', tenant)
          .where('endpoint_hash', '=', hash)
          .forUpdate()
          .executeTakeFirst();
        if (row?.user_id === session.userId)
          await sql
            .updateTable('push_device')
            .set({ session_id: session.sessionId, seen_at: ctx.now })
            .where('tenant_id', '=', tenant)
            .where('id', '=', row.id)
            .execute();
        else if (row) await removeDevice(tx, row.id);
        return ok({ known: row?.user_id === session.userId });
      }),

    removePushDevice: ({ id }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        if (!(await loadDevice(tx, ctx.session, id))) return failed(NOT_FOUND);
        await removeDevice(tx, id);
        await audit(tx, context, ctx, {
          what: 'push.removed',
          user: ctx.session.userId,
          detail: { id },
        });
        return ok({});
      }),

    /** The push service is called outside of any transaction. */
    async testPushDevice({ id }, ctx) {
      const refused = rateLimit.check(`${ctx.tenant} ${ctx.session.userId}`, ctx.now);
      if (refused) return failed(refused);
      const found = await context.store.tenant(ctx.tenant, async (tx) => {
        const device = await loadDevice(tx, ctx.session, id);
        return device
          ? {
              subscription: JSON.parse(
                await unseal(tx, context, getSecretRef(id), device.sealed),
              ) as Subscription,
              vapid: await loadVapid(tx, context),
              branding: await loadBranding(tx),
              language: await loadUserLanguage(tx, ctx.session.userId),
            }
          : null;
      });
      if (found === null) return failed(NOT_FOUND);
      const pushed = await push(context, found.vapid, found.subscription, {
        title: found.branding.name,
        body: withLanguage(found.language, () => t.test),
        link: '/monitoring/notifications',
        tag: 'test',
      });
      await context.store.tenant(ctx.tenant, (tx) => keepPushed(tx, id, pushed, ctx.now));
      return ok({ ok: pushed.ok, message: pushed.message });
    },
  };
}

const getSecretRef = (id: string) => ({ table: 'push_device', column: 'sealed', row: id });

async function loadSettings(
  tx: TenantTx,
  user: UserId,
): Promise<{
  readonly settings: NotifySettings;
  readonly row: { readonly next_at: number | null; readonly last_at: number | null } | undefined;
}> {
  const { sql, tenant } = tx;
  const row = await sql
    .selectFrom('notify_setting')
    .select(['settings', 'next_at', 'last_at'])
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .executeTakeFirst();
  if (row) return { settings: row.settings, row };
  const person = await sql
    .selectFrom('person')
    .select('time_zone')
    .where('tenant_id', '=', tenant)
    .where('id', '=', user)
    .executeTakeFirst();
  return { settings: notifyDefaults(person?.time_zone ?? (await loadBranding(tx)).timeZone), row };
}

/** Makes waiting push notifications due, so that they are checked against the new quiet hours. */
async function keepSettings(
  tx: TenantTx,
  { userId }: Principal,
  settings: NotifySettings,
  next_at: number | null,
): Promise<void> {
  await startPolling(tx);
  const { sql, tenant } = tx;
  const values = { settings: JSON.stringify(settings), next_at };
  await sql
    .insertInto('notify_setting')
    .values({ tenant_id: tenant, user_id: userId, ...values, last_at: null })
    .onConflict((on) => on.columns(['tenant_id', 'user_id']).doUpdateSet(values))
    .execute();
  if (next_at !== null) await scheduleRecurring(tx, 'notifications', next_at);
  const devices = await sql
    .selectFrom('push_device')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .execute();
  if (devices.length === 0) return;
  await sql
    .updateTable('push_waiting')
    .set({ next_at: 0 })
    .where('tenant_id', '=', tenant)
    .where('tries', '=', 0)
    .where(
      'device_id',
      'in',
      devices.map(({ id }) => id),
    )
    .execute();
  await scheduleRecurring(tx, 'push', 0);
}

const loadDevice = ({ sql, tenant }: TenantTx, { userId }: Principal, id: string) =>
  sql
    .selectFrom('push_device')
    .select('sealed')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();

async function removeDevice({ sql, tenant }: TenantTx, id: string): Promise<void> {
  await sql
    .deleteFrom('push_waiting')
    .where('tenant_id', '=', tenant)
    .where('device_id', '=', id)
    .execute();
  await sql
    .deleteFrom('push_device')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}
