import { SECOND_MS } from '#contract/time/durations.ts';
import type { Stripe } from 'stripe';
import { findPrices } from '#contract/billing/service-levels.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import { getNextStatus, isFailing, type SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { findSubscription } from '../subscriptions/load.ts';
import { getMonthAt } from '../subscriptions/month.ts';
import { loadOverdue } from '../subscriptions/overdue-invoices.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { endAtStripe } from './change-at-stripe.ts';
import { loadUncollectedMills } from './collection-errors.ts';
import { ensureCustomer, useSubscriptionCard } from './customer.ts';
import { getOwedMills, listOpenInvoices } from './open-invoices.ts';
import { findPayer, recordPage, type Payer } from './payer.ts';
import { getReconcileEvents } from './reconcile.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';
import { describeTerms } from './terms-text.ts';
import { findZeroItem } from './zero-price.ts';

/** Stripe takes the end of a trial that is at least 48 hours away. */
const MIN_TRIAL_MS: Ms = 49 * 3_600_000;
/** Stripe ends an open page after a day, and an event can be late for three. */
const PAGE_MS: Ms = 5 * 86_400_000;

/** A subscription that can begin to be paid by card, and the price at Stripe of its level. */
interface Payable {
  readonly row: SubscriptionRow;
  readonly price: string;
}

/** BILL-22: a company that has a subscription begins to pay it by card, on Stripe's page. */
export const subscribeByCard =
  (context: AppContext): Handlers['subscribeByCard'] =>
  async (input, ctx) => {
    const payer = await findPayer(context, ctx, input);
    if (!payer.ok) return payer;
    const { company, address } = payer.value;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
    const pages = await loadPages(context, ctx.tenant, company);
    const cancelUrl = `${address}/o365/service-level`;
    const found = await findPayable(context, ctx, payer.value);
    if (!found.ok) return found;
    const { row, price } = found.value;
    const terms = describeTerms(row);
    for (const id of pages) {
      const opened = await reopen(context, ctx.tenant, stripe, { id, terms, cancelUrl, row });
      if (!opened.ok) return opened;
      if (opened.value !== undefined) return ok({ url: opened.value });
    }
    const item = await findZeroItem(context, ctx.tenant, stripe, {
      price,
      currency: row.currency,
    });
    if (!item.ok) return item;
    const customer = await ensureCustomer(context, ctx.tenant, stripe, payer.value);
    if (!customer.ok) return customer;
    const { trialEndsAt } = row;
    const body = {
      mode: 'subscription' as const,
      customer: customer.value,
      client_reference_id: row.id,
      line_items: [item.value],
      metadata: { terms },
      custom_text: { submit: { message: terms } },
      ...(trialEndsAt !== null &&
        trialEndsAt >= ctx.now + MIN_TRIAL_MS && {
          subscription_data: { trial_end: Math.floor(trialEndsAt / SECOND_MS) },
        }),
      success_url: `${address}/subscriptions/checkout/{CHECKOUT_SESSION_ID}/success`,
      cancel_url: cancelUrl,
    };
    const session = await writeStripe(
      context,
      ctx.tenant,
      { what: `subscribe:${row.id}`, body },
      (options) => stripe.checkout.sessions.create(body, options),
    );
    if (!session.ok) return session;
    const { id, url } = session.value;
    if (url === null) return failed({ kind: 'conflict', message: MESSAGES.stripeRefused });
    await context.store.tenant(ctx.tenant, async (tx) => {
      await tx.sql
        .insertInto('stripe_checkout')
        .values({
          tenant_id: ctx.tenant,
          id,
          company_n: company,
          at: ctx.now,
          subscription_id: row.id,
        })
        .onConflict((on) => on.doNothing())
        .execute();
      await scheduleRecurring(tx, 'payments', ctx.now);
    });
    await recordPage(context, ctx, 'card.subscription', company);
    return ok({ url });
  };

/** Pages that were opened lately and didn't lead to a payment, newest first. */
const loadPages = (
  context: AppContext,
  tenant: TenantId,
  company: number | null,
): Promise<readonly string[]> =>
  context.store.tenant(
    tenant,
    async ({ sql }) =>
      (
        await sql
          .selectFrom('stripe_checkout')
          .select('id')
          .where('tenant_id', '=', tenant)
          .where('subscription_id', 'is not', null)
          .where('linked_at', 'is', null)
          .where('at', '>', context.clock.now() - PAGE_MS)
          .$if(company !== null, (query) => query.where('company_n', '=', company ?? 0))
          .orderBy('at', 'desc')
          .execute()
      ).map(({ id }) => id),
    { readOnly: true },
  );

const refuse = (message: string): Result<never> => failed({ kind: 'conflict', message });

function findPayable(
  context: AppContext,
  { tenant }: SessionContext,
  { company }: Payer,
): Promise<Result<Payable>> {
  return context.store.tenant(
    tenant,
    async (tx): Promise<Result<Payable>> => {
      const row = await findSubscription(tx, company);
      if (row === null || row.status === 'ended') return refuse(MESSAGES.noSubscription);
      if (!isWithoutCard(row)) return refuse(MESSAGES.paysByCardAlready);
      if (row.status !== 'active' && row.status !== 'pending' && !isFailing(row))
        return refuse(MESSAGES.subscriptionNotNow);
      if (row.userMills === 0 && row.gigabyteMills === 0) return refuse(MESSAGES.levelIsFree);
      const price = findPrices(await loadBillingSettings(tx), row.level)?.stripePrice ?? null;
      return price === null ? refuse(MESSAGES.levelWithoutPrice) : ok({ row, price });
    },
    { readOnly: true },
  );
}

/** A restored subscription had a card; Stripe's subscription of it has ended. */
const isWithoutCard = ({ hasCard, status }: SubscriptionRow): boolean =>
  !hasCard || status === 'pending';

/**
 * Returns the page that another tab opened, so that nobody subscribes twice. Null: it was paid, and the
 * subscription is paid by card now. Undefined: another page is needed, so this one ends.
 */
async function reopen(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  wanted: {
    readonly id: string;
    readonly terms: string;
    readonly cancelUrl: string;
    readonly row: SubscriptionRow;
  },
): Promise<Result<string | null | undefined>> {
  const fetched = await fetchPage(stripe, wanted.id);
  if (!fetched.ok) return fetched;
  const page = fetched.value;
  if (page === null) return ok(undefined);
  if (page.status === 'complete') {
    const linked = await finishCompanyCheckout(context, tenant, stripe, page);
    if (!linked.ok) return linked;
    return ok(linked.value ? null : undefined);
  }
  if (page.status !== 'open') return ok(undefined);
  const isSame =
    page.metadata?.['terms'] === wanted.terms &&
    page.cancel_url === wanted.cancelUrl &&
    page.client_reference_id === wanted.row.id;
  if (isSame && page.url !== null) return ok(page.url);
  const ended = await writeStripe(
    context,
    tenant,
    { what: `expire:${page.id}`, body: null },
    (options) => stripe.checkout.sessions.expire(page.id, {}, options),
  );
  return ended.ok ? ok(undefined) : ended;
}

async function fetchPage(
  stripe: Stripe,
  id: string,
): Promise<Result<Stripe.Checkout.Session | null>> {
  const fetched = await readStripe(() =>
    stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] }),
  );
  return fetched.ok || fetched.failure.kind !== 'not-found' ? fetched : ok(null);
}

/** Links what was paid while Stripe's event was lost, or what was begun and not finished (BILL-10). */
export async function linkLostPages(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
): Promise<Result<unknown>> {
  for (const id of await loadPages(context, tenant, null)) {
    const page = await fetchPage(stripe, id);
    const linked =
      page.ok && page.value?.status === 'complete'
        ? await finishCompanyCheckout(context, tenant, stripe, page.value)
        : page;
    // A page that Stripe refuses doesn't stop the others.
    if (!linked.ok && linked.failure.kind === 'busy') return linked;
  }
  return ok(null);
}

/**
 * Makes the subscription of a completed page the one that pays for the company's. One that can't be
 * paid by card now is ended at Stripe: a second one, such as of another tab, one that was cancelled
 * meanwhile, or whose company was deleted. Nothing was charged. Returns whether this page's is the one
 * that counts. What ends in between is done by the next call; repeated after that, it changes nothing.
 */
export async function finishCompanyCheckout(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  session: Stripe.Checkout.Session,
): Promise<Result<boolean>> {
  const { subscription } = session;
  if (subscription === null || typeof subscription === 'string') return ok(false);
  const page = await findPage(context, tenant, session.id);
  if (page === null) return ok(false);
  const { customer } = subscription;
  const open = await listOpenInvoices(
    stripe,
    typeof customer === 'string' ? customer : customer.id,
  );
  if (!open.ok) return open;
  const isUsed = await context.store.tenant(tenant, (tx) =>
    link(tx, context, page, { subscription, owedAtStripe: getOwedMills(open.value) }),
  );
  if (page.isDone) return ok(isUsed);
  const acted = isUsed
    ? await useSubscriptionCard(context, tenant, stripe, subscription)
    : await endAtStripe(context, tenant, stripe, subscription.id);
  if (!acted.ok) return acted;
  await context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('stripe_checkout')
      .set({ linked_at: context.clock.now() })
      .where('tenant_id', '=', tenant)
      .where('id', '=', session.id)
      .execute(),
  );
  return ok(isUsed);
}

/** A page that a company opened. `isDone`: nothing is left to do for it. */
interface OpenedPage {
  readonly company: CompanyN;
  readonly subscription: string;
  readonly isDone: boolean;
}

/** Null: no company opened the page. */
const findPage = (context: AppContext, tenant: TenantId, id: string): Promise<OpenedPage | null> =>
  context.store.tenant(
    tenant,
    async ({ sql }) => {
      const row = await sql
        .selectFrom('stripe_checkout')
        .select(['company_n', 'subscription_id', 'linked_at'])
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.subscription_id == null
        ? null
        : {
            company: row.company_n,
            subscription: row.subscription_id,
            isDone: row.linked_at !== null,
          };
    },
    { readOnly: true },
  );

/** Returns whether the subscription of a page counts from now on. */
async function link(
  tx: TenantTx,
  context: AppContext,
  page: OpenedPage,
  at: { readonly subscription: Stripe.Subscription; readonly owedAtStripe: Mills },
): Promise<boolean> {
  await tx.lock();
  const { subscription } = at;
  const { tenant } = tx;
  const now = context.clock.now();
  const customer = await tx.sql
    .selectFrom('stripe_customer')
    .select(['subscription_id', 'ended_at', 'collected_from'])
    .where('tenant_id', '=', tenant)
    .where('company_n', '=', page.company)
    .executeTakeFirst();
  if (customer?.subscription_id === subscription.id) return customer.ended_at === null;
  const row = (await tx.rows('subscription', [page.subscription])).get(page.subscription);
  const company = (await tx.rows('company', [page.company])).get(page.company);
  const isPaid = customer?.subscription_id != null && customer.ended_at === null;
  if (
    page.isDone ||
    hasEnded(subscription) ||
    row === undefined ||
    (getNextStatus(row.status, 'cardAttached') === null && !isFailing(row)) ||
    (row.hasCard && isPaid) ||
    !isWithoutCard(row) ||
    company?.deletedAt !== undefined
  )
    return false;
  const { timeZone } = await loadCompanyLimit(tx);
  await tx.sql
    .updateTable('stripe_customer')
    .set((one) => ({
      subscription_id: subscription.id,
      ended_at: null,
      metered_day: null,
      collected_from: customer?.collected_from ?? getMonthAt(now, timeZone).text,
      // Reads of the one before change nothing any more.
      applied_n: one.ref('read_n'),
      read_at: 0,
    }))
    .where('tenant_id', '=', tenant)
    .where('company_n', '=', page.company)
    .execute();
  const about = { company: row.company, entity: `subscription:${row.id}` };
  const by = { actor: { kind: 'clock' }, subject: null, commandId: null, at: now } as const;
  const periodEndsAt = (subscription.items.data[0]?.current_period_end ?? 0) * SECOND_MS;
  await tx.append(
    [
      {
        ...about,
        event: {
          type: 'subscription.cardAttached@1',
          // What is owed isn't settled by a card (BILL-13).
          data: { id: row.id, periodEndsAt, ...(isFailing(row) && { owedMills: row.owedMills }) },
        },
      },
    ],
    by,
  );
  const { graceDays } = await loadBillingSettings(tx);
  const getOverdue = await loadOverdue(tx, { timeZone, now });
  const getUncollected = await loadUncollectedMills(tx);
  // A restored subscription runs first, and what is owed starts its grace period then.
  for (let turn = 0; turn < 2; turn += 1) {
    const attached = (await tx.rows('subscription', [row.id])).get(row.id) ?? row;
    const owedMills = at.owedAtStripe + getOverdue(attached) + getUncollected(row.company);
    await tx.append(
      getReconcileEvents(attached, subscription, { owedMills, graceDays, now }).map((event) => ({
        ...about,
        event,
      })),
      by,
    );
  }
  await scheduleRecurring(tx, 'subscriptions', now);
  return true;
}

const hasEnded = ({ status }: Stripe.Subscription): boolean =>
  status === 'canceled' || status === 'incomplete_expired';
