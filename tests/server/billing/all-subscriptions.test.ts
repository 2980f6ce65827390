import { beforeAll, expect, test } from 'vitest';
import type { ProviderSubscription } from '#contract/billing/all-subscription-calls.ts';
import type { OutputOf } from '#contract/calls.ts';
import { parseCsv } from '../../contract/runs/parse-csv.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { aShop, DAY, must, settings, type Shop } from './subscription-fixtures.ts';

type Report = OutputOf<'listAllSubscriptions'>;

const START = { minimumUsers: 0, trialEndsAt: null };
const load = (who: Asker, query = ''): Promise<Report> =>
  must(who, 'GET', `admin/subscriptions${query}`);
/** `Below: Calloway Freight` for each row. */
const names = ({ rows }: Pick<Report, 'rows'>): readonly string[] =>
  rows.map(
    ({ provider, companyName }) => `${provider.own ? 'own' : provider.name}: ${companyName}`,
  );

anyDatabase((_kind, open) => {
  let shop: Shop;
  let below: Office;
  let beside: Office;
  let now: number;

  /** A provider that bills in euros, below another or beside it. */
  async function addProvider(master: string | null, name: string): Promise<[Office, Asker]> {
    const office = await anOffice(shop.ground);
    await shop.ground.context.store.system((sql) =>
      sql
        .updateTable('tenant_list')
        .set({ master_id: master })
        .where('tenant_id', '=', office.tenant)
        .execute(),
    );
    const owner = await office.as('seller', ['super-admin', 'o365_admin']);
    await must(owner, 'PUT', `service-providers/${office.tenant}/branding`, { name });
    await must(owner, 'PUT', 'o365/billing/settings', settings({ currency: 'EUR' }));
    return [office, owner];
  }

  beforeAll(async () => {
    shop = await aShop(await open());
    const { ground: fixture, office, owner } = shop;
    now = fixture.context.clock.now();
    await must(owner, 'POST', 'o365/subscriptions/start/1', {
      ...START,
      level: 'basic',
      minimumUsers: 10,
    });
    const { subscription } = await must<OutputOf<'startSubscription'>>(
      owner,
      'POST',
      'o365/subscriptions/start/2',
      { ...START, level: 'advanced', minimumUsers: 4 },
    );
    const { _id: unpaid } = subscription;
    await fixture.context.store.tenant(office.tenant, (tx) =>
      tx.append(
        [
          {
            company: 2,
            entity: `subscription:${unpaid}`,
            event: {
              type: 'subscription.failed@1',
              data: { id: unpaid, graceEndsAt: now + 14 * DAY, owedMills: 16_000 },
            },
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
      ),
    );
    const [first, seller] = await addProvider(office.tenant, 'Below');
    below = first;
    await must(seller, 'POST', 'o365/subscriptions/start/1', {
      level: 'basic',
      minimumUsers: 100,
      trialEndsAt: now + 10 * DAY,
    });
    await must(seller, 'POST', 'o365/subscriptions/start/2', { ...START, level: 'free' });
    await must(seller, 'POST', 'o365/subscriptions/cancel/2', {});
    const [other, rival] = await addProvider(null, 'Beside');
    beside = other;
    await must(rival, 'POST', 'o365/subscriptions/start/1', { ...START, level: 'basic' });
    for (const who of [owner, seller, rival])
      await must(who, 'POST', 'o365/subscriptions/refresh', {});
  });

  test('BILL-21: all subscriptions of the own provider and those below it are listed with amount, payment and next date', async () => {
    const report = await load(shop.owner);
    expect(report.providers.map(({ own, name }) => (own ? 'own' : name))).toEqual(['own', 'Below']);
    expect([report.count, report.month, report.year]).toEqual([4, 3, 2026]);
    const find = (own: boolean, company: number): ProviderSubscription | undefined =>
      report.rows.find((row) => row.provider.own === own && row.company === company);
    // The month ends at midnight of April 1 in the provider's time zone, which is UTC here.
    const april = Date.UTC(2026, 3, 1);
    // One of 31 days at the minimum: 10 / 31 = 0.32 users at 2.50, and 4 / 31 = 0.13 at 4.00.
    expect(find(true, 1)).toMatchObject({
      organizations: ['Calloway'],
      usage: { currency: 'USD', totalMills: 800, ack: false },
      payment: 'invoice',
      next: { step: 'renews', at: april },
    });
    expect(find(true, 2)).toMatchObject({
      organizations: [],
      subscription: { status: 'payment_failed', owedMills: 16_000 },
      usage: { totalMills: 520 },
      payment: 'unpaid',
      next: { step: 'stops', at: now + 14 * DAY },
    });
    expect(find(false, 1)).toMatchObject({
      payment: 'trial',
      next: { step: 'trial-ends', at: now + 10 * DAY },
    });
    expect(find(false, 2)).toMatchObject({
      subscription: { status: 'cancelled' },
      payment: 'free',
      next: { step: 'ends', at: april },
    });
    const own = await must<OutputOf<'listSubscriptions'>>(shop.owner, 'GET', 'o365/subscriptions');
    // The same rows and sums as the provider's own page, which has its own tests.
    for (const row of own.rows) expect(find(true, row.company)).toMatchObject(row);
    expect(report.totals.find(({ currency }) => currency === 'USD')).toEqual({
      currency: 'USD',
      totalMills: own.totals[0]?.totalMills,
      owedMills: 16_000,
    });
  });

  test('BILL-21: the list is filtered, sorted and paged, and each page continues the one before', async () => {
    const { owner } = shop;
    expect(names(await load(owner, '?status=payment_failed'))).toEqual(['own: Drummond & Pike']);
    expect(names(await load(owner, `?provider=${below.tenant}&sort=-company`))).toEqual([
      'Below: Drummond & Pike',
      'Below: Calloway Freight',
    ]);
    expect(names(await load(owner, '?search=BELOW&status=active'))).toEqual([
      'Below: Calloway Freight',
    ]);
    // The organization's name, not the company's.
    expect(names(await load(owner, '?search=calloway&sort=-users&pageSize=1'))).toHaveLength(1);
    expect((await load(owner, '?search=%25')).rows).toEqual([]);
    expect(names(await load(owner, '?sort=status'))[0]).toBe('own: Drummond & Pike');
    // No subscription had begun, or has yet.
    for (const query of ['?year=2025&month=1', '?year=2030&month=1'])
      expect((await load(owner, query)).rows).toEqual([]);
    for (const by of ['provider', 'company', 'status', 'users', 'amount', 'next'])
      for (const sort of [by, `-${by}`]) {
        const whole = names(await load(owner, `?sort=${sort}`));
        const pages = [];
        for (const page of [1, 2, 3])
          pages.push(...names(await load(owner, `?sort=${sort}&pageSize=2&page=${page}`)));
        expect([sort, pages]).toEqual([sort, whole]);
        expect(new Set(whole).size).toBe(4);
      }
    const amounts = (await load(owner, '?sort=-amount')).rows.map(({ usage }) => usage);
    for (const currency of ['USD', 'EUR']) {
      const own = amounts.filter((usage) => usage?.currency === currency);
      const values = own.map((usage) => usage?.totalMills ?? 0);
      expect(values).toEqual(values.toSorted((a, b) => b - a));
    }
    for (const bad of ['?status=paid', '?sort=color', '?pageSize=0', '?month=13'])
      expect([bad, (await owner('GET', `admin/subscriptions${bad}`)).status]).toEqual([bad, 400]);
  });

  test('BILL-21, T2: other roles, users of some companies and other providers see nothing of it', async () => {
    const { office, owner } = shop;
    const others = [
      await office.as('plain', ['admin', 'operator', 'read-only', 'o365_admin', 'sub-sp']),
      await office.as('part', ['super-admin'], [1]),
    ];
    for (const path of ['admin/subscriptions', 'admin/subscriptions/export']) {
      for (const who of others)
        expect([path, (await who('GET', path)).status]).toEqual([path, 403]);
      for (const foreign of [beside.tenant, '00000000-0000-4000-8000-000000000000', 'x'])
        expect((await owner('GET', `${path}?provider=${foreign}`)).status).toBe(404);
      expect((await owner('GET', path)).text).not.toContain('Beside');
    }
    // Who manages only the provider below sees neither the one above nor the one beside it.
    const seller = await below.signIn('seller');
    expect((await load(seller)).providers.map(({ _id: id }) => id)).toEqual([below.tenant]);
    expect((await seller('GET', `admin/subscriptions?provider=${office.tenant}`)).status).toBe(404);
    // Another provider's subscription can be read, and is changed only there.
    const [row] = (await load(owner, `?provider=${below.tenant}`)).rows;
    const change = await owner('POST', 'o365/subscriptions/forgive-company', {
      companyId: row?.companyId,
    });
    expect(change.status).toBe(404);
  });

  test('BILL-21, BILL-17: the file has all matches of the list, to the cent, and starts no formula', async () => {
    const { office, owner } = shop;
    const file = await owner('GET', 'admin/subscriptions/export?sort=amount');
    expect(file.headers.get('content-disposition')).toMatch(/filename="Subscriptions-[^"]+\.csv"/);
    const [heads = [], ...lines] = parseCsv(file.text);
    const cells = lines.map((line) =>
      Object.fromEntries(heads.map((head, index) => [head, line[index] ?? ''])),
    );
    const report = await load(owner, '?sort=amount');
    expect(cells.map((one) => one['Company'])).toEqual(
      report.rows.map(({ companyName }) => companyName),
    );
    expect(cells.map((one) => [one['Currency'], Number(one['Total'])])).toEqual(
      report.rows.map(({ usage }) => [usage?.currency ?? '', (usage?.totalMills ?? 0) / 1_000]),
    );
    expect(cells.find((one) => one['Payment'] === 'unpaid')).toMatchObject({
      Company: 'Drummond & Pike',
      Unpaid: '16',
      Next: 'stops',
    });
    await must(owner, 'PUT', `service-providers/${office.tenant}/branding`, { name: '=cmd()' });
    expect((await owner('GET', 'admin/subscriptions/export')).text).not.toMatch(/(^|,)"?[=+@]/m);
  });
});
