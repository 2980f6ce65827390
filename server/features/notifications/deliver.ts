import type { Selectable } from 'kysely';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/time/durations.ts';
import { columnOver, isAhead } from '../../platform/clock-bounds.ts';
import { loadMailAddress } from '#server/platform/auth/email-confirmation.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';
import { isLeftBehind } from '#server/platform/jobs/leases.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import type { WebhookDeliveryTable, WebhookTable } from '#server/platform/db/database-notify.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { toOneLine } from './fact.ts';
import { signDelivery } from './signature.ts';
import { notificationMessages as t } from './messages.en.ts';

/**
 * The wait after each failed try; after the last one the delivery fails. A day and a half in total.
 */
export const WAITS: readonly Ms[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
  16 * HOUR_MS,
];
const TIMEOUT_MS: Ms = 10 * SECOND_MS;
const MAX_WAIT_MS: Ms = 24 * HOUR_MS;
/** The server that takes over the job of a killed one doesn't wait for its end. */
const HELD_MS: Ms = 2 * MINUTE_MS;
/** How long the previous secret also signs after a rotation. */
export const BOTH_MS: Ms = 24 * HOUR_MS;
/** Deliveries to one address in one turn. */
const BATCH_SIZE = 5;

export type WebhookDelivery = Selectable<WebhookDeliveryTable>;
type Hook = Selectable<WebhookTable>;
/** The outcome of a try. `code` is null if there was no response. */
export interface DeliveryResult {
  readonly ok: boolean;
  readonly code: number | null;
  readonly message: string;
  readonly afterMs: Ms | null;
  readonly gone: boolean;
}

/**
 * Delivers what is due. Each address is handled by one server at a time: addresses in parallel, the
 * deliveries of one address in order. `lease`: of the job (JOB-11).
 */
export async function deliverDue(
  context: AppContext,
  tenant: TenantId,
  lease: string,
): Promise<void> {
  const now = context.clock.now();
  const due = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('webhook_delivery')
        .select('webhook_id')
        .distinct()
        .where('tenant_id', '=', tenant)
        .where(columnOver('next_at', now, MAX_WAIT_MS))
        .execute(),
    { readOnly: true },
  );
  await Promise.all(
    due.map(async ({ webhook_id: id }) => {
      const hook = await context.store.tenant(tenant, (tx) =>
        hold(tx, id, lease, context.clock.now()),
      );
      if (!hook) return;
      try {
        for (
          let n = 0;
          n < BATCH_SIZE && (await deliverNext(context, tenant, hook, lease));
          n += 1
        );
      } finally {
        await context.store.tenant(tenant, ({ sql }) =>
          sql
            .updateTable('webhook')
            .set({ held_until: 0, held_by: null })
            .where('tenant_id', '=', tenant)
            .where('id', '=', id)
            .where('held_by', '=', lease)
            .execute(),
        );
      }
    }),
  );
}

async function hold(
  { sql, tenant }: TenantTx,
  id: string,
  lease: string,
  now: Ms,
): Promise<Hook | null> {
  const hook = await sql
    .selectFrom('webhook')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where((e) => e.or([columnOver('held_until', now, HELD_MS), isLeftBehind('held_by', lease)]))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!hook) return null;
  await sql
    .updateTable('webhook')
    .set({ held_until: now + HELD_MS, held_by: lease })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
  return hook;
}

/**
 * Returns whether a delivery succeeded and was stored. After a failed one the address is paused.
 */
async function deliverNext(
  context: AppContext,
  tenant: TenantId,
  { id }: Hook,
  lease: string,
): Promise<boolean> {
  const taken = await context.store.tenant(tenant, async (tx) => {
    const { sql } = tx;
    const now = context.clock.now();
    const hook = await loadHook(tx, id);
    if (hook?.held_by !== lease) return null;
    const delivery = await sql
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('webhook_id', '=', id)
      .where(columnOver('next_at', now, MAX_WAIT_MS))
      .orderBy('made_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return delivery ? { hook, delivery, secrets: await loadSecrets(tx, context, hook, now) } : null;
  });
  if (taken === null) return false;
  const { hook, delivery, secrets } = taken;
  const answer = await tryOnce(context, hook, delivery, secrets);
  const isStored = await context.store.tenant(tenant, async (tx) => {
    if (!(await isHeldBy(tx, id, lease))) return false;
    await keep(tx, context, hook, delivery, answer);
    return true;
  });
  return isStored && answer.ok;
}

/** Locks the address. */
const isHeldBy = async ({ sql, tenant }: TenantTx, id: string, lease: string): Promise<boolean> =>
  (await sql
    .selectFrom('webhook')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('held_by', '=', lease)
    .forUpdate()
    .executeTakeFirst()) !== undefined;

export const loadHook = ({ sql, tenant }: TenantTx, id: string): Promise<Hook | undefined> =>
  sql
    .selectFrom('webhook')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();

export async function loadSecrets(
  tx: TenantTx,
  context: AppContext,
  hook: Hook,
  now: Ms,
): Promise<readonly string[]> {
  const place = { table: 'webhook', column: 'sealed', row: hook.id };
  const secrets = [await unseal(tx, context, place, hook.sealed)];
  if (hook.sealed_before !== null && isAhead(hook.before_until, now, BOTH_MS))
    secrets.push(await unseal(tx, context, place, hook.sealed_before));
  return secrets;
}

/** Sends one request. Only a status of 200 to 299 is a success; redirects are not followed. */
export async function tryOnce(
  context: AppContext,
  { fields }: Pick<Hook, 'fields'>,
  { id, body }: Pick<WebhookDelivery, 'id' | 'body'>,
  secrets: readonly string[],
): Promise<DeliveryResult> {
  try {
    const answer = await fetchOutbound(context, fields.url, {
      method: 'POST',
      headers: signDelivery(secrets, id, context.clock.now(), body),
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: 65_536,
    });
    const { status } = answer;
    const wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return {
      ok: answer.ok,
      code: status,
      message: answer.ok ? '' : t.addressRefused({ status }),
      afterMs: Number.isFinite(wait) && wait >= 0 ? Math.min(wait * SECOND_MS, MAX_WAIT_MS) : null,
      gone: status === 410,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { ok: false, code: null, message: error.message, afterMs: null, gone: false };
  }
}

async function keep(
  tx: TenantTx,
  context: AppContext,
  { id }: Hook,
  delivery: WebhookDelivery,
  { ok, code, message, afterMs, gone }: DeliveryResult,
): Promise<void> {
  const { sql, tenant } = tx;
  const now = context.clock.now();
  const tries = delivery.tries + 1;
  const wait = WAITS[tries - 1];
  const over = ok || gone || wait === undefined;
  await sql
    .updateTable('webhook_delivery')
    .set({
      tries,
      code,
      fault: ok ? null : message,
      state: ok ? 'sent' : over ? 'failed' : 'waiting',
      done_at: over ? now : null,
      next_at: over ? null : now + Math.max(afterMs ?? 0, wait),
    })
    .where('tenant_id', '=', tenant)
    .where('id', '=', delivery.id)
    .where('state', '=', 'waiting')
    .execute();
  if (ok) {
    await sql
      .updateTable('webhook')
      .set({ failing_since: null })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('failing_since', 'is not', null)
      .execute();
    return;
  }
  await sql
    .updateTable('webhook')
    .set({ failing_since: now })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('failing_since', 'is', null)
    .execute();
  // The later deliveries wait too, so that a failing address does not get a request for each of
  // them.
  if (!over)
    await sql
      .updateTable('webhook_delivery')
      .set({ next_at: now + wait })
      .where('tenant_id', '=', tenant)
      .where('webhook_id', '=', id)
      .where('state', '=', 'waiting')
      .where('next_at', '<', now + wait)
      .execute();
  const hook = await loadHook(tx, id);
  if (
    hook &&
    hook.stopped_at === null &&
    (gone || now - (hook.failing_since ?? now) >= LIMITS.webhookFailMs)
  )
    await stop(tx, context, hook, gone, message, now);
}

/** NOTIFY-4: stops a webhook until someone enables it again, and emails the user who created it. */
async function stop(
  tx: TenantTx,
  context: AppContext,
  { id, fields, made_by, failing_since }: Hook,
  gone: boolean,
  message: string,
  now: Ms,
): Promise<void> {
  const { sql, tenant } = tx;
  await sql
    .updateTable('webhook')
    .set({ stopped_at: now, fields: JSON.stringify({ ...fields, enabled: false }) })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
  await sql
    .updateTable('webhook_delivery')
    .set({ state: 'dropped', next_at: null, done_at: now })
    .where('tenant_id', '=', tenant)
    .where('webhook_id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
  const user = (await tx.rows('user', [made_by])).get(made_by);
  const to = await loadMailAddress(tx, made_by);
  if (!user || user.deletedAt !== null || to === null) return;
  const name = toOneLine(fields.name);
  const days = Math.floor((now - (failing_since ?? now)) / (24 * HOUR_MS));
  const mail = withLanguage(await loadUserLanguage(tx, made_by), () => ({
    subject: t.webhookOffSubject({ name }).slice(0, 150),
    text: `${[
      t.webhookOff({ name }),
      gone ? t.webhookGone : t.webhookFailed({ days, error: message }),
      t.webhookOffDetail,
    ].join('\n\n')}\n`,
  }));
  await post(tx, context, { kind: 'mail', to, ...mail });
}
