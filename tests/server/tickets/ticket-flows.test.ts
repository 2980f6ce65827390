import { assert, asyncProperty, constantFrom, array, tuple, nat } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { freshStore } from '../db/databases.ts';
import { aDesk, type Desk, TICKETING, TICKETS } from './fixtures.ts';
import { connectWiseStandIn, type ConnectWiseStandIn, KEYS, PRIVATE } from './fakes/connectwise.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
let fixture: Fixture;
const begun: ConnectWiseStandIn[] = [];
beforeAll(async () => {
  fixture = await makeFixture(HERE, await freshStore('pglite'));
});
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});

const STEPS = [
  'fail',
  'fail otherwise',
  'succeed',
  'make',
  'close there',
  'open there',
  'close here',
  'open here',
  'delete',
  'tick',
  'lose an answer',
  'refuse for now',
  'days pass',
] as const;

async function step(
  desk: Desk,
  cw: ConnectWiseStandIn,
  [what, which]: readonly [(typeof STEPS)[number], number],
): Promise<void> {
  const job = which % 2 === 0 ? 'Files' : 'Mail';
  const tickets = (await desk.list('?state=all&pageSize=200')).rows.map(({ _id: id }) => ({ id }));
  const one = tickets[which % Math.max(1, tickets.length)];
  const remote = cw.tickets[which % Math.max(1, cw.tickets.length)];
  switch (what) {
    case 'fail':
      await desk.fails(job);
      return;
    case 'fail otherwise':
      await desk.fails(job, { message: 'No space left on device' });
      return;
    case 'succeed':
      await desk.succeeds(job);
      return;
    case 'make': {
      const open = await desk.openAt(job);
      if (open) await desk.dana('POST', TICKETS, { problems: [open.n], subject: 'x' });
      return;
    }
    case 'close there':
      if (remote) cw.turn(remote.id, 3);
      return;
    case 'open there':
      if (remote) cw.turn(remote.id, 1);
      return;
    case 'close here':
      if (one) await desk.dana('PUT', `${TICKETS}/${one.id}`, { status: '3' });
      return;
    case 'open here':
      if (one) await desk.dana('PUT', `${TICKETS}/${one.id}`, { status: '2' });
      return;
    case 'delete':
      if (one) await desk.dana('DELETE', `${TICKETS}/${one.id}`);
      return;
    case 'tick':
      fixture.pass(61_000);
      await desk.tick();
      return;
    case 'lose an answer':
      cw.errors.push({ when: ({ method }) => method !== 'GET', done: true, status: 500 });
      return;
    case 'refuse for now':
      cw.errors.push({ status: 429, headers: { 'retry-after': '30' } });
      return;
    case 'days pass':
      fixture.pass(2 * 86_400_000);
  }
}

test('TICKET-1, TICKET-5, TICKET-7: in any order of results, people, ConnectWise and time, no problem has two open tickets, here or there, and all end up alike', async () => {
  await assert(
    asyncProperty(
      array(tuple(constantFrom(...STEPS), nat(5)), { minLength: 4, maxLength: 14 }),
      async (steps) => {
        const desk = await aDesk(fixture);
        const cw = await connectWiseStandIn(() => fixture.context.clock.now());
        begun.push(cw);
        await desk.connect(
          {
            system: 'connectwise',
            connectwise: { url: cw.url, ...KEYS },
            board: '1',
            openStatus: '1',
            closeStatus: '3',
            reopenDays: 3,
            resolveOnSuccess: true,
          },
          PRIVATE,
        );
        await desk.adam('POST', `${TICKETING}/test`, {});
        await desk.map(1, '101', 'Calloway Freight');
        await desk.fails('Files');
        for (const one of [['make', 0] as const, ...steps]) {
          await step(desk, cw, one);
          const { rows } = await desk.list('?state=all&pageSize=200');
          const about = new Map<number, string[]>();
          for (const { _id: id, closedAt } of rows)
            if (closedAt === null)
              for (const { n } of (await desk.ticket(id)).list)
                about.set(n, [...(about.get(n) ?? []), id]);
          expect([...about.values()].filter((ids) => ids.length > 1)).toEqual([]);
          const references = cw.tickets.map(({ externalXRef }) => externalXRef);
          expect(new Set(references).size).toBe(references.length);
        }
        cw.errors.length = 0;
        // Left alone for a while, both sides say the same, and every problem shows how its ticket
        // stands.
        for (let n = 0; n < 3; n += 1) {
          fixture.pass(2 * 3_600_000);
          await desk.tick();
        }
        for (const { _id: id, closedAt, waiting } of (await desk.list('?state=all&pageSize=200'))
          .rows) {
          const there = cw.tickets.find(({ externalXRef }) => externalXRef === `daybook:${id}`);
          expect([waiting, there?.closedFlag]).toEqual([false, closedAt !== null]);
          for (const { n } of (await desk.ticket(id)).list)
            expect((await desk.problem(n)).linkedTicket?.open).toBe(closedAt === null);
        }
        expect(
          (await rebuild(fixture.context.store, { only: [desk.office.tenant] }))[0]?.differences,
        ).toEqual([]);
      },
    ),
    { numRuns: 6 * PROOF },
  );
}, 600_000);
