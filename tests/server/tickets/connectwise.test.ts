import { beforeAll, expect, test } from 'vitest';
import { ask, login, makeFixture, user } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { HOUR, TICKETS } from './fixtures.ts';
import { type ConnectWiseStandIn } from './fakes/connectwise.ts';
import { connected } from './connectwise-fixtures.ts';

let fixture: Fixture;
const gone = (cw: ConnectWiseStandIn, path: string, method = 'POST'): number =>
  cw.asked.filter((one) => one.method === method && one.path.endsWith(path)).length;

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('TICKET-5: a ticket is created in ConnectWise with board, status, company, priority and our reference; its number goes to the problems', async () => {
    const { desk, cw } = await connected(fixture);
    const [a, b] = [await desk.fails('Files'), await desk.fails('Mail')];
    expect(await desk.form(1)).toMatchObject({
      system: 'connectwise',
      blocked: null,
      remoteCompany: 'Calloway Freight',
      priority: '5',
      statuses: [{ id: '1', name: 'New', closed: false }, { id: '2' }, { id: '3', closed: true }],
    });
    const ticket = await desk.make([a.n, b.n], {
      subject: 'Hosts cannot be reached',
      description: 'Both since the night',
      owner: { id: '21', name: 'Dana Smith' },
    });
    expect(cw.tickets).toMatchObject([
      {
        summary: 'Hosts cannot be reached',
        initialDescription: 'Both since the night',
        board: { id: 2 },
        status: { id: 1 },
        company: { id: 101 },
        priority: { id: 5 },
        owner: { id: 21 },
        externalXRef: `daybook:${ticket.id}`,
      },
    ]);
    expect(ticket).toMatchObject({
      number: '5001',
      system: 'connectwise',
      waiting: false,
      error: null,
      owner: { id: '21', name: 'Dana Smith' },
      priority: { id: '5' },
    });
    expect(ticket.url).toContain('service_recid=5001');
    for (const { n } of [a, b])
      expect(await desk.problem(n)).toMatchObject({
        ticket: '5001',
        linkedTicket: { id: ticket.id, open: true, url: ticket.url },
      });
    // What is changed here is told there.
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, {
      subject: 'Hosts',
      status: '2',
      owner: null,
      description: 'Seen',
    });
    expect([cw.tickets[0], cw.notes]).toMatchObject([
      { summary: 'Hosts', status: { id: 2 }, owner: null },
      [{ ticketId: 5001, text: 'Seen' }],
    ]);
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, { status: '3' });
    expect([cw.tickets[0]?.closedFlag, (await desk.problem(a.n)).linkedTicket?.open]).toEqual([
      true,
      false,
    ]);
  });

  test('TICKET-5: a user set to own their ConnectWise tickets owns those they open, found by email address', async () => {
    const { desk, cw } = await connected(fixture);
    const a = await desk.fails('Files');
    const { office } = desk;
    const id = await user(fixture, office.tenant, {
      username: 'owner',
      name: 'Owner',
      email: 'kate@example.com',
      roles: ['operator'],
    });
    await fixture.context.store.tenant(office.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ settings: JSON.stringify({ assignAsConnectWiseOwner: true }) })
        .where('tenant_id', '=', office.tenant)
        .where('id', '=', id)
        .execute(),
    );
    const { token } = (await login(office.app, office.host, 'owner')).body.data;
    const answer = await ask(office.app, `/api/v1/${TICKETS}`, {
      method: 'POST',
      host: office.host,
      token,
      body: { problems: [a.n], subject: 'Mine' },
    });
    expect([answer.body.data, cw.tickets[0]?.owner]).toMatchObject([
      { owner: { id: '21', name: 'Dana Smith' } },
      { id: 21 },
    ]);
  });

  test('TICKET-5: if the answer is lost, times out or the server dies after it, the ticket is found by its reference and exists once', async () => {
    const { desk, cw } = await connected(fixture);
    const a = await desk.fails('Files');
    cw.errors.push({
      when: ({ method, path }) => method === 'POST' && path.endsWith('service/tickets'),
      done: true,
      status: 502,
      text: 'bad gateway',
    });
    const ticket = await desk.make([a.n]);
    expect([ticket.waiting, ticket.error, ticket.number, cw.tickets.length]).toEqual([
      true,
      "ConnectWise isn't available (502).",
      'D-1',
      1,
    ]);
    await desk.tick();
    expect(gone(cw, 'service/tickets')).toBe(1);
    fixture.pass(20_000);
    await desk.tick();
    expect([
      await desk.ticket(ticket.id),
      cw.tickets.length,
      gone(cw, 'service/tickets'),
    ]).toMatchObject([{ waiting: false, number: '5001' }, 1, 1]);
    // A server that died with the task in its hands: another takes it up when that is surely over.
    const b = await desk.fails('Mail');
    const real = desk.office.tenant;
    cw.errors.push({ when: ({ method }) => method === 'GET', status: 503 });
    const other = await desk.make([b.n]);
    await fixture.context.store.tenant(real, ({ sql }) =>
      sql
        .updateTable('ticket_work')
        .set({ held_until: fixture.context.clock.now() + 120_000, next_at: 0 })
        .where('tenant_id', '=', real)
        .execute(),
    );
    cw.tickets.push({
      ...(cw.tickets[0] as (typeof cw.tickets)[0]),
      id: 5900,
      summary: 'Made before it died',
      externalXRef: `daybook:${other.id}`,
    });
    await desk.tick();
    expect((await desk.ticket(other.id)).waiting).toBe(true);
    fixture.pass(121_000);
    await desk.tick();
    expect([await desk.ticket(other.id), gone(cw, 'service/tickets')]).toMatchObject([
      { waiting: false, number: '5900' },
      1,
    ]);
  });

  test('TICKET-5: 429 waits as long as requested; wrong keys and unreadable answers are reported and retried; refusals are not retried', async () => {
    const { desk, cw } = await connected(fixture);
    const requestedAt = (path: string): number =>
      cw.asked.filter((one) => one.path.endsWith(path)).length;
    cw.errors.push({ status: 429, headers: { 'retry-after': '3600' } });
    const a = await desk.make([(await desk.fails('A')).n]);
    expect([a.error, cw.tickets.length]).toEqual([
      'ConnectWise is receiving too many requests. Try again later.',
      0,
    ]);
    const before = requestedAt('service/tickets');
    fixture.pass(3_590_000);
    const pausePolling = () =>
      fixture.context.store.tenant(desk.office.tenant, ({ sql }) =>
        sql
          .updateTable('ticketing')
          .set({ poll_at: fixture.context.clock.now() + 20 * HOUR })
          .where('tenant_id', '=', desk.office.tenant)
          .execute(),
      );
    await pausePolling();
    await desk.tick();
    expect(requestedAt('service/tickets')).toBe(before);
    fixture.pass(11_000);
    await desk.tick();
    expect((await desk.ticket(a.id)).number).toBe('5001');
    for (const [error, words] of [
      [{ status: 401 }, "ConnectWise didn't accept the keys."],
      [{ text: '<html>' }, 'ConnectWise sent an unexpected response.'],
      [{ body: { id: 1 } }, 'ConnectWise sent an unexpected response.'],
    ] as const) {
      cw.errors.push(error);
      const made = await desk.make([(await desk.fails(words + JSON.stringify(error))).n]);
      expect(made.error).toBe(words);
      fixture.pass(20_000);
      await desk.tick();
      expect((await desk.ticket(made.id)).waiting).toBe(false);
    }
    cw.companies.splice(0, 1);
    const refused = await desk.make([(await desk.fails('B')).n]);
    expect(refused.error).toBe('ConnectWise refused the request (400): company not found');
    const request = cw.asked.length;
    fixture.pass(23 * HOUR);
    await pausePolling();
    await desk.tick();
    expect(cw.asked.slice(request).filter(({ path }) => path.endsWith('service/tickets'))).toEqual(
      [],
    );
  });

  test('TICKET-5: a late answer is not awaited: the ticket waits, and is found once it was created', async () => {
    const { clock } = fixture.context;
    const hasty: Fixture = {
      ...fixture,
      context: {
        ...fixture.context,
        clock: { ...clock, after: (ms, done) => clock.after(ms / 25, done) },
      },
    };
    const { desk, cw } = await connected(hasty);
    cw.errors.push({
      when: ({ method, path }) => method === 'POST' && path.endsWith('service/tickets'),
      done: true,
      silent: true,
    });
    const ticket = await desk.make([(await desk.fails('A')).n]);
    expect([ticket.waiting, ticket.number, cw.tickets.length]).toEqual([true, 'D-1', 1]);
    await expect
      .poll(async () => (await desk.ticket(ticket.id)).error, { timeout: 60_000 })
      .toBe("127.0.0.1 didn't respond in time.");
    fixture.pass(20_000);
    await desk.tick();
    expect([await desk.ticket(ticket.id), cw.tickets.length]).toMatchObject([
      { waiting: false, number: '5001' },
      1,
    ]);
  });
});
