import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import type { OutputOf } from '#contract/calls.ts';
import { makeStripeStandIn, type StripeStandIn } from '#server/demo/stripe/stand-in.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import type { Store } from '#server/platform/db/store.ts';
import { ask } from '../http/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aShop, must, settings, type Shop } from './subscription-fixtures.ts';

export const SECRET = 'whsec_standin';
export const PASSWORD = 'correct horse battery staple';
const HOOK = '/api/v1/o365/billing/stripe';

/** A provider whose Stripe is a stand-in, and whose visitors can sign up. */
export interface Till extends Shop {
  readonly stripe: StripeStandIn;
  /** A visitor who is not signed in. */
  readonly visitor: Asker;
  lastLink(): Promise<string>;
}

export async function aTill(store: Store, more: object = {}): Promise<Till> {
  const plain = settings() as { levels: { level: string }[] };
  const shop = await aShop(store, {
    isSignUpOpen: true,
    levels: plain.levels.map((level) => ({
      ...level,
      ...(level.level === 'basic' && { stripePrice: 'price_basic', stripeMeter: 'users' }),
      ...(level.level === 'advanced' && { stripePrice: 'price_advanced' }),
    })),
    ...more,
  });
  const { ground: fixture, office, owner } = shop;
  const { context } = fixture;
  await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'sk_test_standin' });
  await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: SECRET });
  const stripe = makeStripeStandIn({
    clock: context.clock,
    chance: context.chance,
    base: '/demo/stripe',
    webhookSecret: SECRET,
    deliver: async (payload, signature) => (await hook(shop, payload, signature)).status,
  });
  stripe.addPrice('price_basic', 250, 'mtr_price_basic');
  stripe.addPrice('price_advanced', 400);
  context.payments.connectTo(stripe.fetch);
  return {
    ...shop,
    stripe,
    visitor: (method, path, body, headers = {}) =>
      ask(office.app, `/api/v1/${path}`, {
        method,
        host: office.host,
        headers,
        ...(body === undefined ? {} : { body }),
      }),
    lastLink: () => readLink(shop),
  };
}

export const hook = ({ office }: Shop, payload: string, signature: string): Promise<Response> =>
  Promise.resolve(
    office.app.request(HOOK, {
      method: 'POST',
      headers: {
        'host': office.host,
        'content-type': 'application/json',
        'stripe-signature': signature,
      },
      body: payload,
    }),
  );

/** The provider lets subscribers save a card, without paying anything yet. */
export const collectCards = ({ owner, office }: Shop): Promise<unknown> =>
  must(owner, 'PUT', `service-providers/${office.tenant}/branding`, {
    features: { ...PLAIN_FEATURES, billing: { ccCollection: true } },
  });

/** The link in the newest email that is waiting to be sent. */
async function readLink({ ground: fixture, office }: Shop): Promise<string> {
  const { context } = fixture;
  const texts = await readMails(context, office.tenant);
  return /register\/(s-[\w-]{43})/.exec(texts.at(-1) ?? '')?.[1] ?? '';
}

export async function readMails(
  context: Shop['ground']['context'],
  tenant: string,
): Promise<readonly string[]> {
  return context.store.tenant(tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('outgoing')
      .select(['id', 'sealed'])
      .where('tenant_id', '=', tenant)
      .orderBy('made_at')
      .execute();
    const texts: string[] = [];
    for (const { id, sealed } of rows)
      texts.push(
        await unseal(tx, context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
      );
    return texts;
  });
}

export const REGISTRATION = {
  email: 'zoe@calla.example.com',
  name: 'Zoe Calla',
  company: 'Calla Design',
  level: 'basic',
};

export async function signUp(till: Till, more: object = {}): Promise<string> {
  await must(till.visitor, 'POST', 'o365/provisioning', { ...REGISTRATION, ...more });
  return till.lastLink();
}

/** Pays on the hosted page and returns where it leads. */
export async function pay(till: Till, url: string, card = 'good'): Promise<string> {
  const answer = await till.stripe.pages.request(url.replace('/demo/stripe', ''), {
    method: 'POST',
    body: `card=${card}`,
  });
  return answer.headers.get('location') ?? '';
}

/** Stripe acts on the next write, but its answer is lost, or another one comes. */
export function loseAnswer({ ground: fixture, stripe }: Till, getOther?: () => Response): void {
  let isNext = true;
  fixture.context.payments.connectTo(async (request) => {
    const isLost = isNext && request.method === 'POST';
    const answer = await stripe.fetch(request);
    if (!isLost) return answer;
    isNext = false;
    if (getOther === undefined) throw new TypeError('fetch failed');
    return getOther();
  });
}

/** Opens the link, and sets the password. */
export async function verify(till: Till, hash: string, more: object = {}): Promise<void> {
  const { visitor } = till;
  const { email: _, ...details } = { ...REGISTRATION, password: PASSWORD, ...more };
  await must(visitor, 'POST', 'o365/provisioning/verify-email', { hash });
  await must(visitor, 'POST', 'o365/provisioning/details', { hash, ...details });
}

export async function subscribe(till: Till, more: object = {}): Promise<string> {
  const hash = await signUp(till, more);
  await verify(till, hash, more);
  const { url } = await must<OutputOf<'startCheckout'>>(
    till.visitor,
    'POST',
    'o365/provisioning/checkout-session',
    { hash },
  );
  await pay(till, url ?? '');
  return hash;
}

export const makeRun = ({ office, ground: fixture }: Till) => ({
  tenant: office.tenant,
  payload: null,
  now: fixture.context.clock.now(),
  signal: new AbortController().signal,
});
