import { SECOND_MS } from '#contract/time/durations.ts';
import type { Selectable } from 'kysely';
import type { Stripe } from 'stripe';
import { findPrices } from '#contract/billing/service-levels.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { isUsernameTaken, usernameKey } from '#server/platform/auth/usernames.ts';
import type { SignUpTable } from '#server/platform/db/database-billing.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { isCompanyNameTaken } from '#server/platform/tenancy/company-names.ts';
import { useSubscriptionCard } from '../stripe/customer.ts';
import { getMonthAt, getMonthEnd } from '../subscriptions/month.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';

export type SignUpRow = Selectable<SignUpTable>;

/** What Stripe knows of a new subscriber; null if the level is free. */
interface Payment {
  readonly customer: string;
  readonly subscription: string;
  /** Paid, or in its trial. */
  readonly isRunning: boolean;
  readonly periodEndsAt: Ms;
  readonly trialEndsAt: Ms | null;
}

/** Creates the account of a sign-up whose checkout is complete. A repeated call changes nothing. */
export async function finishSignUp(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  session: Stripe.Checkout.Session,
): Promise<Result<unknown>> {
  const id = session.client_reference_id;
  const { customer, subscription } = session;
  if (id === null || customer === null || subscription === null) return ok(null);
  if (typeof subscription === 'string') return ok(null);
  const payment: Payment = {
    customer: typeof customer === 'string' ? customer : customer.id,
    subscription: subscription.id,
    isRunning: subscription.status === 'active' || subscription.status === 'trialing',
    periodEndsAt: (subscription.items.data[0]?.current_period_end ?? 0) * SECOND_MS,
    trialEndsAt: subscription.trial_end === null ? null : subscription.trial_end * SECOND_MS,
  };
  const isCurrent = await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const row = await tx.sql
      .selectFrom('sign_up')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .executeTakeFirst();
    // Stripe's page may have been opened twice; the session that was opened last counts.
    if (row?.ready_at === null && row.session_id === session.id)
      await provision(tx, context, row, payment);
    return row?.session_id === session.id;
  });
  return isCurrent ? useSubscriptionCard(context, tenant, stripe, subscription) : ok(null);
}

/** Creates company, user and subscription. Requires the lock of the head row. */
export async function provision(
  tx: TenantTx,
  context: AppContext,
  row: SignUpRow,
  payment: Payment | null,
): Promise<void> {
  const now = context.clock.now();
  const settings = await loadBillingSettings(tx);
  const prices = findPrices(settings, row.level);
  const n = await tx.take('company', 1);
  const user = context.chance.uuid() as UserId;
  const subscription = context.chance.uuid();
  const { timeZone } = await loadCompanyLimit(tx);
  const name = await findFreeName(tx, row.company);
  const username = await findFreeUsername(tx, row.email);
  const events: readonly NewEvent[] = [
    about(n, { type: 'company.created@1', data: { n, id: context.chance.uuid(), name } }),
    about(n, {
      type: 'company.updated@1',
      data: {
        n,
        name,
        applications: {
          ...NO_APPLICATIONS,
          office365: { ...NO_APPLICATIONS.office365, enabled: true },
        },
        veeamId: null,
        notify: [],
      },
    }),
    {
      event: { type: 'user.created@1', data: { id: user, roles: ['o365_admin'], companies: [n] } },
      company: null,
      entity: `user:${user}`,
    },
    {
      event: {
        type: 'subscription.started@1',
        data: {
          id: subscription,
          company: n,
          // A payment that takes days, such as a debit, is confirmed by a later event.
          status: payment === null || payment.isRunning ? 'active' : 'pending',
          currency: settings.currency,
          level: row.level,
          userMills: prices?.userMills ?? 0,
          gigabyteMills: prices?.gigabyteMills ?? 0,
          minimumUsers: 0,
          periodEndsAt: payment?.periodEndsAt ?? getMonthEnd(getMonthAt(now, timeZone), timeZone),
          trialEndsAt: payment?.trialEndsAt ?? null,
          hasCard: payment !== null,
        },
      },
      company: n,
      entity: `subscription:${subscription}`,
    },
  ];
  await tx.append(events, {
    actor: { kind: 'user', id: user },
    subject: null,
    commandId: null,
    at: now,
  });
  await tx.sql
    .insertInto('person')
    .values({
      tenant_id: tx.tenant,
      id: user,
      username,
      username_key: usernameKey(username),
      name: row.name,
      email: row.email,
      email_verified: true,
      // A sign-up of a former version has none: the user sets one by email.
      password_hash: row.password_hash || null,
      password_at: now,
      // The first run begins there.
      settings: JSON.stringify({ landingPage: '/o365/dashboard' }),
    })
    .execute();
  if (payment !== null)
    await tx.sql
      .insertInto('stripe_customer')
      .values({
        tenant_id: tx.tenant,
        company_n: n,
        customer_id: payment.customer,
        subscription_id: payment.subscription,
        collected_from: getMonthAt(now, timeZone).text,
      })
      .execute();
  // The result page of its checkout, for the user who has signed in.
  if (payment !== null && row.session_id !== null)
    await tx.sql
      .insertInto('stripe_checkout')
      .values({ tenant_id: tx.tenant, id: row.session_id, company_n: n, at: now, linked_at: now })
      .execute();
  await tx.sql
    .updateTable('sign_up')
    .set({ ready_at: now, password_hash: '', company_n: n })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', row.id)
    .execute();
}

const about = (n: number, event: NewEvent['event']): NewEvent => ({
  event,
  company: n,
  entity: `company:${n}`,
});

/** Another company may have the name; its users must not learn of this one. */
async function findFreeName(tx: TenantTx, name: string): Promise<string> {
  let free = name;
  for (let count = 2; await isCompanyNameTaken(tx, free, null); count += 1)
    free = `${name} (${count})`;
  return free;
}

async function findFreeUsername(tx: TenantTx, email: string): Promise<string> {
  let free = email;
  for (let count = 2; await isUsernameTaken(tx, free, null); count += 1) free = `${email}.${count}`;
  return free;
}
