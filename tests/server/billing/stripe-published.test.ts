import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { findUnpublished, STRIPE_FIELDS } from './stripe-fields.ts';
import { aTill, collectCards, makeRun, pay, subscribe, type Till } from './stripe-fixtures.ts';
import { addUsers, DAY, must } from './subscription-fixtures.ts';

/** The types of Stripe's objects, which its SDK generates from the published OpenAPI. */
const TYPES: Readonly<Record<string, string>> = {
  'customer': 'Stripe.Customer',
  'checkout.session': 'Stripe.Checkout.Session',
  'price': 'Stripe.Price',
  'billing_portal.session': 'Stripe.BillingPortal.Session',
  'billing.meter_event': 'Stripe.Billing.MeterEvent',
  'invoice': 'Stripe.Invoice',
  'subscription': 'Stripe.Subscription',
  'setup_intent': 'Stripe.SetupIntent',
};

/**
 * The stand-in returns the fields that the product reads, and a real object has more: each field that
 * is there must be published, with a value that is. Literals are checked for unknown fields. The SDK
 * adds any other text to what a field can be, for values of later versions: that is left out.
 */
const HEAD = `import type { Stripe } from 'stripe';
type Literals<T> = T extends string ? (string extends T ? never : T) : never;
type Text<T> = [Literals<T>] extends [never] ? Extract<T, string> : Literals<T>;
type Rest<T> = T extends string
  ? never
  : T extends number | boolean | bigint | null | undefined
    ? T
    : T extends readonly (infer U)[]
      ? Answer<U>[]
      : T extends object
        ? { [K in keyof T]?: Answer<T[K]> }
        : never;
type Answer<T> = Text<T> | Rest<T>;
`;

/** Returns what the compiler says about values of these types, a line for each mistake. */
function judge(values: readonly { readonly type: string; readonly value: unknown }[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'stripe-types-'));
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'answers.ts'),
      [
        HEAD,
        ...values.map(
          ({ type, value }, n) =>
            `export const answer${n}: Answer<${type}> = ${JSON.stringify(value)};`,
        ),
      ].join('\n'),
    );
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          target: 'esnext',
          module: 'nodenext',
          skipLibCheck: true,
          types: ['node'],
        },
        files: ['answers.ts'],
      }),
    );
    const { stdout, error } = spawnSync(
      process.execPath,
      [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
      { encoding: 'utf8', cwd: folder },
    );
    if (error !== undefined) throw error;
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Judged {
  readonly type: string;
  readonly value: unknown;
}
type Json = Record<string, unknown>;

/** Returns an answer of a path as what the published API says it is. */
function toJudged(value: Json): readonly Judged[] {
  const { object } = value;
  if (object === 'list') {
    const { data, ...list } = value as { readonly data: readonly Json[] } & Json;
    return [
      { type: 'Stripe.ApiList<never>', value: { ...list, data: [] } },
      ...data.flatMap((row) => toJudged(row)),
    ];
  }
  if (value['deleted'] === true) return [{ type: 'Stripe.DeletedInvoice', value }];
  const type = TYPES[String(object)];
  if (type === undefined) throw new Error(`no published type: ${JSON.stringify(value)}`);
  return [{ type, value }];
}

/** Does everything that the product does at Stripe, and returns all that Stripe answered. */
async function playAll(till: Till): Promise<readonly Judged[]> {
  const { stripe, owner, ground: fixture, office } = till;
  const answers: Judged[] = [];
  fixture.context.payments.connectTo(async (request) => {
    const answer = await stripe.fetch(request);
    if (answer.ok && new URL(request.url).hostname === 'api.stripe.com')
      answers.push(...toJudged((await answer.clone().json()) as Json));
    return answer;
  });
  await collectCards(till);
  await subscribe(till);
  const start = { level: 'advanced', minimumUsers: 4, trialEndsAt: null };
  await must(owner, 'POST', 'o365/subscriptions/start/1', {
    ...start,
    trialEndsAt: fixture.context.clock.now() + 3 * DAY,
  });
  const open = async (path: string): Promise<string> =>
    (
      await must<OutputOf<'subscribeByCard'>>(owner, 'POST', `o365/checkout/${path}`, {
        companyId: 1,
      })
    ).url ?? '';
  const page = /(cs_\w+)/.exec(await pay(till, await open('subscribe')))?.[1] ?? '';
  await must(owner, 'GET', `o365/checkout/${page}/success`);
  await open('update');
  await pay(till, await open('ccCollection'));
  const to = 'o365/subscriptions';
  await must(owner, 'POST', `${to}/update-trial/1`, { trialEndsAt: null });
  await must(owner, 'POST', `${to}/change-level/1`, { level: 'basic' });
  await must(owner, 'POST', `${to}/rollback/1`, {});
  await must(owner, 'POST', `${to}/cancel/1`, {});
  await must(owner, 'POST', `${to}/rollback/1`, {});
  // A metered level, whose days are sent.
  await must(owner, 'POST', `${to}/change-level/1`, { level: 'basic' });
  const { context } = fixture;
  await addUsers(till, [{ user: 'u1', points: [context.clock.now()] }]);
  stripe.setExtras({ tax: { percent: 10, behavior: 'exclusive' }, discountCents: 0 });
  stripe.setDeclined(stripe.list('customers')[1]?.id ?? '', true);
  fixture.pass(34 * DAY);
  await stripe.renew();
  await usageDays(context)(makeRun(till));
  await till.work();
  await payments(context)(makeRun(till));
  const later = await office.as('later', ['super-admin', 'o365_admin']);
  await must(later, 'POST', `${to}/forgive-company`, { companyId: 1 });
  await must(later, 'POST', `${to}/delete-company`, { companyId: 1 });
  await payments(context)(makeRun(till));
  return answers;
}

test('BILL-11: every answer and event of the stand-in has only fields and values of the API that Stripe publishes', async () => {
  const till = await aTill(await freshStore(ONE));
  const answers = await playAll(till);
  expect([...new Set(answers.map(({ type }) => type))].toSorted()).toEqual(
    [...Object.values(TYPES), 'Stripe.ApiList<never>']
      .filter((type) => type !== 'Stripe.SetupIntent')
      .toSorted(),
  );
  const events = till.stripe.events.map((text) => JSON.parse(text) as Json);
  const sent = events.flatMap(({ data, ...event }): readonly Judged[] => [
    { type: "Omit<Stripe.Event, 'data'>", value: event },
    { type: 'Stripe.Event["type"]', value: event['type'] },
    ...toJudged((data as { readonly object: Json }).object),
  ]);
  expect(judge([...answers, ...sent])).toEqual([]);
  // Nor do the examples of the OpenAPI description itself know anything else.
  const objects = [...answers, ...sent].flatMap(({ value }) => {
    if (typeof value !== 'object') return [];
    const row = value as Json;
    return row['object'] === 'list' || row['deleted'] === true ? [] : [row];
  });
  expect(new Set(objects.map(({ object }) => object))).toEqual(new Set(Object.keys(STRIPE_FIELDS)));
  expect([...new Set(objects.flatMap(findUnpublished))]).toEqual([]);
  expect(findUnpublished({ object: 'invoice', total: '3', net_of_tax: 3, number: 'A' })).toEqual([
    'invoice.total: string',
    'invoice.net_of_tax: number',
  ]);
  // The judge sees a field and a value that aren't published.
  expect(
    judge([
      { type: 'Stripe.Invoice', value: { id: 'in_1', net_of_tax: 3 } },
      { type: 'Stripe.Invoice', value: { id: 'in_1', status: 'voided' } },
      { type: 'Stripe.Invoice', value: { id: 'in_1', status: 'void' } },
    ]).map((line) => /^answers\.ts\((\d+)/.exec(line)?.[1]),
  ).toEqual(['15', '16']);
});
