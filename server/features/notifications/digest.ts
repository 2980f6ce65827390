import { withLanguage } from '#contract/i18n/messages.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { NotifyCategory, NotifySettings } from '#contract/notifications/notifications.ts';
import { getReview } from '#contract/runs/review.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { columnOver, LONGEST_PERIOD_MS } from '../../platform/clock-bounds.ts';
import { loadMailAddress } from '#server/platform/auth/email-confirmation.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import { describeError } from '#server/platform/http/serve-call.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { openProblems } from '#server/platform/queries/problems.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hears, loadListeners } from './audience.ts';
import { digestMail } from './digest-mail.ts';
import type { Digest } from './digest-mail.ts';
import { digestAfter, lastDigest } from './due.ts';
import type { NotificationFact } from './fact.ts';
import { problemFacts, ticketFacts } from './new-facts.ts';
import { findOpenFacts } from './open-facts.ts';

/**
 * NOTIFY-3: sends the digests that are due. After a downtime only the last missed digest is sent,
 * and only if it is no more than a few hours late. The email and its record are written in one
 * transaction, so two servers send it once.
 */
export async function sendDigests(context: AppContext, tenant: TenantId, now: Ms): Promise<void> {
  const due = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('notify_setting')
        .select('user_id')
        .where('tenant_id', '=', tenant)
        .where(columnOver('next_at', now, LONGEST_PERIOD_MS))
        .orderBy('next_at')
        .execute(),
    { readOnly: true },
  );
  for (const { user_id: user } of due) {
    try {
      await context.store.tenant(tenant, (tx) => sendDue(tx, context, user, now));
    } catch (error) {
      // A failed digest does not stop the others. It is tried again when the next one is due.
      context.log.error('a digest could not be sent', { tenant, ...describeError(error) });
      await context.store.tenant(tenant, (tx) => sendDue(tx, context, user, now, true));
    }
  }
}

async function sendDue(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  now: Ms,
  skip = false,
): Promise<void> {
  const { sql, tenant } = tx;
  const row = await sql
    .selectFrom('notify_setting')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where(columnOver('next_at', now, LONGEST_PERIOD_MS))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row || row.next_at === null) return;
  const late = now - lastDigest(row.settings, row.next_at, now);
  const sent =
    !skip &&
    late <= LIMITS.digestLateMs &&
    (await sendDigest(
      tx,
      context,
      user,
      row.settings,
      row.last_at,
      now,
      row.settings.digest.whenWell,
    )) !== null;
  await sql
    .updateTable('notify_setting')
    .set({ next_at: digestAfter(row.settings, now), ...(sent && { last_at: now }) })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .execute();
}

/**
 * Returns the recipient's address; null if nothing was sent, because the user does not exist, has
 * no verified address, or there is nothing to report. `since`: includes tickets closed after this
 * time.
 */
export async function sendDigest(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  settings: NotifySettings,
  since: Ms | null,
  now: Ms,
  alsoWell: boolean,
): Promise<string | null> {
  const to = await loadMailAddress(tx, user);
  if (to === null) return null;
  const digest = await gather(tx, context, user, settings, since, now);
  if (digest === null || (digest.facts.length === 0 && !alsoWell)) return null;
  const branding = await loadBranding(tx);
  const mail = withLanguage(await loadUserLanguage(tx, user), () => digestMail(digest, branding));
  await post(tx, context, { kind: 'mail', to, ...mail });
  return to;
}

async function gather(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  settings: NotifySettings,
  since: Ms | null,
  now: Ms,
): Promise<Digest | null> {
  const listener = (await loadListeners(tx, [user])).get(user);
  if (!listener) return null;
  const wanted = (category: NotifyCategory): boolean =>
    settings.categories[category].mail && listener.categories.includes(category);
  const hear = (facts: readonly NotificationFact[]): readonly NotificationFact[] =>
    facts.filter((fact) => wanted(fact.category) && hears(listener, fact));
  const problems =
    wanted('failed') || wanted('missed')
      ? (
          await openProblems(tx, {
            companies: listener.companies && [...listener.companies],
            without: [...listener.deleted],
          })
        ).filter(({ state }) =>
          state === 'Missed'
            ? wanted('missed')
            : (state === 'Failed' || state === 'Error') && wanted('failed'),
        )
      : [];
  const pending = problems
    .filter((one) => getReview(one, now) === 'pending')
    .toSorted((a, b) => b.lastAt - a.lastAt);
  const closed = wanted('ticket')
    ? await tx.sql
        .selectFrom('ticket')
        .select('row')
        .where('tenant_id', '=', tx.tenant)
        .where('open', '=', 0)
        .execute()
    : [];
  const tickets = closed.flatMap(({ row: { id, closedAt, closedBy } }) =>
    closedBy === 'system' && closedAt !== null && closedAt > (since ?? now - DAY_MS) ? [id] : [],
  );
  return {
    facts: [
      ...hear(await problemFacts(tx, pending)),
      ...hear(await findOpenFacts(tx, now)),
      ...hear(await ticketFacts(tx, tickets)),
    ],
    reviewed: problems.filter(
      ({ review, ...one }) => review !== null && getReview({ ...one, review }, now) === 'cleared',
    ).length,
    at: now,
    timeZone: settings.timeZone,
    portal: await loadPortalAddress(tx, context),
  };
}
