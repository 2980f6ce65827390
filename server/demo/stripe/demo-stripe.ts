import type { Hono } from 'hono';
import { DEFAULT_BILLING } from '#contract/billing/service-levels.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { isOperator } from '../../platform/http/is-operator.ts';
import { storeSecret } from '../../platform/outbound/secret.ts';
import type { DemoPlan, ProviderPlan } from '../plan.ts';
import { connectDemoQuickBooks, openDemoQuickBooks } from '../quickbooks/demo-quickbooks.ts';
import { addDemoSubscriptions, loadCardSubscriptions } from './demo-subscriptions.ts';
import { makeStripeStandIn, type StripeStandIn } from './stand-in.ts';

const BASE = '/demo/stripe';
const BOOKS = '/demo/quickbooks';
const WEBHOOK_PATH = '/api/v1/o365/billing/stripe';
const USER_MILLS: Readonly<Record<string, number>> = {
  basic: 2_500,
  advanced: 4_000,
  businessCritical: 6_500,
  licenseStorage: 1_500,
  ACH: 2_500,
};
const GIGABYTE_MILLS = 100;

/** The payment providers of the demo: an account for each provider, and their hosted pages. */
export interface DemoStripe {
  /** Adds the pages, and delivers events to this app from now on. */
  readonly routes: (app: Hono) => void;
}

/** Gives each provider of the demo prices, an account at the stand-in, and an open sign-up. */
export async function startDemoStripe(context: AppContext, plan: DemoPlan): Promise<DemoStripe> {
  const { providers } = plan;
  const quickBooks = openDemoQuickBooks(context, plan, BOOKS);
  let app: Hono | null = null;
  const accounts = new Map<string, { readonly n: number; readonly stripe: StripeStandIn }>();
  for (const [index, provider] of providers.entries()) {
    const n = index + 1;
    const key = `sk_test_demo${n}`;
    const webhookSecret = `whsec_demo${n}`;
    const stripe = makeStripeStandIn({
      clock: context.clock,
      chance: context.chance,
      base: `${BASE}/${n}`,
      webhookSecret,
      deliver: (payload, signature) => deliver(app, getHost(provider), payload, signature),
    });
    accounts.set(key, { n, stripe });
    await settle(context, provider, key, webhookSecret, index);
    for (const { row, customer, id } of await context.store.tenant(
      provider.id,
      loadCardSubscriptions,
    ))
      stripe.adopt({
        id,
        customer,
        price: `price_${row.level}`,
        quantity: Math.max(1, row.minimumUsers),
        isCancelled: row.status === 'cancelled',
        periodEndsAt: row.periodEndsAt,
        trialEndsAt: row.trialEndsAt,
        owedCents: Math.round(row.owedMills / 10),
      });
  }
  context.payments.connectTo((request) => {
    if (new URL(request.url).hostname.endsWith('.intuit.com')) return quickBooks.fetch(request);
    const key = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    const account = accounts.get(key ?? '') ?? [...accounts.values()][0];
    if (account === undefined) throw new TypeError('fetch failed');
    return account.stripe.fetch(request);
  }, `${BOOKS}/`);
  return {
    routes(to) {
      app = to;
      to.all(`${BASE}/:n/*`, (c) => {
        const account = [...accounts.values()].find(({ n }) => String(n) === c.req.param('n'));
        if (account === undefined || !isOperator(context, c.req.raw, c.env)) return c.notFound();
        const url = new URL(c.req.url);
        url.pathname = url.pathname.slice(`${BASE}/${account.n}`.length);
        return account.stripe.pages.fetch(new Request(url, c.req.raw));
      });
      to.all(`${BOOKS}/:n/:number`, (c) =>
        isOperator(context, c.req.raw, c.env)
          ? quickBooks.showPage(c.req.raw, c.req.param())
          : c.notFound(),
      );
    },
  };
}

const getHost = ({ host }: ProviderPlan): string => host ?? 'localhost';

async function deliver(
  app: Hono | null,
  host: string,
  body: string,
  signature: string,
): Promise<number> {
  if (app === null) return 503;
  const answer = await app.request(`http://${host}${WEBHOOK_PATH}`, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
  return answer.status;
}

/** Only once: what somebody changed stays. */
const settle = (
  context: AppContext,
  plan: ProviderPlan,
  key: string,
  webhookSecret: string,
  index: number,
): Promise<void> =>
  context.store.tenant(plan.id, async (tx) => {
    const { id, people } = plan;
    const settings = {
      ...DEFAULT_BILLING,
      isSignUpOpen: true,
      levels: DEFAULT_BILLING.levels.map((level) => ({
        ...level,
        isOffered: true,
        userMills: USER_MILLS[level.level] ?? 0,
        gigabyteMills: level.level === 'licenseStorage' ? GIGABYTE_MILLS : 0,
        stripePrice: USER_MILLS[level.level] === undefined ? null : `price_${level.level}`,
      })),
    };
    const { numInsertedOrUpdatedRows } = await tx.sql
      .insertInto('billing_setting')
      .values({ tenant_id: id, settings: JSON.stringify(settings) })
      .onConflict((on) => on.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) return;
    await storeSecret(tx, context, 'stripe', key);
    await storeSecret(tx, context, 'stripe-webhook', webhookSecret);
    const owner = people.find(({ roles }) => roles.includes('super-admin'))?.username;
    const person = await tx.sql
      .selectFrom('person')
      .select('id')
      .where('tenant_id', '=', id)
      .where('username', '=', owner ?? '')
      .executeTakeFirst();
    await addDemoSubscriptions(tx, context, plan, person?.id ?? null);
    await connectDemoQuickBooks(tx, context, plan, index);
  });
