import { beforeAll, expect, test } from 'vitest';
import type { MappedOut, TicketingState } from '#contract/tickets/ticketing-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { dump } from '#server/platform/db/dump.ts';
import type { OpenStore } from '#server/platform/db/open.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { aDesk, HOUR, TICKETING, TICKETS } from './fixtures.ts';
import { PRIVATE } from './fakes/connectwise.ts';
import { connected, connectWise, settings } from './connectwise-fixtures.ts';

let fixture: Fixture;
let store: OpenStore;
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];

anyDatabase((_name, open) => {
  beforeAll(async () => {
    store = await open();
    fixture = await makeFixture(HERE, store);
  });

  test('TICKET-8: companies are mapped by exact name for confirmation; renamed and missing ones are reported, and no ticket is created without a mapping', async () => {
    const desk = await aDesk(fixture);
    const cw = await connectWise(fixture);
    cw.pageSize = 1;
    await desk.connect(settings(cw.url), PRIVATE);
    await desk.adam('POST', `${TICKETING}/test`, {});
    const a = await desk.fails('Files');
    const refused = async (): Promise<readonly unknown[]> =>
      said(await desk.dana('POST', TICKETS, { problems: [a.n], subject: 'x' }));
    expect([await refused(), (await desk.form(1)).blocked]).toEqual([
      [409, MESSAGES.ticketNotMapped({ company: 'Calloway Freight', system: 'ConnectWise' })],
      MESSAGES.ticketNotMapped({ company: 'Calloway Freight', system: 'ConnectWise' }),
    ]);
    const check = async (): Promise<{ companies: MappedOut[]; found: unknown[] }> =>
      (
        await desk.adam<{ companies: MappedOut[]; found: unknown[] }>(
          'POST',
          `${TICKETING}/companies/check`,
          {},
        )
      ).body.data;
    const { found } = await check();
    expect(found).toEqual([
      { company: 1, remote: { id: '101', name: 'Calloway Freight' } },
      { company: 2, remote: { id: '102', name: 'Drummond & Pike' } },
    ]);
    expect(await refused()).toHaveLength(2);
    await desk.adam('PUT', `${TICKETING}/companies`, { pairs: found });
    Object.assign(cw.companies[0] ?? {}, { name: 'Calloway Logistics' });
    cw.companies.splice(1, 1);
    expect((await check()).companies.map(({ name, health }) => [name, health])).toEqual([
      ['Calloway Freight', 'renamed'],
      ['Drummond & Pike', 'missing'],
    ]);
    // By itself once a day.
    cw.companies.push({
      id: 102,
      identifier: 'Drummond',
      name: 'Drummond & Pike',
      deletedFlag: false,
    });
    const health = async (): Promise<unknown> =>
      (await desk.adam<MappedOut[]>('GET', `${TICKETING}/companies`)).body.data.map(
        (one) => one.health,
      );
    fixture.pass(61_000);
    await desk.tick();
    expect(await health()).toEqual(['renamed', 'missing']);
    fixture.pass(25 * HOUR);
    await desk.tick();
    expect(await health()).toEqual(['renamed', 'ok']);
    cw.companies.pop();
    await check();
    const b = await desk.fails('Mail', {}, 2);
    expect(said(await desk.dana('POST', TICKETS, { problems: [b.n], subject: 'x' }))).toEqual([
      409,
      MESSAGES.ticketCompanyMissing({ company: 'Drummond & Pike', system: 'ConnectWise' }),
    ]);
    expect((await desk.make([a.n])).number).toBe('5001');
  });

  test('TICKET-8: data of ConnectWise needs permission: companies for users who map them, contacts and tickets of companies that the user sees', async () => {
    const { desk, cw } = await connected(fixture);
    const at = `${TICKETS}/connectwise`;
    const rows = async (who: typeof desk.dana, path: string): Promise<unknown> =>
      (await who<{ rows: unknown }>('GET', `${at}/${path}`)).body.data?.rows;
    await desk.make([(await desk.fails('A')).n], { subject: 'Open one' });
    expect([
      await rows(desk.adam, 'companies?search=call'),
      await rows(desk.dana, 'contacts?company=1'),
      await rows(desk.dana, 'members'),
      await rows(desk.dana, 'tickets?company=1&search=open'),
    ]).toEqual([
      [{ id: '101', name: 'Calloway Freight', identifier: 'Calloway' }],
      [{ id: '31', name: 'Cleo Calloway', email: 'cleo@calloway.example' }],
      [{ id: '21', name: 'Dana Smith', identifier: 'dsmith' }],
      [{ id: '5001', name: 'Open one', status: 'New' }],
    ]);
    expect([
      (await desk.dana('GET', `${at}/companies`)).status,
      (await desk.cora('GET', `${at}/contacts?company=2`)).status,
      (await desk.cora('GET', `${at}/tickets?company=99`)).status,
    ]).toEqual([403, 404, 404]);
    expect(said(await desk.adam('GET', `${TICKETS}/autotask/accounts`))).toEqual([
      409,
      MESSAGES.ticketingOtherSystem({ system: 'Autotask' }),
    ]);
    const quoted = cw.asked.length;
    await desk.adam(
      'GET',
      `${at}/companies?search=${encodeURIComponent('" or id > 0 or name = "')}`,
    );
    expect(cw.asked[quoted]?.query.get('conditions')).not.toMatch(/like "%"/);
    cw.errors.push({ status: 429, headers: { 'retry-after': '7' } });
    expect((await desk.dana('GET', `${at}/members`)).status).toBe(503);
  });

  test('TICKET-8, G51: the key is encrypted, never shown, and deleted with its address; the record names who set it', async () => {
    const { desk, cw } = await connected(fixture);
    const thief = await connectWise(fixture);
    const { connectwise } = settings(cw.url);
    const moved = {
      ...(await desk.connect(settings(cw.url))).settings,
      connectwise: { ...(connectwise as NonNullable<typeof connectwise>), url: thief.url },
    };
    expect(said(await desk.adam('PUT', TICKETING, { settings: moved }))).toEqual([
      400,
      MESSAGES.ticketingNoSecret,
    ]);
    await desk.adam('POST', `${TICKETING}/test`, {});
    expect(thief.asked).toEqual([]);
    const lines: string[] = [];
    await dump(store, 0, (line) => {
      lines.push(JSON.stringify(line));
      return Promise.resolve();
    });
    for (const text of [
      lines.join('\n'),
      fixture.lines.join('\n'),
      (await desk.adam('GET', TICKETING)).text,
    ])
      for (const spelled of [PRIVATE, Buffer.from(PRIVATE).toString('base64').slice(0, -4)])
        expect(text.includes(spelled)).toBe(false);
    expect((await desk.dana('GET', TICKETING)).status).toBe(403);
    const { rows } = await fixture.context.store.tenant(desk.office.tenant, async ({ sql }) => ({
      rows: await sql
        .selectFrom('audit')
        .select('what')
        .where('tenant_id', '=', desk.office.tenant)
        .where('what', 'like', 'ticketing.%')
        .execute(),
    }));
    expect(rows.length).toBeGreaterThan(2);
    const some = await desk.office.as('some', ['admin'], [1]);
    expect([
      (await some('GET', TICKETING)).status,
      (await some('PUT', TICKETING, { settings: moved, secret: 'x' })).status,
      (await some('GET', `${TICKETING}/companies`)).status,
    ]).toEqual([403, 403, 403]);
  });

  test("TICKET-8: the key isn't sent to an address that was set while another system, or none, was connected; a refused change keeps it", async () => {
    const { desk, cw } = await connected(fixture);
    const thief = await connectWise(fixture);
    const stored = (await desk.connect(settings(cw.url))).settings;
    const { connectwise } = settings(cw.url);
    const there = { ...(connectwise as NonNullable<typeof connectwise>), url: thief.url };
    expect(
      said(await desk.adam('PUT', TICKETING, { settings: { ...stored, connectwise: there } })),
    ).toEqual([400, MESSAGES.ticketingNoSecret]);
    expect((await desk.adam<TicketingState>('GET', TICKETING)).body.data.secret).toBe(true);
    expect(
      (
        await desk.adam('PUT', TICKETING, {
          settings: { ...stored, system: 'own', connectwise: there },
        })
      ).status,
    ).toBe(200);
    expect(
      said(await desk.adam('PUT', TICKETING, { settings: { ...stored, connectwise: there } })),
    ).toEqual([400, MESSAGES.ticketingNoSecret]);
    expect([(await desk.adam('POST', `${TICKETING}/test`, {})).status, thief.asked]).toEqual([
      200,
      [],
    ]);
  });
});
