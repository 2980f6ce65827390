import { formatList } from '#contract/i18n/list.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import { isQuiet, NOTIFY_CATEGORIES, quietUntil } from '#contract/notifications/notifications.ts';
import type { NotifyCategory } from '#contract/notifications/notifications.ts';
import { columnOver } from '../../platform/clock-bounds.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import { isLeftBehind } from '#server/platform/jobs/leases.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { factsInWords } from './digest-mail.ts';
import { loadListeners } from './audience.ts';
import { toOneLine, getFactLink } from './fact.ts';
import { push, loadVapid } from './push.ts';
import type { PushNotice, Pushed, Subscription, Vapid } from './push.ts';
import { notificationMessages as t } from './messages.en.ts';

const MAX_TRIES = 5;
const HELD_MS: Ms = 60_000;
const WAIT_MS: Ms = 60_000;
const MAX_WAIT_MS: Ms = 3_600_000;
const BATCH_SIZE = 20;
/** Browsers in which the portal was not opened for this long get no more notifications. */
const SEEN_MS: Ms = 30 * 86_400_000;

interface Due {
  readonly device: string;
  readonly subscription: Subscription;
  readonly notice: PushNotice;
  readonly categories: readonly { readonly category: NotifyCategory; readonly facts: number }[];
  readonly tries: number;
}

/**
 * NOTIFY-5: deletes devices whose session was ended or whose user no longer exists. Call it before
 * anything is sent.
 */
export async function dropDevices({ sql: db, tenant }: TenantTx, now: Ms): Promise<void> {
  await sql`delete from push_device where tenant_id = ${tenant} and (seen_at < ${now - SEEN_MS} or exists (select from session where session.tenant_id = push_device.tenant_id and session.id = push_device.session_id and session.ended_at is not null))`.execute(
    db,
  );
  await sql`delete from push_waiting where tenant_id = ${tenant} and not exists (select from push_device where push_device.tenant_id = push_waiting.tenant_id and push_device.id = push_waiting.device_id)`.execute(
    db,
  );
}

/** Quiet hours end within a day, plus an hour when the clocks change. */
const LONGEST_QUIET_MS: Ms = 25 * 3_600_000;

/** `lease`: of the job (JOB-11). */
export async function pushDue(context: AppContext, tenant: TenantId, lease: string): Promise<void> {
  const now = context.clock.now();
  const any = await context.store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('push_waiting')
        .select('device_id')
        .where('tenant_id', '=', tenant)
        .where(isDue(now, lease))
        .limit(1)
        .executeTakeFirst(),
    { readOnly: true },
  );
  if (!any) return;
  const { due, vapid } = await context.store.tenant(tenant, async (tx) => {
    await dropDevices(tx, now);
    return { due: await takeDue(tx, context, now, lease), vapid: await loadVapid(tx, context) };
  });
  await Promise.all(due.map((one) => sendOne(context, tenant, vapid, one, lease)));
}

const isDue = (now: Ms, lease: string): RawBuilder<boolean> =>
  sql<boolean>`(${columnOver('next_at', now, LONGEST_QUIET_MS)} or ${isLeftBehind('held_by', lease)})`;

/**
 * Returns what is due, with all of a device's categories in one notification. During quiet hours it
 * stays in the queue.
 */
async function takeDue(
  tx: TenantTx,
  context: AppContext,
  now: Ms,
  lease: string,
): Promise<readonly Due[]> {
  const { sql: db, tenant } = tx;
  const rows = await db
    .selectFrom('push_waiting')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where(isDue(now, lease))
    .orderBy('at')
    .limit(BATCH_SIZE * NOTIFY_CATEGORIES.length)
    .forUpdate()
    .skipLocked()
    .execute();
  const devices = await db
    .selectFrom('push_device')
    .innerJoin('notify_setting', (on) =>
      on
        .onRef('notify_setting.tenant_id', '=', 'push_device.tenant_id')
        .onRef('notify_setting.user_id', '=', 'push_device.user_id'),
    )
    .select([
      'push_device.id',
      'push_device.user_id',
      'push_device.sealed',
      'notify_setting.settings',
    ])
    .where('push_device.tenant_id', '=', tenant)
    .where('push_device.id', 'in', rows.map(({ device_id }) => device_id).concat(NOBODY))
    .execute();
  const listeners = await loadListeners(
    tx,
    devices.map(({ user_id }) => user_id),
  );
  const { name } = await loadBranding(tx);
  const companies = await tx.rows(
    'company',
    rows.flatMap(({ company_n }) => company_n ?? []),
  );
  const found: Due[] = [];
  for (const { id, user_id, sealed, settings } of devices.slice(0, BATCH_SIZE)) {
    const listener = listeners.get(user_id);
    const quiet = isQuiet(settings.quiet, settings.timeZone, now);
    const own = rows.filter(({ device_id }) => device_id === id);
    // Drops what the user can no longer see or has turned off since.
    const heard = own.filter(
      ({ category, company_n }) =>
        listener?.categories.includes(category) === true &&
        settings.categories[category].push &&
        (company_n === null ||
          (!listener.deleted.has(company_n) &&
            (listener.companies === null || listener.companies.has(company_n)))),
    );
    const of = (which: readonly { readonly category: NotifyCategory }[]) =>
      db
        .updateTable('push_waiting')
        .set({
          next_at: quiet ? quietUntil(settings.quiet, settings.timeZone, now) : now + HELD_MS,
          held_by: quiet ? null : lease,
        })
        .where('tenant_id', '=', tenant)
        .where('device_id', '=', id)
        .where(
          'category',
          'in',
          which.map(({ category }) => category),
        )
        .execute();
    const dropped = own.filter((one) => !heard.includes(one)).map(({ category }) => category);
    if (dropped.length > 0)
      await db
        .deleteFrom('push_waiting')
        .where('tenant_id', '=', tenant)
        .where('device_id', '=', id)
        .where('category', 'in', dropped)
        .execute();
    if (heard.length === 0) continue;
    await of(heard);
    if (quiet) continue;
    const [first] = heard;
    const names = new Set(heard.map(({ company_n }) => company_n));
    const [company = null] = names;
    const companyName =
      names.size === 1 && company !== null ? companies.get(company)?.name : undefined;
    const body = withLanguage(await loadUserLanguage(tx, user_id), () => {
      const summary = formatList(
        NOTIFY_CATEGORIES.flatMap((category) =>
          heard
            .filter((one) => one.category === category)
            .map(({ facts }) => factsInWords(category, facts)),
        ),
        'and',
      );
      return companyName === undefined ? summary : t.atCompany({ summary, company: companyName });
    });
    found.push({
      device: id,
      subscription: JSON.parse(
        await unseal(tx, context, { table: 'push_device', column: 'sealed', row: id }, sealed),
      ) as Subscription,
      categories: heard,
      tries: Math.max(...heard.map(({ tries }) => tries)),
      notice: {
        title: toOneLine(name),
        body: toOneLine(body),
        link:
          heard.length === 1 && first
            ? first.link
            : getFactLink(
                heard.some(({ category }) => category === 'failed')
                  ? 'failed'
                  : (first?.category ?? 'failed'),
                names.size === 1 ? company : null,
              ),
        tag: heard.map(({ category }) => category).join(),
      },
    });
  }
  return found;
}
const NOBODY = '00000000-0000-0000-0000-000000000000';

async function sendOne(
  context: AppContext,
  tenant: TenantId,
  vapid: Vapid,
  { device, subscription, notice, categories, tries }: Due,
  lease: string,
): Promise<void> {
  const pushed = await push(context, vapid, subscription, notice);
  await context.store.tenant(tenant, async (tx) => {
    const { sql: db } = tx;
    const now = context.clock.now();
    await keepPushed(tx, device, pushed, now);
    const over = pushed.ok || pushed.gone || tries + 1 >= MAX_TRIES;
    for (const { category, facts } of categories) {
      // Facts that were added during the send are kept.
      const whole =
        over &&
        Number(
          (
            await db
              .deleteFrom('push_waiting')
              .where('tenant_id', '=', tenant)
              .where('device_id', '=', device)
              .where('category', '=', category)
              .where('held_by', '=', lease)
              .where('facts', '<=', facts)
              .executeTakeFirst()
          ).numDeletedRows,
        ) > 0;
      if (!whole)
        await db
          .updateTable('push_waiting')
          .set(
            over
              ? (e) => ({
                  facts: e('facts', '-', facts),
                  tries: 0,
                  next_at: now,
                  at: now,
                  held_by: null,
                })
              : {
                  held_by: null,
                  tries: tries + 1,
                  next_at: now + Math.min(MAX_WAIT_MS, pushed.afterMs ?? WAIT_MS * 2 ** tries),
                },
          )
          .where('tenant_id', '=', tenant)
          .where('device_id', '=', device)
          .where('category', '=', category)
          .where('held_by', '=', lease)
          .execute();
    }
  });
}

/**
 * NOTIFY-5: deletes a device that its push service no longer knows; otherwise stores the outcome.
 */
export async function keepPushed(
  { sql: db, tenant }: TenantTx,
  device: string,
  { ok, gone, message }: Pushed,
  now: Ms,
): Promise<void> {
  if (gone)
    await db
      .deleteFrom('push_device')
      .where('tenant_id', '=', tenant)
      .where('id', '=', device)
      .execute();
  else
    await db
      .updateTable('push_device')
      .set(ok ? { last_at: now, fault: null } : { fault: message })
      .where('tenant_id', '=', tenant)
      .where('id', '=', device)
      .execute();
}
