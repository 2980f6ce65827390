import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ticketing } from '#contract/desk/ticketing.ts';
import type { TicketingKept } from '#contract/desk/ticketing-calls.ts';
import { makeGround } from '../http/ground.ts';
import type { Ground } from '../http/ground.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../store/databases.ts';
import { aDesk, type Desk, TICKETING, TICKETS } from './ground.ts';
import { AT_KEYS, AT_SECRET, autotaskStandIn, type AutotaskStandIn } from './stand-ins/autotask.ts';

let ground: Ground;
const begun: AutotaskStandIn[] = [];
afterAll(async () => { await Promise.all(begun.map((one) => one.stop())); });
const settings = (url: string, more: Partial<Ticketing> = {}): Partial<Ticketing> => ({ system: 'autotask', autotask: { url, ...AT_KEYS }, board: '8', openStatus: '1', closeStatus: '5', priority: '2', ...more });

async function connected(more: Partial<Ticketing> = {}): Promise<{ desk: Desk; at: AutotaskStandIn }> {
  const desk = await aDesk(ground), at = await autotaskStandIn(() => ground.world.clock.now());
  begun.push(at);
  await desk.connect(settings(at.url, more), AT_SECRET);
  const tested = (await desk.adam<{ ok: boolean; says: string; kept: TicketingKept }>('POST', `${TICKETING}/test`, {})).body.data;
  if (!tested.ok) throw new Error(tested.says);
  await desk.map(1, '201', 'Calloway Freight');
  return { desk, at };
}

eachDatabase((_name, open) => {
  beforeAll(async () => { ground = await makeGround(HERE, await open()); });

  test('TICKET-5: a ticket is made in the zone of Autotask with queue, status, priority and our reference; numbers are read from its lists', async () => {
    const { desk, at } = await connected(), a = await desk.fails('Files');
    const { choices } = (await desk.adam<TicketingKept>('GET', TICKETING)).body.data;
    expect(choices).toEqual({ boards: [{ id: '8', name: 'Monitoring' }, { id: '9', name: 'Triage' }], statuses: [{ id: '1', name: 'New', closed: false }, { id: '5', name: 'Complete', closed: true }, { id: '8', name: 'In Progress', closed: false }], priorities: [{ id: '1', name: 'High' }, { id: '2', name: 'Medium' }] });
    const ticket = await desk.make([a.n], { subject: 'Files fail', description: 'Since the night', priority: '1' });
    expect(at.tickets).toMatchObject([{ title: 'Files fail', description: 'Since the night', companyID: 201, queueID: 8, status: 1, priority: 1, externalID: `daybook:${ticket.id}` }]);
    expect(ticket).toMatchObject({ number: 'T20260302.7001', status: { id: '1', name: 'New' }, priority: { id: '1', name: 'High' } });
    expect((await desk.problem(a.n)).tied?.url).toContain('TicketID=7001');
    const zones = (): number => at.asked.filter(({ path }) => path.endsWith('zoneInformation')).length, before = zones();
    await desk.dana('PUT', `${TICKETS}/${ticket.id}`, { subject: 'Files', status: '8', description: 'Seen' });
    expect(at.tickets[0]).toMatchObject({ title: 'Files', status: 8, description: 'Seen' });
    expect(zones()).toBe(before);
  });

  test('TICKET-5: a lost answer of Autotask makes no second ticket', async () => {
    const { desk, at } = await connected(), a = await desk.fails('Files');
    at.faults.push({ when: ({ method, path }) => method === 'POST' && path.endsWith('/Tickets'), done: true, status: 500, body: { errors: ['later'] } });
    const ticket = await desk.make([a.n]);
    expect([ticket.waiting, at.tickets.length]).toEqual([true, 1]);
    ground.pass(20_000);
    await desk.tick();
    expect([await desk.ticket(ticket.id), at.tickets.length]).toMatchObject([{ waiting: false, number: 'T20260302.7001' }, 1]);
  });

  test('TICKET-6: what is completed in Autotask comes by asking it what changed, over pages', async () => {
    const { desk, at } = await connected(), made = [];
    for (const job of ['A', 'B', 'C']) made.push(await desk.make([(await desk.fails(job)).n]));
    at.pageSize = 2;
    ground.pass(61_000);
    for (const { id } of at.tickets) at.turn(id, 5);
    await desk.tick();
    expect((await desk.list('?state=closed')).rows.map(({ closedBy }) => closedBy)).toEqual(['system', 'system', 'system']);
  });

  test('TICKET-8: accounts come in pages; keys go to no zone that is not of Autotask, and wrong ones are told', async () => {
    const { desk, at } = await connected(), accounts = async (query: string): Promise<unknown> => (await desk.adam('GET', `${TICKETS}/autotask/accounts${query}`)).body.data;
    expect([await accounts('?pageSize=1'), await accounts('?pageSize=1&page=2'), await accounts('?search=pike')]).toEqual([
      { rows: [{ id: '201', name: 'Calloway Freight', identifier: 'C-1' }], page: 1, more: true }, { rows: [{ id: '202', name: 'Drummond & Pike', identifier: '' }], page: 2, more: false },
      { rows: [{ id: '202', name: 'Drummond & Pike', identifier: '' }], page: 1, more: false },
    ]);
    expect((await desk.dana('GET', `${TICKETS}/autotask/accounts`)).status).toBe(403);
    const thief = await autotaskStandIn(() => 0);
    begun.push(thief);
    at.zone = `${thief.url}/atservicesrest/`;
    const again = { system: 'autotask' as const, autotask: { url: `${at.url}/`, ...AT_KEYS }, board: '8' };
    await desk.connect(again, AT_SECRET);
    const tested = async (): Promise<unknown> => (await desk.adam<{ says: string }>('POST', `${TICKETING}/test`, {})).body.data.says;
    expect([await tested(), thief.asked]).toEqual(['Autotask named a zone that is not one of its own.', []]);
    at.zone = null;
    await desk.connect(again, 'wrong');
    expect(await tested()).toBe('Autotask did not accept the keys.');
  });
});
