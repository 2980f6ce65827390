import { SERVICE_LEVELS } from '#contract/billing/service-levels.ts';
import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { UserId } from '#contract/ids.ts';
import { subscriptions } from '#server/features/billing/subscriptions/subscriptions-job.ts';
import type { Store } from '#server/platform/db/store.ts';
import { addObject } from '../backup/objects.ts';
import { aSuite, makeAll, type Made, type Suite } from '../backup/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Prices as a provider sets them: levels without a price of their own are not offered. */
export const settings = (more: object = {}): object => ({
  currency: 'USD',
  levels: SERVICE_LEVELS.map((level) => ({
    level,
    isOffered: level !== 'businessCritical',
    userMills:
      { basic: 2_500, advanced: 4_000, licenseStorage: 1_500, ACH: 2_000 }[level as string] ?? 0,
    gigabyteMills: level === 'licenseStorage' ? 100 : 0,
    stripePrice: null,
    stripeMeter: null,
  })),
  trialDays: 0,
  graceDays: 14,
  isSignUpOpen: false,
  recaptcha: { isOn: false, siteKey: null },
  solarWinds: null,
  ...more,
});

/** A provider with prices, an organization of company 1, and who bills it. */
export interface Shop extends Suite {
  readonly owner: Asker;
  readonly made: Made;
  /** Runs the hourly job. */
  readonly work: () => Promise<number | null>;
}

export async function aShop(store: Store, more: object = {}): Promise<Shop> {
  const suite = await aSuite(store);
  const { office, ground: fixture } = suite;
  const owner = await office.as('owner', ['super-admin', 'o365_admin']);
  await must(owner, 'PUT', 'o365/billing/settings', settings(more));
  const made = await makeAll(await office.as('maker', ['o365_admin']), 1, 'Calloway');
  const job = subscriptions(fixture.context);
  return {
    ...suite,
    owner,
    made,
    work: () =>
      job({
        tenant: office.tenant,
        payload: null,
        now: fixture.context.clock.now(),
        signal: new AbortController().signal,
      }),
  };
}

export async function must<T>(
  who: Asker,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await who<T>(method, path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.body.data;
}

/** The id of a user. */
export const findUser = async (
  { ground: fixture, office }: Pick<Suite, 'ground' | 'office'>,
  username: string,
): Promise<UserId> => {
  const { id } = await fixture.context.store.tenant(office.tenant, ({ sql: db }) =>
    db
      .selectFrom('person')
      .select('id')
      .where('tenant_id', '=', office.tenant)
      .where('username', '=', username)
      .executeTakeFirstOrThrow(),
  );
  return id;
};

/** Users with a restore point at each of these moments. */
export const addUsers = (
  { ground: fixture, office, made }: Shop,
  people: readonly { readonly user: string; readonly points: readonly number[] }[],
  bytes = 10,
): Promise<void> =>
  fixture.context.store.tenant(office.tenant, async (tx) => {
    for (const [index, { user, points }] of people.entries())
      await addObject(tx, made, { n: index + 1, kind: 'mailbox', user, bytes, points });
  });

export const list = (who: Asker, month = ''): Promise<OutputOf<'listSubscriptions'>> =>
  must(who, 'GET', `o365/subscriptions${month}`);

export async function getRow(who: Asker, company = 1, month = ''): Promise<CompanySubscription> {
  const row = (await list(who, month)).rows.find((one) => one.company === company);
  if (!row) throw new Error('no subscription');
  return row;
}
