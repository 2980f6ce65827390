import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { TicketWhole } from '#contract/tickets/calls.ts';
import type { Execution } from '#contract/runs/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';

const DAY = 86_400_000;
let fixture: Fixture;
interface Changed {
  readonly accepted: number;
  readonly refused: readonly { run: number; kind: string; message: string }[];
}
interface Listed {
  readonly rows: readonly { _id: string; mongo_id: string; jobName: string; status: string }[];
}

const BULK = 'monitoring/backoffice/jobExecutions/bulk';
const TICKETS = 'monitoring/backoffice/tickets';
const path = (id: string): string => `monitoring/backoffice/jobExecutions/${id}`;
const shown = async (me: Asker, id: string): Promise<Execution> =>
  (await me<Execution>('GET', path(id))).body.data;

const iso = (ms: number): string => new Date(ms).toISOString();
const byNumber = (one: number, other: number): number => one - other;

/** Two who work on results, and failures of as many jobs, by the text ids of the list. */
async function begin(jobs: number) {
  const office = await anOffice(fixture);
  const now = fixture.context.clock.now();
  const [dana, max] = [await office.as('dana', ['operator']), await office.as('max', ['operator'])];
  await office.post(1, [
    ...Array.from({ length: jobs }, (_, at) =>
      failure(`job-${at}`, iso(now - 3_600_000 - at * 60_000)),
    ),
    {
      job: 'fine',
      computer: 'pc',
      status: 'Success',
      startTime: iso(now - 7_200_000),
      endTime: iso(now - 7_100_000),
    },
  ]);
  const { rows } = (
    await dana<Listed>('GET', `monitoring/reporting/jobs?from=${iso(now - DAY)}&to=${iso(now + 1)}`)
  ).body.data;
  for (const { _id: id, mongo_id: same } of rows) expect([typeof id, same]).toEqual(['string', id]);
  const getId = (name: string): string =>
    rows.find(({ jobName }) => jobName === name)?.mongo_id ?? 'none';
  return {
    office,
    dana,
    max,
    ids: Array.from({ length: jobs }, (_, at) => getId(`job-${at}`)),
    fine: getId('fine'),
    until: iso(now + DAY),
  };
}

async function eventsSince(me: Asker, { epoch, cursor }: Bootstrap): Promise<readonly unknown[]> {
  const { events } = (
    await me<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`)
  ).body.data;
  return events.map(({ event }) => event);
}
const booted = async (me: Asker): Promise<Bootstrap> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('RUN-13: a note as text or as an object, and the end of a snooze, make the events of noting and snoozing', async () => {
    const {
      dana,
      ids: [one = '', two = ''],
      until,
    } = await begin(2);
    const start = await booted(dana);
    expect(
      (await dana<Changed>('PUT', path(one), { note: '  disk ordered  ', ignoredUntil: until }))
        .body.data,
    ).toMatchObject({ accepted: 1, refused: [] });
    expect(await shown(dana, one)).toMatchObject({
      note: { content: 'disk ordered' },
      ignoredUntil: until,
      ignoredReason: 'disk ordered',
      state: 'snoozed',
    });
    const [first] = (await eventsSince(dana, start)) as { data: { problems: number[] } }[];
    const problems = first?.data.problems;
    expect(await eventsSince(dana, start)).toEqual([
      { type: 'problem.noted@1', data: { problems, content: 'disk ordered' } },
      {
        type: 'problem.snoozed@1',
        data: { problems, until: Date.parse(until), reason: 'disk ordered' },
      },
    ]);
    // What was read is sent back with one word changed: the rest is no change.
    const { note, ignoredUntil } = await shown(dana, one);
    const middle = await booted(dana);
    await dana('PUT', path(one), { note: { ...note, content: 'disk came' } });
    await dana('PUT', path(one), { note: { ...note, content: 'disk came' } });
    expect(
      (await eventsSince(dana, middle)).map((event) => (event as { type: string }).type),
    ).toEqual(['problem.noted@1']);
    expect(await shown(dana, one)).toMatchObject({ note: { content: 'disk came' }, ignoredUntil });
    // Ended and taken away again.
    await dana('PUT', path(one), { note: '', ignoredUntil: null });
    expect(await shown(dana, one)).toMatchObject({
      note: null,
      ignoredUntil: null,
      state: 'pending',
    });
    const last = await booted(dana);
    await dana('PUT', path(one), { note: null, ignoredUntil: null });
    expect(await eventsSince(dana, last)).toEqual([]);
    // A snooze needs no note; its reason may be given beside it.
    await dana('PUT', path(two), { ignoredUntil: until });
    expect(await shown(dana, two)).toMatchObject({
      note: null,
      ignoredUntil: until,
      ignoredReason: 'No reason given',
    });
    await dana('PUT', path(two), { ignoredUntil: until, ignoredReason: 'new rack' });
    expect(await shown(dana, two)).toMatchObject({ ignoredReason: 'new rack' });
  });

  test('RUN-13: a change that is partly refused changes nothing', async () => {
    const {
      dana,
      ids: [one = ''],
      fine,
      until,
    } = await begin(1);
    const before = await booted(dana);
    const past = iso(fixture.context.clock.now() - 1);
    for (const [body, message] of [
      [{}, MESSAGES.nothingToChange],
      [{ note: 'x', ignoredUntil: past }, MESSAGES.snoozeTooShort],
      [
        { note: 'x', ignoredUntil: iso(fixture.context.clock.now() + 400 * DAY) },
        MESSAGES.snoozeTooLong,
      ],
      [{ ignoredReason: 'x' }, MESSAGES.reasonAlone],
      [{ note: 'x', ignoredUntil: null, ignoredReason: 'x' }, MESSAGES.reasonAlone],
      [{ note: 7 }, MESSAGES.badInput],
      [{ note: 'x'.repeat(2_001) }, MESSAGES.badInput],
      [{ ignoredUntil: 'tomorrow' }, MESSAGES.badInput],
      [{ note: { text: 'x' } }, MESSAGES.badInput],
    ] as const) {
      const answer = await dana('PUT', path(one), body);
      expect([body, answer.status, answer.body.message]).toEqual([body, 400, message]);
    }
    const none = await dana('PUT', path(fine), { note: 'x' });
    expect([none.status, none.body.message]).toEqual([409, MESSAGES.nothingToReview]);
    const bulk = (
      await dana<Changed>('POST', BULK, { ids: [one, fine], note: 'x', ignoredUntil: past })
    ).body.data;
    expect([bulk.accepted, bulk.refused.map(({ kind }) => kind).toSorted()]).toEqual([
      0,
      ['bad-input', 'conflict'],
    ]);
    expect(await eventsSince(dana, before)).toEqual([]);
    expect(
      (await dana('POST', BULK, { ids: [one], ignoredUntil: until, note: { content: 'y' } }))
        .status,
    ).toBe(200);
    expect(await shown(dana, one)).toMatchObject({ note: { content: 'y' }, ignoredUntil: until });
  });

  test('RUN-14: results in bulk, tickets and hints accept the IDs of lists, and numbers as before', async () => {
    const { dana, max, ids } = await begin(5);
    const [a = '', b = '', c = '', d = '', e = ''] = ids;
    expect(
      (
        await dana<Changed>('POST', BULK, {
          ids: [a, Number(b), a, Number(a)],
          change: { kind: 'review', comment: 'one cause' },
        })
      ).body.data,
    ).toMatchObject({ accepted: 2, refused: [] });
    expect((await shown(max, a)).history[0]).toMatchObject({
      what: 'Reviewed',
      comment: 'one cause',
    });
    expect(
      (
        await dana<Changed>('POST', BULK, {
          ids: [c, randomUUID()],
          change: { kind: 'note', content: 'x' },
        })
      ).body.data,
    ).toMatchObject({ accepted: 1, refused: [{ kind: 'not-found' }] });
    const { _id: id, list } = (
      await dana<TicketWhole>('POST', TICKETS, { runs: [a, Number(b)], subject: 'By ids' })
    ).body.data;
    expect(list.map(({ run }) => run).toSorted(byNumber)).toEqual(
      [Number(a), Number(b)].toSorted(byNumber),
    );
    const problem = (await booted(dana)).problems.find(({ lastRun }) => lastRun === Number(d))?.n;
    expect(
      (
        await dana<TicketWhole>('POST', TICKETS, {
          problems: [String(problem)],
          subject: 'By a problem',
        })
      ).body.data.list.map(({ run }) => run),
    ).toEqual([Number(d)]);
    expect(
      (
        await dana<{ tickets: unknown[] }>('POST', `${TICKETS}/by-company`, {
          runs: [e],
          subject: 'By company',
        })
      ).body.data.tickets,
    ).toHaveLength(1);
    expect(
      (await dana<TicketWhole>('PUT', `${TICKETS}/${id}`, { subject: 'Other words' })).body.data
        .subject,
    ).toBe('Other words');
    expect((await dana('POST', TICKETS, { runs: ['nothing'], subject: 'x' })).status).toBe(404);
  });
});
