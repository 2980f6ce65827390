import type {
  ALL_SUBSCRIPTION_SORTS,
  ProviderSubscription,
} from '#contract/billing/all-subscription-calls.ts';
import type { SubscriptionOut } from '#contract/billing/subscription-calls.ts';
import { getBilledQuantity } from '#contract/billing/usage-months.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { failed, ok } from '#contract/result.ts';
import { type Cell, wallText } from '#contract/runs/csv.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { csvAnswer, loadZone } from '#server/platform/http/csv-response.ts';
import { FORBIDDEN, NOT_FOUND, refuse } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { loadBranding, loadHosts } from '#server/platform/tenancy/branding.ts';
import { providersFrom } from '#server/platform/tenancy/providers.ts';
import { listCells, listHeads, toAmount } from './cells.ts';
import { loadMonth } from './handlers.ts';
import { listMonthSubscriptions, loadBilledCompanies } from './load.ts';
import { subscriptionMessages as t } from './messages.en.ts';
import { getMonthEnd, type CalendarMonth } from './month.ts';

type Query = ParsedInputOf<'exportAllSubscriptions'>;
type Sort = (typeof ALL_SUBSCRIPTION_SORTS)[number];
type Report = OutputOf<'listAllSubscriptions'>;
interface Loaded {
  readonly month: CalendarMonth;
  readonly zone: string;
  readonly providers: Report['providers'];
  readonly rows: readonly ProviderSubscription[];
}

/** BILL-21: the subscriptions of a provider and of all below it, for users who see all of it. */
export const allSubscriptionHandlers = (
  context: AppContext,
): Pick<Handlers, 'listAllSubscriptions' | 'exportAllSubscriptions'> => ({
  async listAllSubscriptions({ page = 1, pageSize = PAGE_SIZE, ...query }, ctx) {
    if (ctx.session.companies !== null) return failed(FORBIDDEN);
    const loaded = await load(context, ctx, query);
    if (loaded === null) return failed(NOT_FOUND);
    const { month, providers, rows } = loaded;
    return ok({
      rows: rows.slice((page - 1) * pageSize, page * pageSize),
      count: rows.length,
      page,
      pageSize,
      month: Number(month.text.slice(5)),
      year: Number(month.text.slice(0, 4)),
      totals: sumByCurrency(rows),
      providers,
    });
  },

  async exportAllSubscriptions(query, ctx) {
    if (ctx.session.companies !== null) return refuse(FORBIDDEN);
    const loaded = await load(context, ctx, query);
    if (loaded === null) return refuse(NOT_FOUND);
    const { month, zone, rows } = loaded;
    return csvAnswer('Subscriptions-', ctx.now, zone, [
      [t.provider, ...listHeads(), t.organizations, t.payment, t.owed, t.next, t.nextOn({ zone })],
      ...rows.map((row) => getCells(row, month, zone)),
    ]);
  },
});

const getCells = (
  row: ProviderSubscription,
  month: CalendarMonth,
  zone: string,
): readonly Cell[] => [
  row.provider.name,
  ...listCells(row, month),
  row.organizations.join('; '),
  row.payment,
  toAmount(row.subscription?.owedMills),
  row.next?.step ?? null,
  row.next === null ? null : wallText(row.next.at, zone),
];

/** Null: the requested provider isn't the caller's own or below it. */
async function load(
  context: AppContext,
  ctx: SessionContext,
  { month, year, provider, ...filter }: Query,
): Promise<Loaded | null> {
  const all = await providersFrom(context, ctx.tenant);
  if (provider !== undefined && !all.includes(provider)) return null;
  const at = await context.store.tenant(
    ctx.tenant,
    async (tx) => ({
      month: await loadMonth(tx, { month, year }, ctx.now),
      zone: await loadZone(tx),
    }),
    { readOnly: true },
  );
  const providers: Report['providers'] = [];
  const rows: ProviderSubscription[] = [];
  for (const id of all) {
    const one = await loadProvider(context, ctx, id, at.month);
    providers.push(one.provider);
    if (provider === undefined || provider === id) rows.push(...one.rows);
  }
  return { ...at, providers, rows: filterRows(rows, filter) };
}

/** Returns one provider with all of its subscriptions, in one snapshot. */
const loadProvider = (
  context: AppContext,
  ctx: SessionContext,
  id: TenantId,
  month: CalendarMonth,
): Promise<{
  readonly provider: Report['providers'][number];
  readonly rows: readonly ProviderSubscription[];
}> =>
  context.store.tenant(
    id,
    async (tx) => {
      const provider = { _id: id, name: (await loadBranding(tx)).name, own: id === ctx.tenant };
      const { session, now } = ctx;
      const { timeZone } = await loadCompanyLimit(tx);
      const at = Math.min(now, getMonthEnd(month, timeZone));
      const companies = await loadBilledCompanies(tx, session);
      const organizations = (await tx.all('organization')).filter(
        ({ removedAt }) => removedAt === null,
      );
      const rows = await listMonthSubscriptions(tx, session, companies, { month, now });
      return {
        provider: { ...provider, hosts: await loadHosts(tx) },
        rows: rows.map((row) => ({
          ...row,
          provider,
          organizations: organizations
            .filter(({ company }) => company === row.company)
            .map(({ name }) => name)
            .sort(collator.compare),
          payment: row.subscription && getPayment(row.subscription, at),
          next: row.subscription && getNext(row.subscription, at),
        })),
      };
    },
    { readOnly: true },
  );

const isInTrial = ({ trialEndsAt }: SubscriptionOut, now: Ms): boolean =>
  trialEndsAt !== null && trialEndsAt > now;

function getPayment(row: SubscriptionOut, now: Ms): ProviderSubscription['payment'] {
  if (row.owedMills > 0) return 'unpaid';
  if (row.status === 'ended') return null;
  if (row.userMills === 0 && row.gigabyteMills === 0) return 'free';
  if (isInTrial(row, now)) return 'trial';
  return row.hasCard ? 'card' : 'invoice';
}

function getNext(row: SubscriptionOut, now: Ms): ProviderSubscription['next'] {
  const { status, trialEndsAt, graceEndsAt, periodEndsAt, endedAt } = row;
  switch (status) {
    case 'ended':
      return endedAt === null ? null : { step: 'ended', at: endedAt };
    case 'cancelled':
      return { step: 'ends', at: periodEndsAt };
    case 'payment_failed':
      return graceEndsAt === null ? null : { step: 'stops', at: graceEndsAt };
    case 'active':
      return trialEndsAt !== null && isInTrial(row, now)
        ? { step: 'trial-ends', at: trialEndsAt }
        : { step: 'renews', at: periodEndsAt };
    case 'pending':
    case 'disabled':
      return null;
    default:
      return status satisfies never;
  }
}

function filterRows(
  rows: readonly ProviderSubscription[],
  { status, search = '', sort = 'provider' }: Pick<Query, 'status' | 'search' | 'sort'>,
): readonly ProviderSubscription[] {
  const term = search.toLowerCase();
  return rows
    .filter(
      ({ subscription, provider, companyName, organizations }) =>
        (status === undefined || (subscription?.status ?? 'none') === status) &&
        [provider.name, companyName, ...organizations].some((name) =>
          name.toLowerCase().includes(term),
        ),
    )
    .toSorted(getOrder(sort));
}

type Order = (a: ProviderSubscription, b: ProviderSubscription) => number;
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** By name of the provider, then of the company; ids make the order of equal names the same. */
const byName: Order = (a, b) =>
  collator.compare(a.provider.name, b.provider.name) ||
  collator.compare(a.companyName, b.companyName) ||
  a.companyId.localeCompare(b.companyId, 'en');

/** What needs somebody first. */
const URGENCY = ['payment_failed', 'disabled', 'pending', 'active', 'cancelled', 'ended'] as const;

function getOrder(sort: Sort): Order {
  const isDown = sort.startsWith('-');
  const by = (isDown ? sort.slice(1) : sort) as Exclude<Sort, `-${string}`>;
  if (by === 'provider' || by === 'company') {
    const names: Order =
      by === 'provider' ? byName : (a, b) => collator.compare(a.companyName, b.companyName);
    return (a, b) => (isDown ? names(b, a) : names(a, b)) || byName(a, b);
  }
  const getValue = VALUES[by];
  return (a, b) => {
    const [left, right] = [getValue(a), getValue(b)];
    // Rows without a value are last in both directions.
    if (left === null || right === null)
      return Number(left === null) - Number(right === null) || byName(a, b);
    // Amounts of two currencies don't compare.
    const currencies =
      by === 'amount' ? (a.usage?.currency ?? '').localeCompare(b.usage?.currency ?? '', 'en') : 0;
    return currencies || (isDown ? right - left : left - right) || byName(a, b);
  };
}

const VALUES: Readonly<
  Record<
    Exclude<Sort, `-${string}` | 'provider' | 'company'>,
    (row: ProviderSubscription) => number | null
  >
> = {
  status: ({ subscription }) => subscription && URGENCY.indexOf(subscription.status),
  users: ({ usage }) => getBilledQuantity(usage?.lines ?? [], 'users') ?? null,
  amount: ({ usage }) => usage?.totalMills ?? null,
  next: ({ next }) => next?.at ?? null,
};

/** BILL-3: exact sums, never across two currencies. */
function sumByCurrency(rows: readonly ProviderSubscription[]): Report['totals'] {
  const sums = new Map<string, Report['totals'][number]>();
  const add = (
    currency: Report['totals'][number]['currency'],
    totalMills: number,
    owedMills: number,
  ): void => {
    const sum = sums.get(currency) ?? { currency, totalMills: 0, owedMills: 0 };
    sums.set(currency, {
      currency,
      totalMills: sum.totalMills + totalMills,
      owedMills: sum.owedMills + owedMills,
    });
  };
  for (const { usage, subscription } of rows) {
    if (usage !== null) add(usage.currency, usage.totalMills, 0);
    if (subscription !== null && subscription.owedMills > 0)
      add(subscription.currency, 0, subscription.owedMills);
  }
  return [...sums.values()].sort((a, b) => a.currency.localeCompare(b.currency, 'en'));
}
