import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ticketing } from '#contract/tickets/ticketing.ts';
import type { TicketingState } from '#contract/tickets/ticketing-calls.ts';
import { ask, login, makeFixture, user } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { aDesk, type Desk, TICKETING, TICKETS } from './fixtures.ts';
import { AT_KEYS, AT_SECRET, autotaskStandIn, type AutotaskStandIn } from './fakes/autotask.ts';

let fixture: Fixture;
const begun: AutotaskStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});
const settings = (url: string, more: Partial<Ticketing> = {}): Partial<Ticketing> => ({
  system: 'autotask',
  autotask: { url, ...AT_KEYS },
  board: '8',
  openStatus: '1',
  closeStatus: '5',
  priority: '2',
  ...more,
});

const getId = ({
  body: {
    data: { _id: id },
  },
}: {
  readonly body: { readonly data: { readonly _id: string } };
}): string => id;

async function connected(
  more: Partial<Ticketing> = {},
): Promise<{ desk: Desk; at: AutotaskStandIn }> {
  const desk = await aDesk(fixture);
  const at = await autotaskStandIn(() => fixture.context.clock.now());
  begun.push(at);
  await desk.connect(settings(at.url, more), AT_SECRET);
  const tested = (
    await desk.adam<{ ok: boolean; message: string; state: TicketingState }>(
      'POST',
      `${TICKETING}/test`,
      {},
    )
  ).body.data;
  if (!tested.ok) throw new Error(tested.message);
  await desk.map(1, '201', 'Calloway Freight');
  return { desk, at };
}

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test("TICKET-5: a ticket is created in Autotask's zone with queue, status, priority and our reference; numbers are read from its lists", async () => {
    const { desk, at } = await connected();
    const a = await desk.fails('Files');
    const { choices } = (await desk.adam<TicketingState>('GET', TICKETING)).body.data;
    expect(choices).toEqual({
      boards: [
        { id: '8', name: 'Monitoring' },
        { id: '9', name: 'Triage' },
      ],
      statuses: [
        { id: '1', name: 'New', closed: false },
        { id: '5', name: 'Complete', closed: true },
        { id: '8', name: 'In Progress', closed: false },
      ],
      priorities: [
        { id: '1', name: 'High' },
        { id: '2', name: 'Medium' },
      ],
    });
    const ticket = await desk.make([a.n], {
      subject: 'Files fail',
      description: 'Since the night',
      priority: '1',
    });
    expect(at.tickets).toMatchObject([
      {
        title: 'Files fail',
        description: 'Since the night',
        companyID: 201,
        queueID: 8,
        status: 1,
        priority: 1,
        externalID: `daybook:${ticket.id}`,
      },
    ]);
    expect(ticket).toMatchObject({
      number: 'T20260302.7001',
      status: { id: '1', name: 'New' },
      priority: { id: '1', name: 'High' },
    });
    expect((await desk.problem(a.n)).linkedTicket?.url).toContain('TicketID=7001');
    const zones = (): number =>
      at.asked.filter(({ path }) => path.endsWith('zoneInformation')).length;
    const before = zones();
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, {
      subject: 'Files',
      status: '8',
      description: 'Seen',
    });
    expect(at.tickets[0]).toMatchObject({ title: 'Files', status: 8, description: 'Seen' });
    expect(zones()).toBe(before);
  });

  test("TICKET-3: an Autotask resource owns a ticket in its own role at the service desk, by choice or by the user's setting; one without a role can't", async () => {
    const { desk, at } = await connected();
    const a = await desk.fails('Files');
    const { office } = desk;
    const resources = (
      await desk.dana<{ rows: { id: string; name: string }[] }>(
        'GET',
        `${TICKETS}/autotask/resources`,
      )
    ).body.data.rows;
    expect(resources.map(({ id, name }) => [id, name])).toEqual([
      ['301', 'Kate Holm'],
      ['303', 'Rolf Nowhere'],
    ]);
    const ticket = await desk.make([a.n], { owner: { id: '301', name: 'Kate Holm' } });
    expect([at.tickets[0], ticket.owner]).toMatchObject([
      { assignedResourceID: 301, assignedResourceRoleID: 42 },
      { id: '301', name: 'Kate Holm' },
    ]);
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, { owner: null });
    expect([at.tickets[0], (await desk.ticket(ticket.id)).owner]).toMatchObject([
      { assignedResourceID: null, assignedResourceRoleID: null },
      null,
    ]);
    // Somebody there takes it: that is told here.
    Object.assign(at.tickets[0] ?? {}, { assignedResourceID: 301, assignedResourceRoleID: 41 });
    at.turn(7001, 8);
    // A poll that finds its row locked leaves it to the next one.
    await expect
      .poll(
        async () => {
          fixture.pass(61_000);
          await desk.tick();
          return desk.ticket(ticket.id);
        },
        { timeout: 60_000 },
      )
      .toMatchObject({ owner: { id: '301', name: 'Kate Holm' }, status: { id: '8' } });
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, {
      owner: { id: '303', name: 'Rolf Nowhere' },
    });
    expect(await desk.ticket(ticket.id)).toMatchObject({
      waiting: true,
      error: 'The owner has no service desk role in Autotask.',
    });
    expect((await desk.adam('GET', `${TICKETS}/autotask/resources`)).status).toBe(403);
    const b = await desk.fails('Mail');
    const id = await user(fixture, office.tenant, {
      username: 'owner',
      name: 'Owner',
      email: 'KATE@example.com',
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
    await ask(office.app, `/api/v1/${TICKETS}`, {
      method: 'POST',
      host: office.host,
      token,
      body: { problems: [b.n], subject: 'Mine' },
    });
    expect(at.tickets[1]).toMatchObject({ assignedResourceID: 301, assignedResourceRoleID: 42 });
  });

  test('TICKET-10: an existing Autotask ticket is linked by its number or the address of its page, and followed from then on', async () => {
    const { desk, at } = await connected();
    const a = await desk.fails('Files');
    const b = await desk.fails('Mail');
    at.opened('Printer and backups', 201);
    at.opened('Another company', 202);
    const adopt = (problems: readonly number[], ticket: string) =>
      desk.dana<{ _id: string; number: string; subject: string }>('POST', `${TICKETS}/adopt`, {
        problems,
        ticket,
      });
    const taken = await adopt([a.n], ' t20260302.7001 ');
    expect(taken.body.data).toMatchObject({
      number: 'T20260302.7001',
      subject: 'Printer and backups',
      problems: 1,
      waiting: false,
    });
    expect([at.tickets.length, at.tickets[0]?.externalID]).toEqual([2, `daybook:${getId(taken)}`]);
    expect(
      (
        await adopt(
          [b.n],
          'https://ww1.autotask.net/Autotask/AutotaskExtend/ExecuteCommand.aspx?Code=OpenTicketDetail&TicketID=7001',
        )
      ).body.data,
    ).toMatchObject({ _id: getId(taken), problems: 2 });
    expect((await adopt([(await desk.fails('Sql')).n], 'T20260302.7002')).status).toBe(400);
    // The results are applied first: a ticket with unsent changes is not read.
    await desk.tick();
    at.turn(7001, 5);
    fixture.pass(61_000);
    await desk.tick();
    expect([await desk.problem(a.n), await desk.problem(b.n)]).toMatchObject([
      { ticket: 'T20260302.7001', linkedTicket: { open: false } },
      { linkedTicket: { open: false } },
    ]);
  });

  test('TICKET-5: a lost answer of Autotask creates no second ticket', async () => {
    const { desk, at } = await connected();
    const a = await desk.fails('Files');
    at.errors.push({
      when: ({ method, path }) => method === 'POST' && path.endsWith('/Tickets'),
      done: true,
      status: 500,
      body: { errors: ['later'] },
    });
    const ticket = await desk.make([a.n]);
    expect([ticket.waiting, at.tickets.length]).toEqual([true, 1]);
    fixture.pass(20_000);
    await desk.tick();
    expect([await desk.ticket(ticket.id), at.tickets.length]).toMatchObject([
      { waiting: false, number: 'T20260302.7001' },
      1,
    ]);
  });

  test('TICKET-6: tickets completed in Autotask arrive by polling its changes, over pages', async () => {
    const { desk, at } = await connected();
    const made = [];
    for (const job of ['A', 'B', 'C']) made.push(await desk.make([(await desk.fails(job)).n]));
    at.pageSize = 2;
    await desk.tick();
    fixture.pass(61_000);
    for (const { id } of at.tickets) at.turn(id, 5);
    await desk.tick();
    expect((await desk.list('?state=closed')).rows.map(({ closedBy }) => closedBy)).toEqual([
      'system',
      'system',
      'system',
    ]);
  });

  test("TICKET-8: accounts come in pages; keys are sent only to Autotask's zones, and wrong ones are reported", async () => {
    const { desk, at } = await connected();
    const accounts = async (query: string): Promise<unknown> =>
      (await desk.adam('GET', `${TICKETS}/autotask/accounts${query}`)).body.data;
    expect([
      await accounts('?pageSize=1'),
      await accounts('?pageSize=1&page=2'),
      await accounts('?search=pike'),
    ]).toEqual([
      { rows: [{ id: '201', name: 'Calloway Freight', identifier: 'C-1' }], page: 1, more: true },
      { rows: [{ id: '202', name: 'Drummond & Pike', identifier: '' }], page: 2, more: false },
      { rows: [{ id: '202', name: 'Drummond & Pike', identifier: '' }], page: 1, more: false },
    ]);
    expect((await desk.dana('GET', `${TICKETS}/autotask/accounts`)).status).toBe(403);
    const thief = await autotaskStandIn(() => 0);
    begun.push(thief);
    at.zone = `${thief.url}/atservicesrest/`;
    const again = {
      system: 'autotask' as const,
      autotask: { url: `${at.url}/`, ...AT_KEYS },
      board: '8',
    };
    await desk.connect(again, AT_SECRET);
    const tested = async (): Promise<unknown> =>
      (await desk.adam<{ message: string }>('POST', `${TICKETING}/test`, {})).body.data.message;
    expect([await tested(), thief.asked]).toEqual([
      'Autotask sent the address of another server for its zone.',
      [],
    ]);
    at.zone = null;
    await desk.connect(again, 'wrong');
    expect(await tested()).toBe("Autotask didn't accept the keys.");
  });
});
