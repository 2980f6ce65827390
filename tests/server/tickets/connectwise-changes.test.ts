import { beforeAll, expect, test } from 'vitest';
import type { TicketingState } from '#contract/tickets/ticketing-calls.ts';
import type { Execution } from '#contract/runs/calls.ts';
import { ticketRoutes } from '#server/features/tickets/callback.ts';
import { allHandlers } from '#server/handlers.ts';
import { getApp, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { HOUR, TICKETING, TICKETS } from './fixtures.ts';
import { connected } from './connectwise-fixtures.ts';

let fixture: Fixture;

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('TICKET-6: tickets closed, renamed or reassigned in ConnectWise arrive by polling its changes, over pages; waiting changes here are not overwritten', async () => {
    const { desk, cw } = await connected(fixture);
    const made = [];
    for (const job of ['A', 'B', 'C', 'D', 'E'])
      made.push(await desk.make([(await desk.fails(job)).n], { subject: job }));
    fixture.pass(61_000);
    await desk.tick();
    cw.pageSize = 2;
    fixture.pass(61_000);
    for (const { id } of cw.tickets) cw.turn(id, 3);
    const [first] = cw.tickets;
    if (first) {
      first.summary = 'Renamed';
      first.owner = { id: 21, name: 'Dana Smith' };
    }
    // Somebody else's ticket, and one under a reference that is none of ours.
    cw.tickets.push(
      { ...(first as (typeof cw.tickets)[0]), id: 9_000, externalXRef: 'other' },
      {
        ...(first as (typeof cw.tickets)[0]),
        id: 9_001,
        externalXRef: 'daybook:11111111-2222-3333-4444-555555555555',
      },
    );
    const before = cw.asked.length;
    await desk.tick();
    expect(cw.asked.slice(before).map(({ query }) => query.get('page'))).toEqual(['1', '2', '3']);
    expect(await desk.ticket(made[0]?.id ?? '')).toMatchObject({
      subject: 'Renamed',
      owner: { id: '21' },
      status: { id: '3', closed: true },
      closedBy: 'system',
    });
    expect((await desk.list('?state=closed')).count).toBe(5);
    const problem = (await desk.ticket(made[1]?.id ?? '')).list[0];
    expect((await desk.problem(problem?.n ?? 0)).linkedTicket?.open).toBe(false);
    expect(
      (await desk.dana<Execution>('GET', `monitoring/backoffice/jobExecutions/${problem?.run}`))
        .body.data.problem?.ticket,
    ).toBe('5002');
    // A change that is still to be told is newer than what the system says.
    cw.errors.push({ status: 503 });
    await desk.dana('PUT', `${TICKETS}/${made[0]?.id}`, { subject: 'Ours' });
    cw.errors.push({ when: ({ method }) => method === 'PATCH', status: 503 });
    fixture.pass(61_000);
    await desk.tick();
    expect((await desk.ticket(made[0]?.id ?? '')).subject).toBe('Ours');
    fixture.pass(HOUR);
    await desk.tick();
    await desk.tick();
    expect([cw.tickets[0]?.summary, (await desk.ticket(made[0]?.id ?? '')).waiting]).toEqual([
      'Ours',
      false,
    ]);
  });

  test('TICKET-6: a failed poll reports why, waits longer each time, and continues where it was', async () => {
    const { desk, cw } = await connected(fixture);
    const loadStored = async (): Promise<TicketingState> =>
      (await desk.adam<TicketingState>('GET', TICKETING)).body.data;
    const ticket = await desk.make([(await desk.fails('A')).n]);
    const waits: number[] = [];
    for (let n = 0; n < 6; n += 1) cw.errors.push({ status: 500 });
    let last = fixture.context.clock.now();
    let request = cw.asked.length;
    for (let minute = 0; waits.length < 6 && minute < 120; minute += 1) {
      fixture.pass(30_000);
      await desk.tick();
      if (cw.asked.length > request) {
        request = cw.asked.length;
        waits.push(Math.round((fixture.context.clock.now() - last) / 30_000));
        last = fixture.context.clock.now();
      }
    }
    expect(waits.slice(1)).toEqual(waits.slice(1).toSorted((a, b) => a - b));
    expect([waits.at(-1) ?? 0, (await loadStored()).error]).toEqual([
      expect.toSatisfy((n: number) => n >= 6),
      "ConnectWise isn't available (500).",
    ]);
    cw.turn(5001, 3);
    fixture.pass(HOUR);
    await desk.tick();
    expect([(await desk.ticket(ticket.id)).closedBy, (await loadStored()).error]).toEqual([
      'system',
      null,
    ]);
  });

  test('TICKET-6: a signed callback reads the ticket; an unsigned or forged one, or one with keys elsewhere, does nothing', async () => {
    const { desk, cw } = await connected(fixture);
    const ticket = await desk.make([(await desk.fails('A')).n]);
    const { host } = desk.office;
    const app = getApp(fixture.context, allHandlers(fixture.context), {
      routes: ticketRoutes(fixture.context),
    });
    const post = async (body: string, signature: string | null): Promise<number> =>
      (
        await app.request('/hooks/connectwise', {
          method: 'POST',
          headers: {
            host,
            'content-type': 'application/json',
            ...(signature === null ? {} : { 'x-content-signature': signature }),
          },
          body,
        })
      ).status;
    cw.turn(5001, 3);
    const { body, signature } = cw.callback(5001);
    const request = cw.asked.length;
    expect([
      await post(body, null),
      await post('{', signature),
      await post(body.replace(cw.url, 'http://127.0.0.1:1'), signature),
      await post(body.replace('5001', '5002'), signature),
      await post(body, `${signature.slice(0, -4)}AAA=`),
    ]).toEqual([400, 400, 403, 403, 403]);
    expect([
      cw.asked.slice(request).map(({ path }) => path),
      (await desk.ticket(ticket.id)).closedAt,
    ]).toEqual([['/key'], null]);
    expect(cw.asked.find(({ path }) => path === '/key')?.headers.authorization).toBeUndefined();
    expect([await post(body, signature), (await desk.ticket(ticket.id)).closedBy]).toEqual([
      200,
      'system',
    ]);
  });

  test("TICKET-6: callbacks of strangers, however many, don't use up the system's", async () => {
    const { desk, cw } = await connected(fixture);
    const ticket = await desk.make([(await desk.fails('A')).n]);
    const app = getApp(fixture.context, allHandlers(fixture.context), {
      routes: ticketRoutes(fixture.context),
    });
    const post = async (from: string, signature: string): Promise<number> =>
      (
        await app.request(
          '/hooks/connectwise',
          {
            method: 'POST',
            headers: { 'host': desk.office.host, 'x-content-signature': signature },
            body,
          },
          { incoming: { socket: { remoteAddress: from } } },
        )
      ).status;
    cw.turn(5001, 3);
    const { body, signature } = cw.callback(5001);
    const all = await Promise.all(Array.from({ length: 61 }, () => post('203.0.113.9', 'AAAA')));
    expect([
      all.filter((status) => status === 403).length,
      all.filter((status) => status === 429).length,
    ]).toEqual([60, 1]);
    expect([
      await post('198.51.100.4', signature),
      (await desk.ticket(ticket.id)).closedBy,
    ]).toEqual([200, 'system']);
  });

  test('TICKET-7: a success closes it there too, the same failure reopens it there; repeated, the result is the same', async () => {
    const { desk, cw } = await connected(fixture, { reopenDays: 7, resolveOnSuccess: true });
    const a = await desk.fails('Files');
    await desk.make([a.n]);
    await desk.succeeds('Files');
    await desk.tick();
    expect(cw.tickets[0]?.closedFlag).toBe(true);
    const b = await desk.fails('Files');
    await desk.tick();
    await desk.tick();
    expect([
      cw.tickets.length,
      cw.tickets[0]?.closedFlag,
      (await desk.problem(b.n)).ticket,
    ]).toEqual([1, false, '5001']);
    // Closed there by somebody while it still fails: the next failure opens it again, the poll
    // alone does not.
    cw.turn(5001, 3);
    fixture.pass(61_000);
    await desk.tick();
    expect((await desk.problem(b.n)).linkedTicket?.open).toBe(false);
    await desk.fails('Files');
    await desk.tick();
    expect([cw.tickets[0]?.closedFlag, (await desk.problem(b.n)).linkedTicket?.open]).toEqual([
      false,
      true,
    ]);
  });
});
