import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MappedOut, TicketingKept } from '#contract/desk/ticketing-calls.ts';
import type { Ticketing } from '#contract/desk/ticketing.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/monitoring/calls.ts';
import { ticketRoutes } from '#server/desk/callback.ts';
import { allHandlers } from '#server/handlers.ts';
import { dump } from '#server/store/dump.ts';
import type { OpenStore } from '#server/store/open.ts';
import { ask, appOf, login, makeGround, user } from '../http/ground.ts';
import type { Answer, Ground } from '../http/ground.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../store/databases.ts';
import { aDesk, type Desk, HOUR, TICKETING, TICKETS } from './ground.ts';
import {
  connectWiseStandIn,
  type ConnectWiseStandIn,
  KEYS,
  PRIVATE,
} from './stand-ins/connectwise.ts';

let ground: Ground;
let store: OpenStore;
const begun: ConnectWiseStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];
const settings = (url: string, more: Partial<Ticketing> = {}): Partial<Ticketing> => ({
  system: 'connectwise',
  connectwise: { url, ...KEYS },
  board: '2',
  openStatus: '1',
  closeStatus: '3',
  priority: '5',
  ...more,
});

/** A provider whose ConnectWise is connected, and whose companies stand for those there. */
async function connected(
  more: Partial<Ticketing> = {},
): Promise<{ desk: Desk; cw: ConnectWiseStandIn }> {
  const desk = await aDesk(ground);
  const cw = await connectWiseStandIn(() => ground.world.clock.now());
  begun.push(cw);
  await desk.connect(settings(cw.url, more), PRIVATE);
  const tested = (await desk.adam<{ ok: boolean; says: string }>('POST', `${TICKETING}/test`, {}))
    .body.data;
  if (!tested.ok) throw new Error(tested.says);
  await desk.map(1, '101', 'Calloway Freight');
  await desk.map(2, '102', 'Drummond & Pike');
  return { desk, cw };
}
const gone = (cw: ConnectWiseStandIn, path: string, method = 'POST'): number =>
  cw.asked.filter((one) => one.method === method && one.path.endsWith(path)).length;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    store = await open();
    ground = await makeGround(HERE, store);
  });

  test('TICKET-5: a ticket is made in ConnectWise with board, status, company, priority and our reference; its number goes to the problems', async () => {
    const { desk, cw } = await connected();
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
      fault: null,
      owner: { id: '21', name: 'Dana Smith' },
      priority: { id: '5' },
    });
    expect(ticket.url).toContain('service_recid=5001');
    for (const { n } of [a, b])
      expect(await desk.problem(n)).toMatchObject({
        ticket: '5001',
        tied: { id: ticket.id, open: true, url: ticket.url },
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
    expect([cw.tickets[0]?.closedFlag, (await desk.problem(a.n)).tied?.open]).toEqual([
      true,
      false,
    ]);
  });

  test('TICKET-5: who is set to own its ConnectWise tickets owns what it opens, found by its address', async () => {
    const { desk, cw } = await connected();
    const a = await desk.fails('Files');
    const { office } = desk;
    const id = await user(ground, office.tenant, {
      username: 'owner',
      name: 'Owner',
      email: 'kate@example.com',
      roles: ['operator'],
    });
    await ground.world.store.tenant(office.tenant, ({ sql }) =>
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

  test('TICKET-5: where the answer is lost, times out or the server dies after it, the ticket is found by its reference and there is one', async () => {
    const { desk, cw } = await connected();
    const a = await desk.fails('Files');
    cw.faults.push({
      when: ({ method, path }) => method === 'POST' && path.endsWith('service/tickets'),
      done: true,
      status: 502,
      text: 'bad gateway',
    });
    const ticket = await desk.make([a.n]);
    expect([ticket.waiting, ticket.fault, ticket.number, cw.tickets.length]).toEqual([
      true,
      'ConnectWise is out of order (502).',
      'D-1',
      1,
    ]);
    await desk.tick();
    expect(gone(cw, 'service/tickets')).toBe(1);
    ground.pass(20_000);
    await desk.tick();
    expect([
      await desk.ticket(ticket.id),
      cw.tickets.length,
      gone(cw, 'service/tickets'),
    ]).toMatchObject([{ waiting: false, number: '5001' }, 1, 1]);
    // A server that died with the task in its hands: another takes it up when that is surely over.
    const b = await desk.fails('Mail');
    const real = desk.office.tenant;
    cw.faults.push({ when: ({ method }) => method === 'GET', status: 503 });
    const other = await desk.make([b.n]);
    await ground.world.store.tenant(real, ({ sql }) =>
      sql
        .updateTable('ticket_work')
        .set({ held_until: ground.world.clock.now() + 120_000, next_at: 0 })
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
    ground.pass(121_000);
    await desk.tick();
    expect([await desk.ticket(other.id), gone(cw, 'service/tickets')]).toMatchObject([
      { waiting: false, number: '5900' },
      1,
    ]);
  });

  test('TICKET-5: 429 is waited out as long as it asks; wrong keys and an answer that cannot be read say so and are tried again; what is refused is not', async () => {
    const { desk, cw } = await connected();
    const askedAt = (path: string): number =>
      cw.asked.filter((one) => one.path.endsWith(path)).length;
    cw.faults.push({ status: 429, headers: { 'retry-after': '3600' } });
    const a = await desk.make([(await desk.fails('A')).n]);
    expect([a.fault, cw.tickets.length]).toEqual([
      'ConnectWise asked to wait: too many requests.',
      0,
    ]);
    const before = askedAt('service/tickets');
    ground.pass(3_590_000);
    const pausePolling = () =>
      ground.world.store.tenant(desk.office.tenant, ({ sql }) =>
        sql
          .updateTable('ticketing')
          .set({ poll_at: ground.world.clock.now() + 20 * HOUR })
          .where('tenant_id', '=', desk.office.tenant)
          .execute(),
      );
    await pausePolling();
    await desk.tick();
    expect(askedAt('service/tickets')).toBe(before);
    ground.pass(11_000);
    await desk.tick();
    expect((await desk.ticket(a.id)).number).toBe('5001');
    for (const [fault, words] of [
      [{ status: 401 }, 'ConnectWise did not accept the keys.'],
      [{ text: '<html>' }, 'ConnectWise gave an answer that cannot be read.'],
      [{ body: { id: 1 } }, 'ConnectWise gave an answer that cannot be read.'],
    ] as const) {
      cw.faults.push(fault);
      const made = await desk.make([(await desk.fails(words + JSON.stringify(fault))).n]);
      expect(made.fault).toBe(words);
      ground.pass(20_000);
      await desk.tick();
      expect((await desk.ticket(made.id)).waiting).toBe(false);
    }
    cw.companies.splice(0, 1);
    const refused = await desk.make([(await desk.fails('B')).n]);
    expect(refused.fault).toBe('ConnectWise refused it (400): company not found');
    const asked = cw.asked.length;
    ground.pass(23 * HOUR);
    await pausePolling();
    await desk.tick();
    expect(cw.asked.slice(asked).filter(({ path }) => path.endsWith('service/tickets'))).toEqual(
      [],
    );
  });

  test('TICKET-5: an answer that does not come in time is not waited for: the ticket waits, and is found once it was made', async () => {
    const { clock } = ground.world;
    const hasty: Ground = {
      ...ground,
      world: {
        ...ground.world,
        clock: { ...clock, after: (ms, done) => clock.after(ms / 25, done) },
      },
    };
    const before = ground;
    ground = hasty;
    const { desk, cw } = await connected();
    ground = before;
    cw.faults.push({
      when: ({ method, path }) => method === 'POST' && path.endsWith('service/tickets'),
      done: true,
      silent: true,
    });
    const ticket = await desk.make([(await desk.fails('A')).n]);
    expect([ticket.waiting, ticket.number, cw.tickets.length]).toEqual([true, 'D-1', 1]);
    await expect
      .poll(async () => (await desk.ticket(ticket.id)).fault, { timeout: 5_000 })
      .toBe('127.0.0.1 did not answer in time.');
    ground.pass(20_000);
    await desk.tick();
    expect([await desk.ticket(ticket.id), cw.tickets.length]).toMatchObject([
      { waiting: false, number: '5001' },
      1,
    ]);
  });

  test('TICKET-6: what is closed, renamed or given away in ConnectWise comes by asking it what changed, over pages; what waits here is not overwritten', async () => {
    const { desk, cw } = await connected();
    const made = [];
    for (const job of ['A', 'B', 'C', 'D', 'E'])
      made.push(await desk.make([(await desk.fails(job)).n], { subject: job }));
    ground.pass(61_000);
    await desk.tick();
    cw.pageSize = 2;
    ground.pass(61_000);
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
    expect((await desk.problem(problem?.n ?? 0)).tied?.open).toBe(false);
    expect(
      (await desk.dana<Execution>('GET', `monitoring/backoffice/jobExecutions/${problem?.run}`))
        .body.data.problem?.ticket,
    ).toBe('5002');
    // A change that is still to be told is newer than what the system says.
    cw.faults.push({ status: 503 });
    await desk.dana('PUT', `${TICKETS}/${made[0]?.id}`, { subject: 'Ours' });
    cw.faults.push({ when: ({ method }) => method === 'PATCH', status: 503 });
    ground.pass(61_000);
    await desk.tick();
    expect((await desk.ticket(made[0]?.id ?? '')).subject).toBe('Ours');
    ground.pass(HOUR);
    await desk.tick();
    await desk.tick();
    expect([cw.tickets[0]?.summary, (await desk.ticket(made[0]?.id ?? '')).waiting]).toEqual([
      'Ours',
      false,
    ]);
  });

  test('TICKET-6: a poll that fails says why, waits longer each time, and goes on where it was', async () => {
    const { desk, cw } = await connected();
    const kept = async (): Promise<TicketingKept> =>
      (await desk.adam<TicketingKept>('GET', TICKETING)).body.data;
    const ticket = await desk.make([(await desk.fails('A')).n]);
    const waits: number[] = [];
    for (let n = 0; n < 6; n += 1) cw.faults.push({ status: 500 });
    let last = ground.world.clock.now();
    let asked = cw.asked.length;
    for (let minute = 0; waits.length < 6 && minute < 120; minute += 1) {
      ground.pass(30_000);
      await desk.tick();
      if (cw.asked.length > asked) {
        asked = cw.asked.length;
        waits.push(Math.round((ground.world.clock.now() - last) / 30_000));
        last = ground.world.clock.now();
      }
    }
    expect(waits.slice(1)).toEqual(waits.slice(1).toSorted((a, b) => a - b));
    expect([waits.at(-1) ?? 0, (await kept()).fault]).toEqual([
      expect.toSatisfy((n: number) => n >= 6),
      'ConnectWise is out of order (500).',
    ]);
    cw.turn(5001, 3);
    ground.pass(HOUR);
    await desk.tick();
    expect([(await desk.ticket(ticket.id)).closedBy, (await kept()).fault]).toEqual([
      'system',
      null,
    ]);
  });

  test('TICKET-6: a callback that is signed makes us read the ticket; one that is not, is forged, or names keys elsewhere, does nothing', async () => {
    const { desk, cw } = await connected();
    const ticket = await desk.make([(await desk.fails('A')).n]);
    const { host } = desk.office;
    const app = appOf(ground.world, allHandlers(ground.world), {
      routes: ticketRoutes(ground.world),
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
    const asked = cw.asked.length;
    expect([
      await post(body, null),
      await post('{', signature),
      await post(body.replace(cw.url, 'http://127.0.0.1:1'), signature),
      await post(body.replace('5001', '5002'), signature),
      await post(body, `${signature.slice(0, -4)}AAA=`),
    ]).toEqual([400, 400, 403, 403, 403]);
    expect([
      cw.asked.slice(asked).map(({ path }) => path),
      (await desk.ticket(ticket.id)).closedAt,
    ]).toEqual([['/key'], null]);
    expect(cw.asked.find(({ path }) => path === '/key')?.headers.authorization).toBeUndefined();
    expect([await post(body, signature), (await desk.ticket(ticket.id)).closedBy]).toEqual([
      200,
      'system',
    ]);
  });

  test('TICKET-6: callbacks of strangers, however many, do not use up those of the system', async () => {
    const { desk, cw } = await connected();
    const ticket = await desk.make([(await desk.fails('A')).n]);
    const app = appOf(ground.world, allHandlers(ground.world), {
      routes: ticketRoutes(ground.world),
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

  test('TICKET-7: a success closes it there too, the same failure opens it again there; twice over it comes to the same', async () => {
    const { desk, cw } = await connected({ reopenDays: 7, resolveOnSuccess: true });
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
    ground.pass(61_000);
    await desk.tick();
    expect((await desk.problem(b.n)).tied?.open).toBe(false);
    await desk.fails('Files');
    await desk.tick();
    expect([cw.tickets[0]?.closedFlag, (await desk.problem(b.n)).tied?.open]).toEqual([
      false,
      true,
    ]);
  });

  test('TICKET-8: companies are mapped by exact name to be confirmed; renamed and missing ones are told, and no ticket is opened where there is none', async () => {
    const desk = await aDesk(ground);
    const cw = await connectWiseStandIn(() => ground.world.clock.now());
    begun.push(cw);
    cw.pageSize = 1;
    await desk.connect(settings(cw.url), PRIVATE);
    await desk.adam('POST', `${TICKETING}/test`, {});
    const a = await desk.fails('Files');
    const refused = async (): Promise<readonly unknown[]> =>
      said(await desk.dana('POST', TICKETS, { problems: [a.n], subject: 'x' }));
    expect([await refused(), (await desk.form(1)).blocked]).toEqual([
      [409, MESSAGES.ticketNotMapped('Calloway Freight', 'ConnectWise')],
      MESSAGES.ticketNotMapped('Calloway Freight', 'ConnectWise'),
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
    ground.pass(61_000);
    await desk.tick();
    expect(await health()).toEqual(['renamed', 'missing']);
    ground.pass(25 * HOUR);
    await desk.tick();
    expect(await health()).toEqual(['renamed', 'ok']);
    cw.companies.pop();
    await check();
    const b = await desk.fails('Mail', {}, 2);
    expect(said(await desk.dana('POST', TICKETS, { problems: [b.n], subject: 'x' }))).toEqual([
      409,
      MESSAGES.ticketCompanyMissing('Drummond & Pike', 'ConnectWise'),
    ]);
    expect((await desk.make([a.n])).number).toBe('5001');
  });

  test('TICKET-8: what ConnectWise has is asked for by who may: companies by who maps them, contacts and tickets of companies that one sees', async () => {
    const { desk, cw } = await connected();
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
      MESSAGES.ticketingOtherSystem('Autotask'),
    ]);
    const quoted = cw.asked.length;
    await desk.adam(
      'GET',
      `${at}/companies?search=${encodeURIComponent('" or id > 0 or name = "')}`,
    );
    expect(cw.asked[quoted]?.query.get('conditions')).not.toMatch(/like "%"/);
    cw.faults.push({ status: 429, headers: { 'retry-after': '7' } });
    expect((await desk.dana('GET', `${at}/members`)).status).toBe(503);
  });

  test('TICKET-8, G51: the key is sealed, given to nobody, and goes with the address that it was for; the record tells who set it', async () => {
    const { desk, cw } = await connected();
    const thief = await connectWiseStandIn(() => ground.world.clock.now());
    begun.push(thief);
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
      ground.lines.join('\n'),
      (await desk.adam('GET', TICKETING)).text,
    ])
      for (const spelled of [PRIVATE, Buffer.from(PRIVATE).toString('base64').slice(0, -4)])
        expect(text.includes(spelled)).toBe(false);
    expect((await desk.dana('GET', TICKETING)).status).toBe(403);
    const { rows } = await ground.world.store.tenant(desk.office.tenant, async ({ sql }) => ({
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

  test('TICKET-8: the key does not go to an address that was set while another system, or none, was connected; a refused change leaves it', async () => {
    const { desk, cw } = await connected();
    const thief = await connectWiseStandIn(() => ground.world.clock.now());
    begun.push(thief);
    const kept = (await desk.connect(settings(cw.url))).settings;
    const { connectwise } = settings(cw.url);
    const there = { ...(connectwise as NonNullable<typeof connectwise>), url: thief.url };
    expect(
      said(await desk.adam('PUT', TICKETING, { settings: { ...kept, connectwise: there } })),
    ).toEqual([400, MESSAGES.ticketingNoSecret]);
    expect((await desk.adam<TicketingKept>('GET', TICKETING)).body.data.secret).toBe(true);
    expect(
      (
        await desk.adam('PUT', TICKETING, {
          settings: { ...kept, system: 'own', connectwise: there },
        })
      ).status,
    ).toBe(200);
    expect(
      said(await desk.adam('PUT', TICKETING, { settings: { ...kept, connectwise: there } })),
    ).toEqual([400, MESSAGES.ticketingNoSecret]);
    expect([(await desk.adam('POST', `${TICKETING}/test`, {})).status, thief.asked]).toEqual([
      200,
      [],
    ]);
  });
});
