import { getLastError } from '#contract/last-error.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { DeliveryOut, WebhookOut } from '#contract/notifications/calls.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import type { SessionContext, Handlers } from '#server/platform/http/handler.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope } from '#server/platform/sync/scope.ts';
import { seal } from '#server/platform/crypto/vault.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { BOTH_MS, loadHook, loadSecrets, tryOnce } from './deliver.ts';
import { startPolling } from './poll.ts';
import { freshSecret } from './signature.ts';
import { getBody, queueDelivery } from './fan-out.ts';

const TRIES = 20;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
type Hook = NonNullable<Awaited<ReturnType<typeof loadHook>>>;

/**
 * NOTIFY-4: webhooks can report every company, so only users with access to all companies manage
 * them; others see none.
 */
export function webhookHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'listWebhooks'
  | 'createWebhook'
  | 'changeWebhook'
  | 'removeWebhook'
  | 'renewWebhookSecret'
  | 'testWebhook'
  | 'listDeliveries'
  | 'redeliver'
> {
  const rateLimit = makePerMinuteLimit(TRIES);
  /** Runs under the lock, so that a change is based on the current row. */
  const change = <T>(
    ctx: SessionContext,
    id: string,
    work: (tx: TenantTx, hook: Hook) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock();
      const hook = seesAll(ctx) ? await loadHook(tx, id) : undefined;
      return hook ? work(tx, hook) : failed(NOT_FOUND);
    });
  return {
    listWebhooks: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => ok({ webhooks: seesAll(ctx) ? await loadWebhooks(tx) : [] }),
        { readOnly: true },
      ),

    createWebhook: ({ webhook }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        if (!seesAll(ctx)) return failed({ kind: 'forbidden', message: MESSAGES.webhookNotYours });
        await tx.lock();
        if (await isStrange(tx, webhook.companies, null)) return failed(NO_COMPANY);
        const { sql, tenant } = tx;
        const { count } = await sql
          .selectFrom('webhook')
          .select((e) => e.fn.countAll<number>().as('count'))
          .where('tenant_id', '=', tenant)
          .executeTakeFirstOrThrow();
        if (count >= LIMITS.webhooks)
          return failed({
            kind: 'conflict',
            message: MESSAGES.webhooksFull({ max: LIMITS.webhooks }),
          });
        const id = context.chance.uuid();
        const secret = freshSecret(context);
        await sql
          .insertInto('webhook')
          .values({
            tenant_id: tenant,
            id,
            fields: JSON.stringify({ ...webhook, companies: webhook.companies ?? null }),
            sealed: await seal(tx, context, getSecretRef(id), secret),
            sealed_before: null,
            made_by: ctx.session.userId,
            made_at: ctx.now,
            changed_at: ctx.now,
            failing_since: null,
            stopped_at: null,
          })
          .execute();
        await startPolling(tx);
        await audit(tx, context, ctx, { what: 'webhook.made', user: null, detail: { id } });
        return ok({ _id: id, secret });
      }),

    changeWebhook: ({ id, webhook }, ctx) =>
      change(ctx, id, async (tx, hook) => {
        if (await isStrange(tx, webhook.companies, hook)) return failed(NO_COMPANY);
        const { sql, tenant } = tx;
        const isRestarted = hook.stopped_at !== null && webhook.enabled;
        const { companies = hook.fields.companies ?? null } = webhook;
        await sql
          .updateTable('webhook')
          .set({
            fields: JSON.stringify({ ...webhook, companies }),
            changed_at: ctx.now,
            ...((isRestarted || webhook.url !== hook.fields.url) && { failing_since: null }),
            ...(isRestarted && { stopped_at: null }),
          })
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute();
        if (!webhook.enabled)
          await sql
            .updateTable('webhook_delivery')
            .set({ state: 'dropped', next_at: null, done_at: ctx.now })
            .where('tenant_id', '=', tenant)
            .where('webhook_id', '=', id)
            .where('state', '=', 'waiting')
            .execute();
        await audit(tx, context, ctx, {
          what: 'webhook.changed',
          user: null,
          detail: { id, enabled: webhook.enabled },
        });
        return ok({});
      }),

    removeWebhook: ({ id }, ctx) =>
      change(ctx, id, async (tx) => {
        const { sql, tenant } = tx;
        await sql
          .deleteFrom('webhook_delivery')
          .where('tenant_id', '=', tenant)
          .where('webhook_id', '=', id)
          .execute();
        await sql
          .deleteFrom('webhook')
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute();
        await audit(tx, context, ctx, { what: 'webhook.removed', user: null, detail: { id } });
        return ok({});
      }),

    renewWebhookSecret: ({ id }, ctx) =>
      change(ctx, id, async (tx, hook) => {
        const secret = freshSecret(context);
        await tx.sql
          .updateTable('webhook')
          .set({
            sealed: await seal(tx, context, getSecretRef(id), secret),
            sealed_before: hook.sealed,
            before_until: ctx.now + BOTH_MS,
            changed_at: ctx.now,
          })
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        await audit(tx, context, ctx, {
          what: 'webhook.secret-renewed',
          user: null,
          detail: { id },
        });
        return ok({ _id: id, secret });
      }),

    /** The address is called outside of any transaction, even if the webhook is disabled. */
    async testWebhook({ id }, ctx) {
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const body = getBody('test', [], ctx.now);
      const found = await change(ctx, id, async (tx, hook) => {
        const delivery = await queueDelivery(tx, context, {
          webhook: id,
          category: 'test',
          facts: 0,
          body,
          now: ctx.now,
        });
        // This call sends the delivery, so the background job must not take it.
        await tx.sql
          .updateTable('webhook_delivery')
          .set({ next_at: null, state: 'failed', tries: 1 })
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', delivery)
          .execute();
        return ok({ hook, delivery, secrets: await loadSecrets(tx, context, hook, ctx.now) });
      });
      if (!found.ok) return found;
      const { hook, delivery, secrets } = found.value;
      const {
        ok: good,
        code,
        message,
      } = await tryOnce(context, hook, { id: delivery, body }, secrets);
      await context.store.tenant(ctx.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('webhook_delivery')
          .set({
            state: good ? 'sent' : 'failed',
            code,
            fault: good ? null : message,
            done_at: context.clock.now(),
          })
          .where('tenant_id', '=', tenant)
          .where('id', '=', delivery)
          .execute(),
      );
      return ok({ ok: good, code, message });
    },

    listDeliveries: ({ id }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const { sql, tenant } = tx;
          if (!seesAll(ctx) || !(await loadHook(tx, id))) return failed(NOT_FOUND);
          const rows = await sql
            .selectFrom('webhook_delivery')
            .selectAll()
            .where('tenant_id', '=', tenant)
            .where('webhook_id', '=', id)
            .orderBy('made_at', 'desc')
            .orderBy('id')
            .limit(LIMITS.webhookHistory)
            .execute();
          return ok({
            deliveries: rows.map(
              ({
                id: _id,
                category,
                facts,
                state,
                made_at,
                done_at,
                next_at,
                tries,
                code,
                fault: error,
                body,
              }): DeliveryOut => ({
                _id,
                category,
                facts,
                state,
                madeAt: made_at,
                doneAt: done_at,
                nextAt: next_at,
                tries,
                code,
                ...getLastError(error),
                body,
              }),
            ),
          });
        },
        { readOnly: true },
      ),

    redeliver: ({ id, delivery }, ctx) =>
      change(ctx, id, async (tx, hook) => {
        if (!hook.fields.enabled) return failed({ kind: 'conflict', message: MESSAGES.webhookOff });
        const done = await tx.sql
          .updateTable('webhook_delivery')
          .set({ state: 'waiting', tries: 0, next_at: ctx.now, done_at: null })
          .where('tenant_id', '=', tx.tenant)
          .where('webhook_id', '=', id)
          .where('id', '=', delivery)
          .executeTakeFirst();
        if (Number(done.numUpdatedRows) === 0) return failed(NOT_FOUND);
        await scheduleRecurring(tx, 'webhooks', ctx.now);
        return ok({});
      }),
  };
}

/**
 * Returns whether a newly chosen company does not exist or is deleted. Companies chosen earlier are
 * not checked.
 */
async function isStrange(
  tx: TenantTx,
  companies: readonly CompanyN[] | null | undefined,
  stored: Hook | null,
): Promise<boolean> {
  const fresh = (companies ?? []).filter((n) => stored?.fields.companies?.includes(n) !== true);
  const there = await tx.rows('company', fresh);
  return fresh.some((n) => {
    const one = there.get(n);
    return one === undefined || one.deletedAt !== undefined;
  });
}
const NO_COMPANY: Failure = {
  kind: 'bad-input',
  message: MESSAGES.badInput,
  issues: [{ path: 'webhook.companies', message: MESSAGES.webhookCompany }],
};

const getSecretRef = (id: string) => ({ table: 'webhook', column: 'sealed', row: id });

const seesAll = (ctx: SessionContext): boolean => toScope(ctx.session).companies === null;

async function loadWebhooks({ sql, tenant }: TenantTx): Promise<WebhookOut[]> {
  const hooks = await sql
    .selectFrom('webhook')
    .select(['id', 'fields', 'made_at', 'changed_at', 'failing_since', 'stopped_at'])
    .where('tenant_id', '=', tenant)
    .orderBy('made_at')
    .orderBy('id')
    .execute();
  const waiting = new Map(
    (
      await sql
        .selectFrom('webhook_delivery')
        .select((e) => ['webhook_id', e.fn.countAll<number>().as('count')])
        .where('tenant_id', '=', tenant)
        .where('state', '=', 'waiting')
        .groupBy('webhook_id')
        .execute()
    ).map((one) => [one.webhook_id, one.count]),
  );
  const last = new Map(
    (
      await sql
        .selectFrom('webhook_delivery')
        .select(['webhook_id', 'state', 'code', 'made_at', 'done_at'])
        .distinctOn('webhook_id')
        .where('tenant_id', '=', tenant)
        .where('tries', '>', 0)
        .orderBy('webhook_id')
        .orderBy('made_at', 'desc')
        .execute()
    ).map((one) => [one.webhook_id, one]),
  );
  return hooks.map(({ id, fields, made_at, changed_at, failing_since, stopped_at }): WebhookOut => {
    const latest = last.get(id);
    return {
      _id: id,
      ...fields,
      companies: fields.companies ?? null,
      madeAt: made_at,
      changedAt: changed_at,
      failingSince: failing_since,
      stoppedAt: stopped_at,
      lastAt: latest ? (latest.done_at ?? latest.made_at) : null,
      lastState: latest?.state ?? null,
      lastCode: latest?.code ?? null,
      waiting: waiting.get(id) ?? 0,
    };
  });
}
