import {
  findPrices,
  type BillingSettings,
  type ServiceLevel,
} from '#contract/billing/service-levels.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import { getBilledUsage, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { Event } from '#contract/events.ts';
import type { CompanyN, Ms, UserId } from '#contract/ids.ts';
import { startOfDay } from '#contract/time/day.ts';
import { DAY_MS, HOUR_MS } from '#contract/time/durations.ts';
import { countUsage } from '../../features/billing/subscriptions/count-usage.ts';
import {
  getMonthAt,
  getMonthBefore,
  getMonthEnd,
  type CalendarMonth,
} from '../../features/billing/subscriptions/month.ts';
import { loadBillingSettings } from '../../features/billing/subscriptions/settings.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { scheduleRecurring } from '../../platform/jobs/schedule.ts';
import { loadCompanyLimit } from '../../platform/queries/query.ts';
import type { ProviderPlan } from '../plan.ts';

/** Months before the current one of which the demo has usage. */
const PAST_MONTHS = 3;
const FIRST_INVOICE = 1_041;
/** Invoices of cards, as the demo's Stripe numbers them. Those of QuickBooks are numbers. */
const CARD_PREFIX = 'STAND-';

/** A subscription of the demo. `outcome`: what happened to it; `isChanged`: somebody corrected its usage. */
interface Sale {
  /** The company, by its index in the plan. */
  readonly company: number;
  readonly level: ServiceLevel;
  readonly minimumUsers: number;
  readonly monthsAgo: number;
  readonly hasCard?: true;
  readonly isChanged?: true;
  readonly outcome?:
    | 'cancelled'
    | 'failed'
    | 'disabled'
    | 'ended'
    | 'trial'
    | 'pending'
    | undefined;
}

/** Company 1 has the organization of the demo, so its users are counted; the others bill their minimum. */
const SALES: readonly Sale[] = [
  { company: 1, level: 'advanced', minimumUsers: 10, monthsAgo: 3, hasCard: true },
  { company: 10, level: 'basic', minimumUsers: 45, monthsAgo: 3, isChanged: true },
  { company: 2, level: 'businessCritical', minimumUsers: 120, monthsAgo: 3 },
  { company: 3, level: 'basic', minimumUsers: 18, monthsAgo: 2, outcome: 'cancelled' },
  { company: 4, level: 'basic', minimumUsers: 32, monthsAgo: 2, hasCard: true, outcome: 'failed' },
  { company: 5, level: 'advanced', minimumUsers: 12, monthsAgo: 3, outcome: 'disabled' },
  { company: 6, level: 'basic', minimumUsers: 8, monthsAgo: 3, outcome: 'ended' },
  { company: 7, level: 'advanced', minimumUsers: 25, monthsAgo: 0, outcome: 'trial' },
  { company: 8, level: 'licenseStorage', minimumUsers: 60, monthsAgo: 3, isChanged: true },
  { company: 9, level: 'basic', minimumUsers: 6, monthsAgo: 0, hasCard: true, outcome: 'pending' },
];

/** Gives companies of the demo subscriptions in every state, with usage and invoices of the past. */
export async function addDemoSubscriptions(
  tx: TenantTx,
  context: AppContext,
  plan: ProviderPlan,
  owner: UserId | null,
): Promise<void> {
  await tx.lock();
  const now = context.clock.now();
  const settings = await loadBillingSettings(tx);
  const { timeZone } = await loadCompanyLimit(tx);
  const months = listMonths(getMonthAt(now, timeZone));
  const numbers = new Map((await tx.all('company')).map(({ id, n }) => [id, n]));
  const sales = new Map<CompanyN, Sale>();
  for (const sale of SALES) {
    const company = numbers.get(plan.companies[sale.company]?.id ?? '');
    const month = months[sale.monthsAgo];
    if (company === undefined || month === undefined) continue;
    sales.set(company, sale);
    await addSubscription(tx, context, { sale, company, settings, timeZone, now, month });
  }
  for (const [monthsAgo, month] of [...months.entries()].toReversed())
    await closeMonth(tx, context, { monthsAgo, month, timeZone, now, owner, sales });
  await scheduleRecurring(tx, 'subscriptions', now);
}

/** The current month first. */
function listMonths(current: CalendarMonth): readonly CalendarMonth[] {
  const months = [current];
  for (let count = 0; count < PAST_MONTHS; count += 1)
    months.push(getMonthBefore(months.at(-1) ?? current));
  return months;
}

interface Start {
  readonly sale: Sale;
  readonly company: CompanyN;
  readonly settings: BillingSettings;
  readonly timeZone: string;
  readonly now: Ms;
  readonly month: CalendarMonth;
}

async function addSubscription(
  tx: TenantTx,
  context: AppContext,
  { sale, company, settings, timeZone, now, month }: Start,
): Promise<void> {
  const { level, minimumUsers, hasCard = false, outcome } = sale;
  const prices = findPrices(settings, level);
  const id = context.chance.uuid();
  const userMills = prices?.userMills ?? 0;
  const periodEndsAt = getMonthEnd(getMonthAt(now, timeZone), timeZone);
  const startedAt = Math.min(now, startOfDay(month.first, timeZone, 0) + 9 * HOUR_MS);
  await append(tx, startedAt, company, `subscription:${id}`, {
    type: 'subscription.started@1',
    data: {
      id,
      company,
      status: outcome === 'pending' ? 'pending' : 'active',
      currency: settings.currency,
      level,
      userMills,
      gigabyteMills: prices?.gigabyteMills ?? 0,
      minimumUsers,
      periodEndsAt,
      trialEndsAt: outcome === 'trial' ? now + 12 * DAY_MS : null,
      hasCard,
    },
  });
  if (hasCard)
    await tx.sql
      .insertInto('stripe_customer')
      .values({
        tenant_id: tx.tenant,
        company_n: company,
        customer_id: `cus_demo${company}`,
        subscription_id: outcome === 'pending' ? null : `sub_demo${company}`,
        collected_from: getMonthAt(now, timeZone).text,
      })
      .onConflict((on) => on.doNothing())
      .execute();
  for (const event of getLaterEvents({ id, outcome, now, owedMills: userMills * minimumUsers }))
    await append(tx, now - DAY_MS, company, `subscription:${id}`, event);
}

function getLaterEvents({
  id,
  outcome,
  now,
  owedMills,
}: Pick<Sale, 'outcome'> & {
  readonly id: string;
  readonly now: Ms;
  readonly owedMills: number;
}): readonly Event[] {
  const failed = (graceEndsAt: Ms): Event => ({
    type: 'subscription.failed@1',
    data: { id, graceEndsAt, owedMills },
  });
  switch (outcome) {
    case 'cancelled':
      return [{ type: 'subscription.cancelled@1', data: { id } }];
    case 'failed':
      return [failed(now + 10 * DAY_MS)];
    case 'disabled':
      return [failed(now - DAY_MS), { type: 'subscription.disabled@1', data: { id } }];
    case 'ended':
      return [{ type: 'subscription.ended@1', data: { id } }];
    case 'trial':
    case 'pending':
    case undefined:
      return [];
    default:
      return outcome satisfies never;
  }
}

interface Close {
  readonly monthsAgo: number;
  readonly month: CalendarMonth;
  readonly timeZone: string;
  readonly now: Ms;
  readonly owner: UserId | null;
  readonly sales: ReadonlyMap<CompanyN, Sale>;
}

/**
 * Counts a month as the server does. Those before the last one are invoiced; of the last one, some are
 * acknowledged, and some still wait for it.
 */
async function closeMonth(
  tx: TenantTx,
  context: AppContext,
  { monthsAgo, month, timeZone, now, owner, sales }: Close,
): Promise<void> {
  const at = Math.min(now, getMonthEnd(month, timeZone) + 9 * HOUR_MS);
  await tx.append(await countUsage(tx, context, month, { timeZone, now: at }), {
    actor: { kind: 'clock' },
    subject: null,
    commandId: null,
    at,
  });
  if (owner === null || monthsAgo === 0) return;
  const rows = (await tx.all('usageMonth')).filter((row) => row.month === month.text);
  for (const [place, row] of rows.entries()) {
    const { isChanged = false, hasCard = false } = sales.get(row.company) ?? {};
    for (const event of getClosingEvents(row, { monthsAgo, place, isChanged, hasCard }))
      await append(tx, at, row.company, `usage:${row.id}`, event, owner);
  }
}

function getClosingEvents(
  row: UsageMonthRow,
  {
    monthsAgo,
    place,
    isChanged,
    hasCard,
  }: {
    readonly monthsAgo: number;
    readonly place: number;
    readonly isChanged: boolean;
    readonly hasCard: boolean;
  },
): readonly Event[] {
  const { id, users, minimumUsers, gigabytes } = row;
  const changed: Event = {
    type: 'usage.updated@1',
    data: { id, users: Math.max(users, minimumUsers) + 250, gigabytes },
  };
  const number = String(FIRST_INVOICE + (PAST_MONTHS - monthsAgo) * 20 + place);
  const isInvoiced = monthsAgo > 1 && getBilledUsage(row).totalMills > 0;
  return [
    ...(isChanged ? [changed] : []),
    ...(isInvoiced || place % 2 === 0
      ? [{ type: 'usage.acknowledged@1' as const, data: { id } }]
      : []),
    ...(isInvoiced
      ? [
          {
            type: 'usage.invoiced@1' as const,
            data: { id, invoice: hasCard ? `${CARD_PREFIX}${number}` : number },
          },
        ]
      : []),
  ];
}

const append = (
  tx: TenantTx,
  at: Ms,
  company: CompanyN,
  entity: string,
  event: Event,
  user: UserId | null = null,
): Promise<unknown> =>
  tx.append([{ event, company, entity }], {
    actor: user === null ? { kind: 'clock' } : { kind: 'user', id: user },
    subject: null,
    commandId: null,
    at,
  });

/** Card subscriptions that the payment provider of the demo has to know after each start. */
export async function loadCardSubscriptions(
  tx: TenantTx,
): Promise<
  readonly { readonly row: SubscriptionRow; readonly customer: string; readonly id: string }[]
> {
  const rows = (await tx.all('subscription')).filter(
    ({ hasCard, endedAt }) => hasCard && endedAt === null,
  );
  const customers = await tx.sql
    .selectFrom('stripe_customer')
    .select(['company_n', 'customer_id', 'subscription_id'])
    .where('tenant_id', '=', tx.tenant)
    .execute();
  return rows.flatMap((row) => {
    const known = customers.find(({ company_n: company }) => company === row.company);
    return known?.subscription_id == null
      ? []
      : [{ row, customer: known.customer_id, id: known.subscription_id }];
  });
}
