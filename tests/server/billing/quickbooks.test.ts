import { afterAll, beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { makeAppContext } from '#server/make-app-context.ts';
import { quickBooksAt } from '#server/features/billing/quickbooks-endpoint.ts';
import { loadBooksAccess } from '#server/features/billing/quickbooks-tokens.ts';
import { dump } from '#server/platform/db/dump.ts';
import type { OpenStore } from '#server/platform/db/open.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../db/databases.ts';
import { aBureau, type Bureau, CONNECTION, INVOICES } from './fixtures.ts';
import { APP, customer, invoice, quickBooksStandIn } from './fakes/quickbooks.ts';
import type { QuickBooksStandIn, Rec } from './fakes/quickbooks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let fixture: Fixture;
let store: OpenStore;
let qb: QuickBooksStandIn;
const begun: QuickBooksStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];
const many = (from: number, to: number, more: Rec = {}): Rec[] =>
  Array.from({ length: to - from + 1 }, (_, i) => invoice(from + i, more));
const queries = (entity: string): readonly string[] =>
  qb.asked.flatMap(({ path }) => {
    const query = new URL(path, 'http://x').searchParams.get('query') ?? '';
    return query.startsWith(`select * from ${entity}`) ? [query] : [];
  });
/** How many tokens were asked for since. */
const renewals = (): number =>
  qb.asked.filter(
    ({ path, body }) =>
      path === '/oauth2/v1/tokens/bearer' && body.includes('grant_type=refresh_token'),
  ).length;
const stamp = (one: Rec, more: Rec = {}): void => {
  Object.assign(one, {
    ...more,
    MetaData: { LastUpdatedTime: new Date(fixture.context.clock.now()).toISOString() },
  });
};
const numbers = async (bureau: Bureau): Promise<readonly string[]> =>
  (await bureau.list('?pageSize=200&sort=number')).rows.map(({ number }) => number);

const at = (environment: 'production' | 'sandbox'): readonly string[] =>
  Object.values(
    quickBooksAt({ config: { ...fixture.context.config, quickBooks: null } }, environment),
  );

eachDatabase((_name, open) => {
  beforeAll(async () => {
    store = await open();
    const clock = { now: (): number => fixture.context.clock.now() };
    qb = await quickBooksStandIn(() => clock.now());
    begun.push(qb);
    fixture = await makeFixture({ ...HERE, quickBooks: qb.url }, store);
  });

  test('BILL-1: each environment of Intuit is requested at its own addresses', () => {
    expect(at('production')).toEqual([
      'https://quickbooks.api.intuit.com',
      'https://appcenter.intuit.com/connect/oauth2',
      'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
      'https://developer.api.intuit.com/v2/oauth2/tokens/revoke',
    ]);
    expect(at('sandbox')[0]).toBe('https://sandbox-quickbooks.api.intuit.com');
  });

  test('BILL-1: keys are stored, access is granted at Intuit and returns once, to who requested it; secret and tokens are encrypted and never shown', async () => {
    const bureau = await aBureau(fixture, qb);
    const { ada, books } = bureau;
    const bo = await bureau.office.as('bo', ['admin']);
    expect(said(await ada('POST', `${CONNECTION}/begin`, {}))).toEqual([
      409,
      MESSAGES.quickBooksNoKeys,
    ]);
    expect(
      (await ada('PUT', CONNECTION, { environment: 'production', clientId: APP.clientId })).body
        .error?.issues,
    ).toEqual([{ path: 'secret', message: MESSAGES.quickBooksNoSecret }]);
    await ada('PUT', CONNECTION, { environment: 'production', ...APP });
    const { url } = (await ada<{ url: string }>('POST', `${CONNECTION}/begin`, {})).body.data;
    const stored = await bureau.kept();
    expect(stored).toMatchObject({
      clientId: APP.clientId,
      secret: true,
      realm: null,
      ended: false,
      invoices: 0,
    });
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(stored.back);
    expect(stored.back).toBe(`https://${bureau.office.host}/monitoring/invoices/quickbooks`);
    const back = qb.back(url, books);
    expect(said(await bo('POST', `${CONNECTION}/finish`, back))).toEqual([
      409,
      MESSAGES.quickBooksWayBack,
    ]); // and it is used up
    expect(said(await ada('POST', `${CONNECTION}/finish`, back))).toEqual([
      409,
      MESSAGES.quickBooksWayBack,
    ]);
    const late = (await ada<{ url: string }>('POST', `${CONNECTION}/begin`, {})).body.data.url;
    fixture.pass(11 * MINUTE);
    const asker = await bureau.office.as('ann', ['admin']);
    expect(said(await asker('POST', `${CONNECTION}/finish`, qb.back(late, books)))).toEqual([
      409,
      MESSAGES.quickBooksWayBack,
    ]);
    expect(
      said(
        await asker('POST', `${CONNECTION}/finish`, {
          code: 'made up',
          realmId: books.realm,
          state: 'made up',
        }),
      ),
    ).toEqual([409, MESSAGES.quickBooksWayBack]);
    const again = await aBureau(fixture, qb);
    expect(await again.connect()).toMatchObject({ realm: again.books.realm, ended: false });
    await again.read();
    expect(
      (await again.ada<{ ok: boolean; message: string }>('POST', `${CONNECTION}/test`, {})).body
        .data,
    ).toMatchObject({
      ok: true,
      message: 'QuickBooks responded for the company Lakeside Managed IT.',
    });
    const tokens = qb.asked
      .flatMap(({ headers, body }) => [
        headers.authorization?.replace(/^\w+ /, ''),
        new URLSearchParams(body).get('code'),
        APP.secret,
      ])
      .filter((one): one is string => typeof one === 'string');
    const all = JSON.stringify([await dumped(), fixture.lines]);
    expect(tokens.length).toBeGreaterThan(5);
    expect(tokens.filter((one) => all.includes(one))).toEqual([]);
    expect(all).toContain('quickbooks.connected');
  });

  test('BILL-1: invoices are read page by page with their customers, and then only changed ones; a full read finds deleted ones', async () => {
    const bureau = await aBureau(fixture, qb);
    const { books } = bureau;
    books.customers.push(customer(1, 'Calloway Freight'));
    books.invoices.push(...many(1, 2_300));
    await bureau.connect();
    expect((await bureau.list()).source).toEqual({
      kind: 'reading',
      readAt: null,
      error: null,
      fault: null,
    });
    const before = queries('Invoice').length;
    await bureau.read();
    expect(
      queries('Invoice')
        .slice(before)
        .map((query) => /STARTPOSITION.*/.exec(query)?.[0]),
    ).toEqual([
      'STARTPOSITION 1 MAXRESULTS 1000',
      'STARTPOSITION 1001 MAXRESULTS 1000',
      'STARTPOSITION 2001 MAXRESULTS 1000',
    ]);
    expect(await bureau.list()).toMatchObject({
      count: 2_300,
      source: { kind: 'read', readAt: fixture.context.clock.now(), error: null, fault: null },
    });
    // Not again before it is due.
    const request = qb.asked.length;
    await bureau.read();
    expect(qb.asked.length).toBe(request);
    fixture.pass(16 * MINUTE);
    const [first, second] = books.invoices;
    if (!first || !second) throw new Error('no invoices');
    stamp(first, { Balance: 0 });
    books.invoices.splice(1, 1);
    const since = queries('Invoice').length;
    await bureau.read();
    expect(queries('Invoice').slice(since)).toHaveLength(1);
    expect(queries('Invoice').at(-1)).toMatch(
      /where MetaData\.LastUpdatedTime >= '2026-03-0[12]T[\d:]+Z' ORDERBY Id/,
    );
    expect((await bureau.list('?state=paid')).rows.map(({ _id }) => _id)).toEqual(['1']);
    expect((await bureau.list()).count).toBe(2_300);
    fixture.pass(25 * HOUR);
    await bureau.read();
    expect((await bureau.list()).count).toBe(2_299);
    expect(queries('Invoice').at(-1)).toContain(`Id in ('2')`);
  });

  test('BILL-1: reading continues where it was interrupted; slow, out-of-order and rate-limited answers are retried later with a message', async () => {
    const bureau = await aBureau(fixture, qb);
    const { books } = bureau;
    books.invoices.push(...many(1, 1_500));
    await bureau.connect();
    const third = { when: ({ path }: { path: string }) => path.includes('STARTPOSITION+1001') };
    qb.errors.push({
      ...third,
      status: 503,
      headers: { 'content-type': 'text/html' },
      body: '<html>',
    });
    await bureau.read();
    expect(await bureau.list()).toMatchObject({
      count: 1_000,
      source: { kind: 'reading', error: "QuickBooks isn't available (503)." },
    });
    await bureau.read(); // not yet
    expect((await bureau.list()).count).toBe(1_000);
    fixture.pass(20_000);
    qb.errors.push({
      ...third,
      status: 429,
      headers: { 'retry-after': '120', 'content-type': 'application/json' },
      body: '{"Fault":{"Error":[{"Message":"ThrottleExceeded","code":"3001"}]}}',
    });
    await bureau.read();
    expect((await bureau.list()).source.error).toBe(
      'QuickBooks received too many requests. Try again later.',
    );
    fixture.pass(119_000);
    const request = qb.asked.length;
    await bureau.read();
    expect(qb.asked.length).toBe(request);
    fixture.pass(2_000);
    const pages = queries('Invoice').length;
    await bureau.read();
    expect(
      queries('Invoice')
        .slice(pages)
        .map((query) => /STARTPOSITION \d+/.exec(query)?.[0]),
    ).toEqual(['STARTPOSITION 1001']);
    expect(await bureau.list()).toMatchObject({
      count: 1_500,
      source: { kind: 'read', error: null },
    });
    // A form that is not the published one keeps what was read.
    fixture.pass(16 * MINUTE);
    qb.errors.push({
      when: ({ path }) => path.includes('from+Invoice'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ QueryResponse: { Invoice: [{ Id: '1' }] } }),
    });
    await bureau.read();
    expect((await bureau.list()).source.error).toMatch(
      /^QuickBooks sent an invoice with an unexpected value \(0\.\w+\)\.$/,
    );
    expect((await bureau.list()).count).toBe(1_500);
  });

  test('BILL-1: a refused token is renewed once, by one caller at a time; the newest refresh token counts; ended access is reported and waits for people', async () => {
    const bureau = await aBureau(fixture, qb);
    const { ada, books, office } = bureau;
    books.invoices.push(...many(1, 3));
    await bureau.connect();
    await bureau.read();
    qb.end(books);
    const before = renewals();
    fixture.pass(16 * MINUTE);
    await bureau.read();
    expect([renewals() - before, (await bureau.list()).source.error]).toEqual([1, null]);
    // Ten at once that are refused the same token wait for one renewal, also those of another
    // server.
    const token = await loadBooksAccess(fixture.context, office.tenant, null);
    const other = makeAppContext(fixture.context);
    const got = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        loadBooksAccess(
          i % 2 === 0 || store.kind === 'pglite' ? fixture.context : other,
          office.tenant,
          token,
        ),
      ),
    );
    expect([renewals() - before, new Set(got).size, got.includes(token)]).toEqual([2, 1, false]);
    fixture.pass(2 * HOUR);
    await bureau.read();
    expect([renewals() - before, (await bureau.list()).source.error]).toEqual([3, null]);
    // Renewing fails for a while: nothing is lost by it.
    qb.end(books);
    qb.errors.push({ when: ({ path }) => path.startsWith('/oauth2'), status: 500 });
    fixture.pass(16 * MINUTE);
    await bureau.read();
    expect((await bureau.list()).source.error).toBe("QuickBooks isn't available (500).");
    fixture.pass(MINUTE);
    await bureau.read();
    expect((await bureau.list()).source.error).toBeNull();
    qb.end(books, true);
    fixture.pass(16 * MINUTE);
    await bureau.read();
    expect((await bureau.list()).source.error).toBe(
      'QuickBooks no longer gives access. Connect it again.',
    );
    const request = qb.asked.length;
    fixture.pass(2 * HOUR);
    await bureau.read();
    expect(qb.asked.length).toBe(request);
    expect((await ada('GET', CONNECTION)).body.data).toMatchObject({
      ended: true,
      error: 'QuickBooks no longer gives access. Connect it again.',
      invoices: 3,
    });
    const { url } = (await ada<{ url: string }>('POST', `${CONNECTION}/begin`, {})).body.data;
    expect(
      (await ada('POST', `${CONNECTION}/finish`, qb.back(url, books))).body.data,
    ).toMatchObject({ ended: false, error: null, invoices: 3 });
    await bureau.read();
    expect(await numbers(bureau)).toEqual(['1001', '1002', '1003']);
  });

  test('BILL-1: another company, other keys and disconnecting leave nothing of the former one', async () => {
    const bureau = await aBureau(fixture, qb);
    const { ada, books } = bureau;
    const others = qb.books();
    books.invoices.push(...many(1, 3));
    others.invoices.push(...many(2, 2, { DocNumber: 'other' }));
    await bureau.connect();
    await bureau.read();
    expect(await numbers(bureau)).toEqual(['1001', '1002', '1003']);
    const { url } = (await ada<{ url: string }>('POST', `${CONNECTION}/begin`, {})).body.data;
    await ada('POST', `${CONNECTION}/finish`, qb.back(url, others));
    expect(await bureau.list()).toMatchObject({ count: 0, source: { kind: 'reading' } });
    await bureau.read();
    expect(await numbers(bureau)).toEqual(['other']);
    expect(
      (await ada('PUT', CONNECTION, { environment: 'sandbox', clientId: APP.clientId })).status,
    ).toBe(400);
    expect(
      (await ada('PUT', CONNECTION, { environment: 'sandbox', ...APP })).body.data,
    ).toMatchObject({ environment: 'sandbox', realm: null, invoices: 0 });
    expect((await bureau.list()).source.kind).toBe('none');
    await bureau.connect();
    await bureau.read();
    const gone = qb.revoked.length;
    expect((await ada('DELETE', CONNECTION)).status).toBe(200);
    expect(qb.revoked.length - gone).toBe(1);
    expect([await bureau.kept(), (await bureau.list()).count]).toMatchObject([
      { secret: false, realm: null, clientId: '' },
      0,
    ]);
  });

  test('BILL-1: users with some companies, or without the permission, neither connect nor read', async () => {
    const { office } = await aBureau(fixture, qb);
    const some = await office.as('some', ['admin'], [1]);
    const op = await office.as('op', ['operator']);
    const root = await office.as('root', ['super-admin']);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { environment: 'production', ...APP }],
      ['POST', '/begin', {}],
      ['POST', '/finish', { code: 'a', realmId: '1', state: 'b' }],
      ['POST', '/test', {}],
      ['DELETE', '', undefined],
    ] as const) {
      expect(said(await some(method, `${CONNECTION}${path}`, body))).toEqual([
        403,
        MESSAGES.quickBooksNotYours,
      ]);
      expect([
        (await op(method, `${CONNECTION}${path}`, body)).status,
        (await root(method, `${CONNECTION}${path}`, body)).status,
      ]).toEqual([403, 403]);
    }
    expect([(await op('GET', INVOICES)).status, (await root('GET', INVOICES)).status]).toEqual([
      403, 200,
    ]);
  });
});

async function dumped(): Promise<readonly string[]> {
  const lines: string[] = [];
  await dump(store, 0, (line) => {
    lines.push(JSON.stringify(line));
    return Promise.resolve();
  });
  return lines;
}
