import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TicketOut, TicketWhole } from '#contract/tickets/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { work } from '#server/features/tickets/ticket-queue.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aDesk, type Desk, TICKETING, TICKETS } from './fixtures.ts';
import {
  connectWiseStandIn,
  type ConnectWiseStandIn,
  type CwTicket,
  KEYS,
  PRIVATE,
} from './fakes/connectwise.ts';

let fixture: Fixture;
const begun: ConnectWiseStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];

const getId = ({
  body: {
    data: { _id: id },
  },
}: Answer<TicketWhole>): string => id;

/** A poll skips tickets whose own change is still being sent, and the next one reads them. */
const polled = (desk: Desk, check: () => Promise<void>): Promise<void> =>
  vi.waitFor(async () => {
    fixture.pass(61_000);
    await desk.tick();
    await check();
  }, 60_000);

async function connected(): Promise<{
  desk: Desk;
  cw: ConnectWiseStandIn;
  adopt: (
    problems: readonly number[],
    ticket: string,
    who?: Asker,
    headers?: Record<string, string>,
  ) => Promise<Answer<TicketWhole>>;
}> {
  const desk = await aDesk(fixture);
  const cw = await connectWiseStandIn(() => fixture.context.clock.now());
  begun.push(cw);
  await desk.connect(
    {
      system: 'connectwise',
      connectwise: { url: cw.url, ...KEYS },
      board: '2',
      openStatus: '1',
      closeStatus: '3',
    },
    PRIVATE,
  );
  await desk.adam('POST', `${TICKETING}/test`, {});
  await desk.map(1, '101', 'Calloway Freight');
  return {
    desk,
    cw,
    adopt: (problems, ticket, who = desk.dana, headers = {}) =>
      who<TicketWhole>('POST', `${TICKETS}/adopt`, { problems, ticket }, headers),
  };
}

/** Somebody opened it there. */
function opened(cw: ConnectWiseStandIn, id: number, more: Partial<CwTicket> = {}): CwTicket {
  const ticket: CwTicket = {
    id,
    summary: 'Backups since Monday',
    board: { id: 2 },
    status: { id: 2, name: 'In Progress' },
    closedFlag: false,
    company: { id: 101, name: 'Calloway Freight' },
    owner: { id: 21, name: 'Dana Smith' },
    priority: { id: 4, name: 'Priority 3 - Normal' },
    externalXRef: null,
    _info: { lastUpdated: new Date(fixture.context.clock.now()).toISOString() },
    ...more,
  };
  cw.tickets.push(ticket);
  return ticket;
}

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('TICKET-10: a ticket that ConnectWise has is taken by its number: problems show it, it gets our reference, and what happens to it there comes here', async () => {
    const { desk, cw, adopt } = await connected();
    const a = await desk.fails('Files');
    const theirs = opened(cw, 7001);
    const headers = {
      'idempotency-key': randomUUID(),
      'daybook-device': randomUUID(),
      'daybook-order': '1',
    };
    const first = await adopt([a.n], '#7001', desk.dana, headers);
    const { _id: id } = first.body.data;
    expect(first.body.data).toMatchObject({
      number: '7001',
      subject: 'Backups since Monday',
      status: { id: '2', closed: false },
      owner: { id: '21' },
      system: 'connectwise',
      problems: 1,
      waiting: false,
      madeBy: 'DANA',
    });
    expect([theirs.externalXRef, cw.tickets.length]).toEqual([`daybook:${id}`, 1]);
    expect(await desk.problem(a.n)).toMatchObject({
      ticket: '7001',
      linkedTicket: { id, open: true },
    });
    // The same command again is the same ticket, and new results keep it.
    expect(getId(await adopt([a.n], '#7001', desk.dana, headers))).toBe(id);
    expect(await desk.fails('Files')).toMatchObject({ n: a.n, ticket: '7001' });
    await desk.dana('PUT', `${TICKETS}/${id}`, { status: '1' });
    expect(theirs.status.id).toBe(1);
    cw.turn(7001, 3);
    await polled(desk, async () => {
      expect([await desk.ticket(id), await desk.problem(a.n)]).toMatchObject([
        { closedBy: 'system' },
        { linkedTicket: { open: false } },
      ]);
    });
    expect(
      (await rebuild(fixture.context.store, { only: [desk.office.tenant] }))[0]?.differences,
    ).toEqual([]);
  });

  test('TICKET-10, TEXT-3: a subject that is too long is not cut within a character, when it is taken and when it changes there', async () => {
    const { desk, cw, adopt } = await connected();
    const { n } = await desk.fails('Files');
    const theirs = opened(cw, 7002, { summary: `${'a'.repeat(99)}💾 and more` });
    const { _id: id, subject } = (await adopt([n], '7002')).body.data;
    expect(subject).toBe('a'.repeat(99));
    theirs.summary = `${'b'.repeat(99)}💾 and more`;
    cw.turn(7002, 3);
    await polled(desk, async () => {
      expect(await desk.ticket(id)).toMatchObject({ subject: 'b'.repeat(99) });
    });
  });

  test('TICKET-10, TICKET-1: more problems join a ticket that is kept already, by the address of its page; none gets a second one', async () => {
    const { desk, cw, adopt } = await connected();
    const [a, b] = [await desk.fails('Files'), await desk.fails('Mail')];
    const { id, url } = { ...(await desk.make([a.n])) };
    expect((await adopt([b.n], url ?? '')).body.data).toMatchObject({
      _id: id,
      number: '5001',
      problems: 2,
    });
    opened(cw, 7001);
    expect(said(await adopt([b.n], '7001'))).toEqual([
      409,
      MESSAGES.ticketHasOne({ number: '5001' }),
    ]);
    // Two at once take the same ticket: it is one here.
    const [c, d] = [await desk.fails('Sql'), await desk.fails('Web')];
    const both = await Promise.all([adopt([c.n], '7001'), adopt([d.n], '7001')]);
    expect(new Set(both.map(getId)).size).toBe(1);
    expect((await desk.list()).rows.map(({ number, problems }) => [number, problems])).toEqual([
      ['7001', 2],
      ['5001', 2],
    ]);
    // Taken away here it can be taken again: its mark was ours.
    await desk.dana('DELETE', `${TICKETS}/${both.map(getId)[0]}`);
    expect((await adopt([c.n, d.n], '7001')).body.data).toMatchObject({
      number: '7001',
      problems: 2,
    });
  });

  test('TICKET-10: what is not there, is closed, of another company or marked by another program is refused in a sentence, and nothing is written there', async () => {
    const { desk, cw, adopt } = await connected();
    const a = await desk.fails('Files');
    opened(cw, 7001, { company: { id: 102 } });
    opened(cw, 7002, { closedFlag: true, status: { id: 3, name: 'Completed' } });
    opened(cw, 7003, { externalXRef: 'other:1' });
    opened(cw, 7004, { externalXRef: `daybook:${randomUUID()}` });
    const name = 'Calloway Freight';
    for (const [ticket, status, message] of [
      ['9', 400, MESSAGES.ticketNoSuchRemote({ system: 'ConnectWise' })],
      ['the one of Monday', 400, MESSAGES.ticketNoSuchRemote({ system: 'ConnectWise' })],
      ['7001', 400, MESSAGES.ticketOfAnother({ number: '7001', company: name })],
      ['7002', 409, MESSAGES.ticketClosedThere({ number: '7002', system: 'ConnectWise' })],
      ['7003', 409, MESSAGES.ticketMarked({ number: '7003' })],
      ['7004', 409, MESSAGES.ticketMarked({ number: '7004' })],
    ] as const) {
      const answer = await adopt([a.n], ticket);
      expect([
        answer.status,
        answer.body.error.issues?.[0]?.message ?? answer.body.message,
      ]).toEqual([status, message]);
    }
    expect(cw.asked.filter(({ method }) => method === 'PATCH' || method === 'POST')).toEqual([]);
    cw.errors.push({ status: 429, headers: { 'retry-after': '7' } });
    expect((await adopt([a.n], '7003')).body.error).toMatchObject({
      kind: 'busy',
      retryAfterMs: 7_000,
    });
    expect([
      (await adopt([a.n], '7001', desk.rita)).status,
      (await adopt([(await desk.fails('Theirs', {}, 2)).n], '7001', desk.cora)).status,
      (await adopt([a.n], '')).status,
    ]).toEqual([403, 404, 400]);
    const alone = await aDesk(fixture);
    const b = await alone.fails('Files');
    expect(
      said(await alone.dana('POST', `${TICKETS}/adopt`, { problems: [b.n], ticket: '1' })),
    ).toEqual([409, MESSAGES.ticketingNone]);
    expect(await desk.problem(a.n)).toMatchObject({ ticket: null });
  });

  test('TICKET-11: problems of several companies get one ticket for each company, all of them or none', async () => {
    const desk = await aDesk(fixture);
    const [a, b, c] = [
      await desk.fails('Files'),
      await desk.fails('Mail'),
      await desk.fails('Sql', {}, 2),
    ];
    const each = (problems: readonly number[], more: object = {}, who = desk.dana) =>
      who<{ tickets: TicketOut[] }>('POST', `${TICKETS}/by-company`, {
        problems,
        subject: 'Since the night',
        ...more,
      });
    const { tickets } = (await each([a.n, c.n, b.n], { priority: 'high' })).body.data;
    expect(
      tickets.map(({ company, number, problems, priority }) => [
        company,
        number,
        problems,
        priority?.id,
      ]),
    ).toEqual([
      [1, 'D-1', 2, 'high'],
      [2, 'D-2', 1, 'high'],
    ]);
    expect([await desk.problem(b.n), await desk.problem(c.n)]).toMatchObject([
      { ticket: 'D-1' },
      { ticket: 'D-2' },
    ]);
    // One of them has a ticket: the others get none either.
    const [d, e] = [await desk.fails('Web'), await desk.fails('Exchange', {}, 2)];
    expect(said(await each([d.n, e.n, c.n]))).toEqual([
      409,
      MESSAGES.ticketHasOne({ number: 'D-2' }),
    ]);
    expect([(await desk.list()).count, await desk.problem(d.n)]).toMatchObject([
      2,
      { ticket: null },
    ]);
    expect([
      (await each([d.n, e.n], {}, desk.cora)).status,
      (await each([d.n], {}, desk.cora)).body.data.tickets.length,
      (await each([d.n], {}, desk.rita)).status,
    ]).toEqual([404, 1, 403]);
  });

  test('TICKET-11: each of them is opened in ConnectWise for the company that it stands for; where one is not mapped nothing is', async () => {
    const { desk, cw } = await connected();
    const [a, b] = [await desk.fails('Files'), await desk.fails('Sql', {}, 2)];
    const command = { problems: [a.n, b.n], subject: 'Since the night' };
    expect(said(await desk.dana('POST', `${TICKETS}/by-company`, command))).toEqual([
      409,
      MESSAGES.ticketNotMapped({ company: 'Drummond & Pike', system: 'ConnectWise' }),
    ]);
    expect(cw.tickets).toEqual([]);
    await desk.map(2, '102', 'Drummond & Pike');
    const made = (
      await desk.dana<{ tickets: TicketOut[] }>('POST', `${TICKETS}/by-company`, command)
    ).body.data.tickets;
    const there = new Map(
      cw.tickets.map(({ id, company, externalXRef }) => [String(id), [company, externalXRef]]),
    );
    expect([there.size, made.map(({ number }) => there.get(number))]).toEqual([
      2,
      made.map(({ _id, company }) => [{ id: company === 1 ? 101 : 102 }, `daybook:${_id}`]),
    ]);
    expect(made.map(({ waiting }) => waiting)).toEqual([false, false]);
  });

  test('TICKET-5: a ticket that the timer began to send first is answered as the system made it', async () => {
    const { desk } = await connected();
    const made = [];
    const load = { over: false };
    // The timer's own work, without a pause between two looks: it takes most tickets before the
    // call that made them does.
    const timer = (async () => {
      while (!load.over) await work(fixture.context, desk.office.tenant, 'a lease');
    })();
    for (const job of ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'])
      made.push(await desk.make([(await desk.fails(job)).n], { subject: job }));
    load.over = true;
    await timer;
    expect(made.map(({ waiting, error }) => [waiting, error])).toEqual(
      made.map(() => [false, null]),
    );
  });
});
