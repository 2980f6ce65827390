import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Execution } from '#contract/runs/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { TicketWhole } from '#contract/tickets/calls.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../db/databases.ts';
import { aDesk, TICKETS } from './fixtures.ts';

let fixture: Fixture;
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('TICKET-1, TICKET-2: a ticket for two problems: both show its number and that it is open; new results keep it', async () => {
    const desk = await aDesk(fixture);
    const a = await desk.fails('Files');
    const b = await desk.fails('Mail');
    const ticket = await desk.make([a.n, b.n], {
      subject: 'Hosts cannot be reached',
      description: 'Both since the night',
      priority: 'high',
    });
    expect(ticket).toMatchObject({
      number: 'D-1',
      system: 'own',
      company: 1,
      companyName: 'Calloway Freight',
      status: { id: 'new', closed: false },
      priority: { id: 'high' },
      problems: 2,
      openProblems: 2,
      madeBy: 'DANA',
      waiting: false,
    });
    expect(ticket.list.map(({ job }) => job).toSorted()).toEqual(['Files', 'Mail']);
    expect(await desk.problem(a.n)).toMatchObject({
      ticket: 'D-1',
      linkedTicket: { id: ticket.id, open: true, url: null },
    });
    const again = await desk.fails('Files');
    expect(again).toMatchObject({ n: a.n, runs: 2, ticket: 'D-1', linkedTicket: { open: true } });
    const { history } = (
      await desk.dana<Execution>('GET', `monitoring/backoffice/jobExecutions/${again.lastRun}`)
    ).body.data;
    expect(history.map(({ what, who, comment }) => [what, who, comment])).toContainEqual([
      'Ticket',
      'DANA',
      'D-1',
    ]);
    // Several results of the same problems are two problems still; what is over is passed over.
    const [c, d] = [await desk.fails('Sql'), await desk.fails('Web')];
    await desk.fails('Sql');
    const gone = await desk.fails('Web', { message: 'No space left on device' });
    const runs = [c.lastRun, (await desk.problem(c.n)).lastRun, d.lastRun, gone.lastRun];
    expect(
      (
        await desk.dana<TicketWhole>('POST', TICKETS, { runs, subject: 'By results' })
      ).body.data.list.map(({ n }) => n),
    ).toEqual([gone.n, c.n]);
    for (const body of [{ subject: 'x' }, { subject: 'x', runs, problems: [a.n] }, {}])
      expect((await desk.dana('POST', TICKETS, body)).status).toBe(400);
    // Another failure of the job is another problem: it has no ticket.
    expect(
      (await desk.fails('Files', { message: 'No space left on device' })).linkedTicket,
    ).toBeUndefined();
  });

  test('TICKET-1: a problem has one ticket: another is refused while it is open or closed and still linked; deleting it unlinks the problem', async () => {
    const desk = await aDesk(fixture);
    const a = await desk.fails('Files');
    const b = await desk.fails('Mail');
    const ticket = await desk.make([a.n]);
    expect(
      said(await desk.dana('POST', TICKETS, { problems: [b.n, a.n], subject: 'Once more' })),
    ).toEqual([409, MESSAGES.ticketHasOne({ number: 'D-1' })]);
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, { status: 'closed' });
    expect(await desk.problem(a.n)).toMatchObject({ ticket: 'D-1', linkedTicket: { open: false } });
    expect(
      said(await desk.dana('POST', TICKETS, { problems: [a.n], subject: 'Once more' })),
    ).toEqual([409, MESSAGES.ticketHadOne({ number: 'D-1' })]);
    expect((await desk.dana('DELETE', `${TICKETS}/${ticket.id}`)).status).toBe(200);
    expect(await desk.problem(a.n)).toMatchObject({ ticket: null, linkedTicket: null });
    expect((await desk.dana('GET', `${TICKETS}/${ticket.id}`)).status).toBe(404);
    expect((await desk.make([a.n])).number).toBe('D-2');
    await desk.succeeds('Mail');
    expect(
      said(await desk.dana('POST', TICKETS, { problems: [b.n], subject: 'Too late' })),
    ).toEqual([409, MESSAGES.ticketProblemOver]);
  });

  test('TICKET-1: the same command sent twice creates one ticket; its answer is the ticket', async () => {
    const desk = await aDesk(fixture);
    const a = await desk.fails('Files');
    const headers = {
      'idempotency-key': randomUUID(),
      'daybook-device': randomUUID(),
      'daybook-order': '1',
    };
    const first = await desk.make([a.n], {}, desk.dana, headers);
    const second = await desk.make([a.n], {}, desk.dana, headers);
    expect([second.id, second.number, (await desk.list()).count]).toEqual([
      first.id,
      first.number,
      1,
    ]);
  });

  test('TICKET-3: subject, description, status, owner and priority change, within the options; who opened and closed it is known', async () => {
    const desk = await aDesk(fixture);
    const a = await desk.fails('Files');
    const { _id: id } = await desk.make([a.n]);
    const { people } = await desk.form(1);
    const cora = people.find(({ name }) => name === 'CORA');
    expect(people.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['CORA', 'DANA', 'RITA']),
    );
    const changed = await desk.dana('PUT', `${TICKETS}/${id}`, {
      subject: 'Files',
      description: 'Seen',
      status: 'progress',
      owner: cora,
      priority: 'low',
    });
    expect(changed.body.data).toMatchObject({
      subject: 'Files',
      description: 'Seen',
      status: { id: 'progress', name: 'In progress', closed: false },
      owner: cora,
      priority: { id: 'low', name: 'Low' },
      closedAt: null,
    });
    for (const bad of [
      { status: 'gone' },
      { priority: 'gone' },
      { owner: { id: randomUUID(), name: 'Nobody' } },
      { subject: ' ' },
      { subject: 'x'.repeat(101) },
      { company: 2 },
    ])
      expect((await desk.dana('PUT', `${TICKETS}/${id}`, bad)).status).toBe(400);
    fixture.pass(1_000);
    await desk.dana('PUT', `${TICKETS}/${id}`, { status: 'closed', owner: null });
    expect(await desk.ticket(id)).toMatchObject({
      status: { closed: true },
      owner: null,
      closedAt: fixture.context.clock.now(),
      closedBy: 'person',
    });
    await desk.dana('PUT', `${TICKETS}/${id}`, { status: 'new' });
    expect([await desk.ticket(id), await desk.problem(a.n)]).toMatchObject([
      { closedAt: null, closedBy: null },
      { linkedTicket: { open: true } },
    ]);
  });

  test('TICKET-2: a linked number replaces a ticket kept here, which is then no longer about the problem', async () => {
    const desk = await aDesk(fixture);
    const a = await desk.fails('Files');
    const { _id: id } = await desk.make([a.n]);
    await desk.dana('PUT', `monitoring/backoffice/jobExecutions/${a.lastRun}`, {
      change: { kind: 'ticket', ticket: 'T-77' },
    });
    expect(await desk.problem(a.n)).toMatchObject({ ticket: 'T-77', linkedTicket: null });
    expect(await desk.ticket(id)).toMatchObject({ problems: 0, list: [] });
    expect(
      (await rebuild(fixture.context.store, { only: [desk.office.tenant] }))[0]?.differences,
    ).toEqual([]);
  });

  test("TICKET-4: users read and manage tickets of the companies that they see; others don't exist, and read-only users change none", async () => {
    const desk = await aDesk(fixture);
    const mine = await desk.fails('Files');
    const theirs = await desk.fails('Mail', {}, 2);
    const [a, b] = [
      await desk.make([mine.n]),
      await desk.make([theirs.n], { subject: 'At the second company' }),
    ];
    expect(
      said(
        await desk.dana('POST', TICKETS, {
          problems: [(await desk.fails('X')).n, (await desk.fails('Y', {}, 2)).n],
          subject: 'Both',
        }),
      ),
    ).toEqual([400, MESSAGES.ticketOneCompany]);
    expect([
      (await desk.list()).count,
      (await desk.list('', desk.cora)).rows.map(({ _id: id }) => id),
      (await desk.list('', desk.rita)).count,
    ]).toEqual([2, [a.id], 2]);
    for (const [method, body] of [['GET'], ['PUT', { subject: 'Mine' }], ['DELETE']] as const) {
      expect(said(await desk.cora(method, `${TICKETS}/${b.id}`, body))).toEqual([
        404,
        MESSAGES.notFound,
      ]);
      expect((await desk.cora(method, `${TICKETS}/${randomUUID()}`, body)).status).toBe(404);
    }
    expect((await desk.cora('GET', `${TICKETS}/form?company=2`)).status).toBe(404);
    expect(
      (await desk.cora('POST', TICKETS, { problems: [theirs.n], subject: 'Theirs' })).status,
    ).toBe(404);
    const report = 'monitoring/reporting/tickets';
    expect([
      (await desk.cora<{ count: number }>('GET', report)).body.data.count,
      (await desk.rita<{ count: number }>('GET', report)).body.data.count,
    ]).toEqual([1, 2]);
    for (const [method, path, body] of [
      ['POST', TICKETS, { problems: [mine.n], subject: 'x' }],
      ['PUT', `${TICKETS}/${a.id}`, {}],
      ['DELETE', `${TICKETS}/${a.id}`, undefined],
    ] as const)
      expect((await desk.rita(method, path, body)).status).toBe(403);
    expect((await desk.adam('GET', TICKETS)).status).toBe(403);
    // Devices are told which ticket a problem of theirs has, and nothing of what stands in it.
    const loadEvents = async (who: typeof desk.cora): Promise<string> =>
      (
        await who<EventsPage>(
          'GET',
          `sync/events?protocol=2&after=0&epoch=${(await who<Bootstrap>('GET', 'sync/bootstrap')).body.data.epoch}`,
        )
      ).text;
    const [hers, all] = [await loadEvents(desk.cora), await loadEvents(desk.dana)];
    expect([
      hers.includes(a.id),
      hers.includes(b.id),
      all.includes(b.id),
      all.includes('At the second company'),
    ]).toEqual([true, false, true, false]);
  });

  test('TICKET-4: the list is searched by number, subject and company, filtered by state and company, in pages; the report by opening time', async () => {
    const desk = await aDesk(fixture);
    const began = fixture.context.clock.now();
    const made = [];
    for (const job of ['A', 'B', 'C'])
      made.push(
        await desk.make([(await desk.fails(job)).n], { subject: `Subject 100% of ${job}` }),
      );
    made.push(await desk.make([(await desk.fails('D', {}, 2)).n], { subject: 'Other' }));
    await desk.dana('PUT', `${TICKETS}/${made[0]?.id}`, { status: 'closed' });
    const numbers = async (query: string): Promise<readonly string[]> =>
      (await desk.list(query)).rows.map(({ number }) => number);
    expect(
      await Promise.all(
        [
          '',
          '?state=all',
          '?state=closed',
          '?state=all&search=d-3',
          '?state=all&search=100%25',
          '?search=drummond',
          '?company=2&state=all',
          '?state=all&pageSize=3&page=2',
          '?search=100_',
        ].map(numbers),
      ),
    ).toEqual([
      ['D-4', 'D-3', 'D-2'],
      ['D-4', 'D-3', 'D-2', 'D-1'],
      ['D-1'],
      ['D-3'],
      ['D-3', 'D-2', 'D-1'],
      ['D-4'],
      ['D-4'],
      ['D-1'],
      [],
    ]);
    const report = async (query: string): Promise<readonly string[]> =>
      (
        await desk.rita<{ rows: { number: string }[] }>(
          'GET',
          `monitoring/reporting/tickets${query}`,
        )
      ).body.data.rows.map(({ number }) => number);
    expect([
      await report(''),
      await report(`?from=${began}&to=${began + 1}`),
      await report('?state=closed'),
    ]).toEqual([['D-4', 'D-3', 'D-2', 'D-1'], [], ['D-1']]);
    expect((await desk.rita('GET', 'monitoring/reporting/tickets?from=10&to=5')).status).toBe(400);
  });

  test('TICKET-4: ten thousand tickets are paged and searched', async () => {
    const desk = await aDesk(fixture);
    const status = { id: 'new', name: 'New', closed: false };
    await fixture.context.store.tenant(desk.office.tenant, (tx) =>
      tx.append(
        Array.from({ length: 10_000 }, (_, i) => {
          const id = randomUUID();
          const company = 1 + (i % 2);
          return {
            event: {
              type: 'ticket.created@1',
              data: {
                id,
                number: i + 1,
                company,
                system: 'own',
                contact: null,
                subject: `Ticket ${i + 1}`,
                description: '',
                status,
                priority: null,
                owner: null,
              },
            },
            company,
            entity: `ticket:${id}`,
          };
        }),
        {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: fixture.context.clock.now(),
        },
      ),
    );
    const [page, last, found, cora] = [
      await desk.list('?pageSize=200'),
      await desk.list('?pageSize=200&page=50'),
      await desk.list('?search=ticket+4321'),
      await desk.list('?pageSize=10&page=500', desk.cora),
    ];
    expect([
      page.count,
      page.rows[0]?.number,
      last.rows.at(-1)?.number,
      found.rows.map(({ number }) => number),
      cora.count,
      cora.rows.at(-1)?.number,
    ]).toEqual([10_000, 'D-10000', 'D-1', ['D-4321'], 5_000, 'D-1']);
  });

  test('TICKET-7: without a system too, a success closes a ticket and the same failure within the set days reopens it, if turned on', async () => {
    const desk = await aDesk(fixture);
    await desk.connect({ reopenDays: 3, resolveOnSuccess: true });
    const [a, b] = [await desk.fails('Files'), await desk.fails('Mail')];
    const { _id: id } = await desk.make([a.n, b.n]);
    await desk.succeeds('Files');
    await desk.tick();
    expect((await desk.ticket(id)).closedAt).toBeNull();
    await desk.succeeds('Mail');
    await desk.tick();
    expect(await desk.ticket(id)).toMatchObject({ closedBy: 'success', openProblems: 0 });
    const back = await desk.fails('Files');
    expect([back.n === a.n, back.linkedTicket]).toEqual([false, undefined]);
    await desk.tick();
    expect([await desk.ticket(id), await desk.problem(back.n)]).toMatchObject([
      { closedAt: null, problems: 3, status: { id: 'new' } },
      { ticket: 'D-1', linkedTicket: { id, open: true } },
    ]);
    await desk.succeeds('Files');
    await desk.tick();
    fixture.pass(4 * 24 * 3_600_000);
    const late = await desk.fails('Files');
    await desk.tick();
    expect([(await desk.problem(late.n)).linkedTicket, (await desk.ticket(id)).closedBy]).toEqual([
      undefined,
      'success',
    ]);
  });

  test('TICKET-7: both are off by default, and what came before they were turned on is left unchanged', async () => {
    const desk = await aDesk(fixture);
    const a = await desk.fails('Files');
    const { _id: id } = await desk.make([a.n]);
    await desk.connect({});
    await desk.succeeds('Files');
    await desk.tick();
    await desk.connect({ resolveOnSuccess: true });
    await desk.tick();
    expect(await desk.ticket(id)).toMatchObject({ closedAt: null, openProblems: 0 });
  });
});
