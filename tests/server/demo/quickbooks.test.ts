import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import {
  connectDemoQuickBooks,
  openDemoQuickBooks,
} from '#server/demo/quickbooks/demo-quickbooks.ts';
import { invoices } from '#server/features/billing/read-invoices.ts';
import { addDemoSubscriptions } from '#server/demo/stripe/demo-subscriptions.ts';
import { aShop, DAY, findUser, getRow, must } from '../billing/subscription-fixtures.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { getFirst, getPlan } from './fixtures.ts';

test("EST-13, BILL-16: the demo's QuickBooks has the invoices of the usage, makes a new one once, and outlasts a restart", async () => {
  const { ground: fixture, office, owner } = await aShop(await freshStore(ONE));
  const { context } = fixture;
  const { tenant } = office;
  const provider = { ...getFirst(getPlan('small', context.clock.now())), id: tenant };
  const plan = { ...getPlan('small', context.clock.now()), providers: [provider] };
  const base = '/demo/quickbooks';
  const start = () => {
    const opened = openDemoQuickBooks(context, plan, base);
    context.payments.connectTo(opened.fetch, `${base}/`);
    return opened;
  };
  await context.store.tenant(tenant, async ({ sql }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    await sql
      .updateTable('provider')
      .set({
        branding: JSON.stringify({
          ...branding,
          features: { ...branding.features, invoice_automation: true },
        }),
      })
      .where('tenant_id', '=', tenant)
      .execute();
  });
  await must(owner, 'POST', 'o365/subscriptions/start/1', {
    level: 'licenseStorage',
    minimumUsers: 7,
    trialEndsAt: null,
  });
  await must(owner, 'POST', 'o365/subscriptions/refresh', {});
  const { _id: id = '' } = (await getRow(owner)).usage ?? {};
  await must(owner, 'PUT', `o365/subscriptions/billing/${id}`, { users: 1_250, gigabytes: 305 });
  await must(owner, 'POST', `o365/subscriptions/billing/${id}/ack`, {});
  start();
  await context.store.tenant(tenant, (tx) => connectDemoQuickBooks(tx, context, provider, 0));
  fixture.pass(31 * DAY);
  const later = await office.as('later', ['super-admin', 'admin']);

  const { rows: items } = await must<OutputOf<'listQuickBooksItems'>>(
    later,
    'GET',
    'o365/quickbooks/items',
  );
  const send = (): Promise<OutputOf<'sendMonthInvoice'>> =>
    must(later, 'POST', `o365/quickbooks/month-invoice/${id}`, {
      userItem: items[0]?.id,
      gigabyteItem: items[1]?.id,
    });
  const { invoice } = await send();
  const work = (): Promise<number | null> =>
    invoices(context)({
      tenant,
      payload: null,
      now: context.clock.now(),
      lease: context.chance.uuid(),
      signal: new AbortController().signal,
    });
  const read = async (): Promise<OutputOf<'listInvoices'>> => {
    for (let turn = 0; turn < 3; turn += 1) {
      fixture.pass(DAY);
      await work();
    }
    const again = await office.as(`reader${context.clock.now()}`, ['super-admin', 'admin']);
    return must(again, 'GET', 'o365/quickbooks/invoices');
  };
  // 12.5 users at 1.50 are 18.75, and 3.05 GB at 0.10 are 0.31.
  const expected = [
    expect.objectContaining({ number: invoice, total: 19_060, companyName: expect.any(String) }),
  ];
  const before = await read();
  expect(before.rows).toEqual(expected);
  // The books of another start are the same.
  start();
  expect((await read()).rows).toEqual(expected);
  const last = await office.as('last', ['super-admin', 'admin']);
  const first = before.rows.map(({ _id: row }) => row).join('');
  const pdf = await last('GET', `o365/quickbooks/invoices/${first}/pdf`);
  expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, '%PDF-']);

  // It is paid online on the page that is linked, which enters the payment in the books.
  const { url } = await must<OutputOf<'payInvoiceOnline'>>(last, 'POST', 'o365/checkout/invoice', {
    companyId: 1,
  });
  const at = { n: '1', number: invoice };
  expect(url).toBe(`${base}/1/${at.number}`);
  const { showPage } = start();
  const show = async (method: string, where = at) => {
    const page = await showPage(new Request(`http://localhost${url}`, { method }), where);
    return { status: page.status, to: page.headers.get('location'), html: await page.text() };
  };
  const open = await show('GET');
  expect([open.status, open.html]).toEqual([200, expect.stringContaining('Total: 19.06')]);
  expect(open.html).toMatch(/<form method="post" action="([^"]+)"><button>Pay 19\.06/);
  expect(await show('POST')).toMatchObject({ status: 303, to: url });
  const done = await show('GET');
  expect([done.status, done.html]).toEqual([200, expect.not.stringContaining('<form')]);
  expect((await show('POST', { n: '1', number: '999' })).status).toBe(404);
  expect((await show('GET', { n: '7', number: at.number })).status).toBe(404);
  // The portal reads it at once: it isn't lost if the demo is started again before the next regular read.
  await work();
  start();
  const paid = [expect.objectContaining({ number: invoice, total: 19_060, balance: 0 })];
  expect((await read()).rows).toEqual(paid);
  // What was paid stays paid over a restart.
  start();
  expect((await read()).rows).toEqual(paid);
  const payer = await office.as('payer', ['super-admin', 'admin']);
  expect((await payer('POST', 'o365/checkout/invoice', { companyId: 1 })).status).toBe(409);
});

test('EST-13: a customer of the demo is billed by card or in QuickBooks, never by both', async () => {
  const shop = await aShop(await freshStore(ONE));
  const { context } = shop.ground;
  const { tenant } = shop.office;
  const plan = getPlan('small', context.clock.now());
  const planned = getFirst(plan);
  const companies = await context.store.tenant(tenant, (tx) => tx.all('company'));
  // One who pays by card and hasn't paid, and one who hasn't paid invoices.
  const ids = new Map([
    [4, companies[0]?.id ?? ''],
    [5, companies[1]?.id ?? ''],
  ]);
  const provider = {
    ...planned,
    id: tenant,
    companies: planned.companies.map((company, at) => ({
      ...company,
      id: ids.get(at) ?? company.id,
    })),
  };
  const owner = await findUser(shop, 'owner');
  await context.store.tenant(tenant, (tx) => addDemoSubscriptions(tx, context, provider, owner));
  const { fetch } = openDemoQuickBooks(context, { ...plan, providers: [provider] }, '/demo/books');
  const query = encodeURIComponent('select * from Invoice');
  const answer = await fetch(
    new Request(`https://quickbooks.api.intuit.com/v3/company/1/query?query=${query}`),
  );
  const { QueryResponse } = (await answer.json()) as {
    QueryResponse: { Invoice: readonly { CustomerRef: { value: string }; Balance: number }[] };
  };
  const rows = await context.store.tenant(tenant, (tx) => tx.all('subscription'));
  const owing = rows.filter(({ owedMills }) => owedMills > 0);
  expect(new Set(owing.map(({ hasCard }) => hasCard))).toEqual(new Set([false, true]));
  for (const { company, hasCard } of owing) {
    const own = QueryResponse.Invoice.filter(
      ({ CustomerRef }) => CustomerRef.value === `${company}`,
    );
    expect([company, own.length > 0]).toEqual([company, !hasCard]);
  }
});
