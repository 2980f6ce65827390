import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { makeStripeStandIn } from '#server/demo/stripe/stand-in.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { subscriptions } from '#server/features/billing/subscriptions/subscriptions-job.ts';
import { anyDatabase } from '../db/databases.ts';
import { json, listen } from '../outbound/listen.ts';
import { aReadBureau, withQuickBooks } from './read-bureau.ts';
import { getRow, must, settings, DAY } from './subscription-fixtures.ts';

const ITEM = '7';
const getDayAfter = (at: number, days: number): string =>
  new Date(at + days * DAY).toISOString().slice(0, 10);

anyDatabase((kind, open) => {
  test(`BILL-16, BILL-17: an acknowledged month is previewed and invoiced once, to the cent (${kind})`, async () => {
    const { ground: fixture, qb } = await withQuickBooks(open);
    const { office, books } = await aReadBureau(fixture, qb);
    books.items.push(
      { Id: ITEM, Name: 'Microsoft 365 backup', Type: 'Service' },
      { Id: '8', Name: 'Services', Type: 'Category' },
    );
    books.taxes.push({ Id: 'TAX', Name: 'Sales tax' });
    books.employees.push({ Id: '3', DisplayName: 'Ruth Adeyemi' });
    const owner = await office.as('owner', ['super-admin', 'admin']);
    await must(owner, 'PUT', 'o365/billing/settings', settings());
    await must(owner, 'PUT', 'o365/quickbooks/customers', {
      pairs: [{ customer: '1', company: 1 }],
    });
    await must(owner, 'POST', 'o365/subscriptions/start/1', {
      level: 'basic',
      minimumUsers: 0,
      trialEndsAt: null,
    });
    await must(owner, 'POST', 'o365/subscriptions/refresh', {});
    const names = async (list: string): Promise<readonly string[]> =>
      (
        await must<OutputOf<'listQuickBooksItems'>>(owner, 'GET', `o365/quickbooks/${list}`)
      ).rows.map(({ name }) => name);
    expect([await names('items'), await names('taxes'), await names('reps')]).toEqual([
      ['Microsoft 365 backup'],
      ['Sales tax'],
      ['Ruth Adeyemi'],
    ]);
    const { _id: usage = '' } = (await getRow(owner)).usage ?? {};
    await must(owner, 'PUT', `o365/subscriptions/billing/${usage}`, { users: 161, gigabytes: 0 });
    const path = `o365/quickbooks/month-invoice/${usage}`;
    const send = async (who = owner): Promise<readonly [number, string]> => {
      const { status, text } = await who('POST', path, { userItem: ITEM, rep: 'Ruth Adeyemi' });
      return [status, text];
    };
    expect(await send()).toEqual([409, expect.stringContaining('Acknowledge the usage first.')]);
    await must(owner, 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
    expect(await send()).toEqual([409, expect.stringContaining('when it is over')]);
    fixture.pass(31 * DAY);
    const later = await office.as('later', ['super-admin', 'admin']);
    expect(
      await must(later, 'POST', 'o365/quickbooks/item-precalculated-quantity', { companyId: 1 }),
    ).toEqual({ month: 3, year: 2026, users: 161, gigabytes: 0, ack: true });
    const preview = await must<OutputOf<'previewMonthInvoice'>>(later, 'GET', path);
    expect(preview).toMatchObject({ customer: 'Calloway Freight', totalMills: 4_030 });
    const before = books.invoices.length;
    // QuickBooks makes the invoice, but its answer is lost.
    qb.errors.push({ when: ({ path: to }) => to.includes('/invoice?'), done: true, status: 500 });
    expect((await send(later))[0]).toBe(503);
    // Until the answer is known, what was sent can't change, and the same is sent again.
    for (const change of [{ users: 500, gigabytes: 0 }, null]) {
      const usagePath = `o365/subscriptions/billing/${usage}`;
      expect(
        change === null
          ? await later('POST', `${usagePath}/unack`, {})
          : await later('PUT', usagePath, change),
      ).toMatchObject({ status: 409, text: expect.stringContaining('without an answer') });
    }
    await must(later, 'PUT', 'o365/billing/settings', settings({ currency: 'EUR' }));
    const bodies = (): readonly string[] =>
      qb.asked.flatMap(({ path: to, body }) => (to.includes('/invoice?') ? [body] : []));
    const sent = await later('POST', path, { userItem: '8', rep: 'Somebody' });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('"invoice":"1')]);
    expect(bodies()).toHaveLength(2);
    expect(bodies()[1]).toBe(bodies()[0]);
    expect(books.invoices).toHaveLength(before + 1);
    expect(books.invoices.at(-1)).toMatchObject({
      TotalAmt: 4.03,
      PrivateNote: 'Sales rep: Ruth Adeyemi',
    });
    expect(await send(later)).toEqual([409, expect.stringContaining('is invoiced')]);
    const ack = await later('POST', `o365/subscriptions/billing/${usage}/unack`, {});
    expect(ack.status).toBe(409);
    const file = await later('POST', 'o365/subscriptions/export', { month: 3, year: 2026 });
    expect(file.text).toMatch(/,4\.03,USD,Yes,1\d+/);
    await qb.stop();
  });

  test(`BILL-16, BILL-22: a month that Stripe doesn't collect is invoiced in QuickBooks instead, never at both (${kind})`, async () => {
    const { ground: fixture, qb } = await withQuickBooks(open);
    const { office, books } = await aReadBureau(fixture, qb);
    const { context } = fixture;
    books.items.push({ Id: ITEM, Name: 'Microsoft 365 backup', Type: 'Service' });
    const sign = () => office.as(`u${context.chance.uuid().slice(0, 8)}`, ['super-admin', 'admin']);
    const owner = await sign();
    const plain = settings() as { levels: { level: string }[] };
    const levels = plain.levels.map((level) => ({
      ...level,
      ...(level.level === 'advanced' && { stripePrice: 'price_advanced' }),
    }));
    await must(owner, 'PUT', 'o365/billing/settings', settings({ levels }));
    await must(owner, 'PUT', 'o365/quickbooks/customers', {
      pairs: [{ customer: '1', company: 1 }],
    });
    await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'sk_test_standin' });
    const stripe = makeStripeStandIn({
      clock: context.clock,
      chance: context.chance,
      base: '/demo/stripe',
      webhookSecret: 'whsec_standin',
      deliver: async () => 200,
    });
    stripe.addPrice('price_advanced', 400);
    context.payments.connectTo((request) =>
      request.url.startsWith('https://api.stripe.com/') ? stripe.fetch(request) : fetch(request),
    );
    await must(owner, 'POST', 'o365/subscriptions/start/1', {
      level: 'advanced',
      minimumUsers: 4,
      trialEndsAt: null,
    });
    const page = await must<OutputOf<'subscribeByCard'>>(owner, 'POST', 'o365/checkout/subscribe', {
      companyId: 1,
    });
    await stripe.pages.request((page.url ?? '').replace('/demo/stripe', ''), {
      method: 'POST',
      body: 'card=good',
    });
    const collect = async (): Promise<void> => {
      const run = { tenant: office.tenant, payload: null, now: context.clock.now() };
      const { signal } = new AbortController();
      await subscriptions(context)({ ...run, signal });
      await payments(context)({ ...run, signal });
    };
    await collect();
    expect((await getRow(owner)).subscription).toMatchObject({ hasCard: true });
    const listMonths = () =>
      stripe.list('invoices').filter(({ metadata }) => (metadata as { month?: string })?.month);
    fixture.pass(34 * DAY);
    stripe.setExtras({ tax: null, discountCents: 500 });
    await collect();
    expect(listMonths()).toMatchObject([{ status: 'draft' }]);
    const getMarch = async () => getRow(await sign(), 1, '?month=3&year=2026');
    const getSubscription = async () => (await getRow(await sign())).subscription;
    const { usage } = await getMarch();
    expect(usage).toMatchObject({ isByCard: true, error: { kind: 'differs' }, invoice: null });
    expect(await getSubscription()).toMatchObject({
      status: 'payment_failed',
      owedMills: usage?.totalMills,
    });
    const { _id: id = '' } = usage ?? {};
    const path = `o365/quickbooks/month-invoice/${id}`;
    const send = async (): Promise<readonly [number, string]> => {
      const { status, text } = await (await sign())('POST', path, { userItem: ITEM });
      return [status, text];
    };
    const before = books.invoices.length;
    // Stripe can't be reached: its draft could still be charged, so nothing is invoiced.
    context.payments.connectTo((request) => {
      if (request.method === 'DELETE') throw new TypeError('fetch failed');
      return request.url.startsWith('https://api.stripe.com/')
        ? stripe.fetch(request)
        : fetch(request);
    });
    expect((await send())[0]).toBe(503);
    expect(books.invoices).toHaveLength(before);
    context.payments.connectTo((request) =>
      request.url.startsWith('https://api.stripe.com/') ? stripe.fetch(request) : fetch(request),
    );
    // The invoice is made in QuickBooks, and its answer is lost: Stripe collects nothing meanwhile.
    qb.errors.push({ when: ({ path: to }) => to.includes('/invoice?'), done: true, status: 500 });
    expect((await send())[0]).toBe(503);
    stripe.setExtras({ tax: null, discountCents: 0 });
    await collect();
    expect(listMonths()).toEqual([]);
    expect((await send())[0]).toBe(200);
    fixture.pass(7 * 3_600_000);
    await collect();
    await collect();
    expect(listMonths()).toEqual([]);
    expect(books.invoices).toHaveLength(before + 1);
    const after = await getMarch();
    expect(after.usage).toMatchObject({ error: null, invoice: expect.any(String) });
    expect(await getSubscription()).toMatchObject({ status: 'active', owedMills: 0 });
    await qb.stop();
  });

  test(`BILL-16: a month is invoiced after its company was deleted, and never if Stripe collects it (${kind})`, async () => {
    const { ground: fixture, qb } = await withQuickBooks(open);
    const { office, books } = await aReadBureau(fixture, qb);
    books.items.push({ Id: ITEM, Name: 'Microsoft 365 backup', Type: 'Service' });
    const owner = await office.as('owner', ['super-admin', 'admin']);
    await must(owner, 'PUT', 'o365/billing/settings', settings());
    await must(owner, 'PUT', 'o365/quickbooks/customers', {
      pairs: [
        { customer: '1', company: 1 },
        { customer: '2', company: 2 },
      ],
    });
    const byCard = {
      currency: 'USD',
      level: 'basic',
      userMills: 2_500,
      gigabyteMills: 0,
      minimumUsers: 4,
      periodEndsAt: fixture.context.clock.now() + 31 * DAY,
      trialEndsAt: null,
      hasCard: true,
    } as const;
    // A subscription by card that nobody ever paid is no reason against the invoice.
    const unpaid = fixture.context.chance.uuid();
    const about = { company: 1, entity: `subscription:${unpaid}` };
    await fixture.context.store.tenant(office.tenant, (tx) =>
      tx.append(
        [
          {
            ...about,
            event: {
              type: 'subscription.started@1',
              data: { id: unpaid, company: 1, status: 'pending', ...byCard },
            },
          },
          { ...about, event: { type: 'subscription.ended@1', data: { id: unpaid } } },
        ],
        {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: fixture.context.clock.now(),
        },
      ),
    );
    const start = { level: 'basic', minimumUsers: 4, trialEndsAt: null };
    await must(owner, 'POST', 'o365/subscriptions/start/1', start);
    const id = fixture.context.chance.uuid();
    await fixture.context.store.tenant(office.tenant, (tx) =>
      tx.append(
        [
          {
            company: 2,
            entity: `subscription:${id}`,
            event: {
              type: 'subscription.started@1',
              data: {
                id,
                company: 2,
                status: 'active',
                ...byCard,
              },
            },
          },
        ],
        {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: fixture.context.clock.now(),
        },
      ),
    );
    await must(owner, 'POST', 'o365/subscriptions/refresh', {});
    fixture.pass(31 * DAY);
    const later = await office.as('later', ['super-admin', 'admin']);
    const march = '?month=3&year=2026';
    const send = async (company: number): Promise<readonly [number, string]> => {
      const { _id: usage = '' } = (await getRow(later, company, march)).usage ?? {};
      await must(later, 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
      await later('GET', `o365/quickbooks/month-invoice/${usage}`);
      const { status, text } = await later('POST', `o365/quickbooks/month-invoice/${usage}`, {
        userItem: ITEM,
      });
      return [status, text];
    };
    const before = books.invoices.length;
    expect(await send(2)).toEqual([409, expect.stringContaining('paid by card at Stripe')]);
    expect(books.invoices).toHaveLength(before);
    await must(later, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    expect((await send(1))[0]).toBe(200);
    expect(books.invoices).toHaveLength(before + 1);
    await qb.stop();
  });

  test(`BILL-13, BILL-16: an overdue invoice starts the grace period until it is paid, and a voided one frees its month (${kind})`, async () => {
    const { ground: fixture, qb } = await withQuickBooks(open);
    const bureau = await aReadBureau(fixture, qb);
    const { office, books } = bureau;
    books.items.push({ Id: ITEM, Name: 'Microsoft 365 backup', Type: 'Service' });
    const owner = await office.as('owner', ['super-admin', 'admin']);
    await must(owner, 'PUT', 'o365/billing/settings', settings());
    const pairs = [{ customer: '1', company: 1 }];
    await must(owner, 'PUT', 'o365/quickbooks/customers', { pairs });
    const start = { level: 'basic', minimumUsers: 4, trialEndsAt: null };
    await must(owner, 'POST', 'o365/subscriptions/start/1', start);
    const work = async (): Promise<void> => {
      await subscriptions(fixture.context)({
        tenant: office.tenant,
        payload: null,
        now: fixture.context.clock.now(),
        signal: new AbortController().signal,
      });
    };
    await work();
    fixture.pass(31 * DAY);
    const later = await office.as('later', ['super-admin', 'admin']);
    const { _id: usage = '' } = (await getRow(later, 1, '?month=3&year=2026')).usage ?? {};
    const send = () => later('POST', `o365/quickbooks/month-invoice/${usage}`, { userItem: ITEM });
    await must(later, 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
    await later('GET', `o365/quickbooks/month-invoice/${usage}`);
    expect((await send()).status).toBe(200);
    const made = books.invoices.at(-1);
    if (!made) throw new Error('no invoice');
    /** What somebody does with the invoice in QuickBooks, until Daybook has read it. */
    const change = async (fields: object): Promise<void> => {
      Object.assign(made, fields, {
        MetaData: { LastUpdatedTime: new Date(fixture.context.clock.now()).toISOString() },
      });
      fixture.pass(16 * 60_000);
      await bureau.read();
      await work();
    };
    const load = () =>
      fixture.context.store.tenant(
        office.tenant,
        async (tx) => (await tx.all('subscription')).find(({ company }) => company === 1),
        { readOnly: true },
      );
    await change({ DueDate: getDayAfter(fixture.context.clock.now(), 10), Balance: 10 });
    expect((await load())?.status).toBe('active');
    await change({ DueDate: getDayAfter(fixture.context.clock.now(), -1) });
    expect(await load()).toMatchObject({ status: 'payment_failed', owedMills: 10_000 });
    const graceEndsAt = (await load())?.graceEndsAt;
    // A part of it is paid: the rest is owed, and the grace period isn't longer.
    await change({ Balance: 4 });
    expect(await load()).toMatchObject({ owedMills: 4_000, graceEndsAt });
    await change({ Balance: 0 });
    expect(await load()).toMatchObject({ status: 'active', owedMills: 0, graceEndsAt: null });
    await change({ TotalAmt: 0, Balance: 0, PrivateNote: 'Voided - sent twice' });
    const count = books.invoices.length;
    const evening = await office.as('evening', ['super-admin', 'admin']);
    await evening('POST', `o365/subscriptions/billing/${usage}/ack`, {});
    await evening('GET', `o365/quickbooks/month-invoice/${usage}`);
    const resent = await evening('POST', `o365/quickbooks/month-invoice/${usage}`, {
      userItem: ITEM,
    });
    expect([resent.status, resent.text]).toEqual([200, expect.anything()]);
    expect(books.invoices).toHaveLength(count + 1);

    // The new one is read, and then somebody deletes it: a complete read, once a day, notices it.
    Object.assign(books.invoices.at(-1) ?? {}, {
      MetaData: { LastUpdatedTime: new Date(fixture.context.clock.now()).toISOString() },
    });
    fixture.pass(16 * 60_000);
    await bureau.read();
    const getUsage = async (name: string) =>
      (await getRow(await office.as(name, ['super-admin', 'admin']), 1, '?month=3&year=2026'))
        .usage;
    expect(await getUsage('night')).toMatchObject({ isReleased: false });
    expect((await getUsage('midnight'))?.invoice).not.toBeNull();
    books.invoices.pop();
    fixture.pass(25 * 3_600_000);
    await bureau.read();
    expect(await getUsage('next-day')).toMatchObject({ invoice: null, isReleased: true });
    // It is invoiced once more, not as the deleted one.
    const third = await (
      await office.as('third', ['super-admin', 'admin'])
    )('POST', `o365/quickbooks/month-invoice/${usage}`, { userItem: ITEM });
    expect(third.status).toBe(200);
    expect(books.invoices).toHaveLength(count + 1);
    await qb.stop();
  });

  test(`BILL-18: the volumes of a SolarWinds server are listed, and a reason where there are none (${kind})`, async () => {
    const { ground: fixture, qb } = await withQuickBooks(open);
    const { office } = await aReadBureau(fixture, qb);
    const owner = await office.as('owner', ['super-admin']);
    const volumes = (): Promise<OutputOf<'listBackupVolumes'>> =>
      must(owner, 'GET', 'o365/solarwinds/volumes');
    expect(await volumes()).toEqual({
      rows: [],
      count: 0,
      reason: 'No SolarWinds server is configured.',
    });
    const basic = `Basic ${Buffer.from('orion:hidden').toString('base64')}`;
    const server = await listen((request) =>
      request.headers.authorization === basic && request.path.includes('Orion.Volumes')
        ? json({
            results: [
              {
                VolumeID: 4,
                Caption: 'E:\\ Backup',
                VolumeSize: 2e12,
                VolumeSpaceUsed: 5e11,
                NodeCaption: 'vault-1',
              },
            ],
          })
        : { status: 401 },
    );
    const solarWinds = { url: server.url, username: 'orion' };
    await must(owner, 'PUT', 'o365/billing/settings', settings({ solarWinds }));
    await must(owner, 'PUT', 'o365/billing/secrets/solarwinds', { value: 'wrong' });
    expect((await volumes()).reason).toContain('401');
    const stored = await must(owner, 'PUT', 'o365/billing/secrets/solarwinds', { value: 'hidden' });
    expect(stored).toEqual({ secrets: ['solarwinds'] });
    expect((await volumes()).rows).toEqual([
      { id: '4', node: 'vault-1', name: 'E:\\ Backup', sizeBytes: 2e12, usedBytes: 5e11 },
    ]);
    // A password is not sent to another server.
    await must(
      owner,
      'PUT',
      'o365/billing/settings',
      settings({ solarWinds: { ...solarWinds, url: 'https://other.example' } }),
    );
    expect(await must(owner, 'GET', 'o365/billing/secrets')).toEqual({ secrets: [] });
    await server.stop();
  });
});
