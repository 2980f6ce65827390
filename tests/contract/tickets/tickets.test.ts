import { expect, test } from 'vitest';
import type { Event, Logged } from '#contract/events.ts';
import { fold, memoryRows, touches } from '#contract/fold.ts';
import { OWN_STATUSES, ticketNumber } from '#contract/tickets/tickets.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const logged = (event: Event, at = 10): Logged => ({
  event,
  seq: 1,
  at,
  actor: { kind: 'user', id: 'dana' },
  subject: null,
  commandId: null,
  company: 1,
  entity: 'x',
});
const [begin, progress, , closed] = OWN_STATUSES;
const problem: ProblemRow = {
  n: 7,
  job: 1,
  company: 1,
  cause: 1,
  state: 'Failed',
  openedAt: 1,
  lastAt: 1,
  lastRun: 1,
  runs: 1,
  closedAt: null,
  closedBy: null,
  review: null,
  snooze: null,
  note: null,
  ticket: null,
};

test('TICKET-2: a device that has only problems receives number, state and page of a ticket; a typed number, or none, unlinks it', () => {
  const rows = { problem: memoryRows().problem };
  rows.problem.set(7, problem);
  const say = (event: Event): ProblemRow | undefined => {
    fold(rows, logged(event));
    return rows.problem.get(7);
  };
  if (!begin) throw new Error('no status');
  expect(
    say({
      type: 'ticket.created@1',
      data: {
        id: ID,
        number: 3,
        company: 1,
        system: 'own',
        contact: null,
        subject: 's',
        description: '',
        status: begin,
        priority: null,
        owner: null,
      },
    }),
  ).toEqual(problem);
  expect(say({ type: 'problem.ticketSet@1', data: { problems: [7], ticket: 'D-3' } })).toEqual({
    ...problem,
    ticket: 'D-3',
  });
  expect(
    say({
      type: 'problem.ticketLinked@1',
      data: { problems: [7, 8], linkedTicket: { id: ID, open: true, url: null } },
    }),
  ).toMatchObject({ ticket: 'D-3', linkedTicket: { id: ID, open: true } });
  expect(
    say({
      type: 'problem.ticketLinked@1',
      data: { problems: [7], linkedTicket: { id: ID, open: false, url: 'https://psa.example/1' } },
    })?.linkedTicket,
  ).toEqual({ id: ID, open: false, url: 'https://psa.example/1' });
  expect(
    say({ type: 'problem.ticketSet@1', data: { problems: [7], ticket: 'T-9' } }),
  ).toMatchObject({ ticket: 'T-9', linkedTicket: null });
});

test('TICKET-3: what is left out of a change stays; closing and opening again are known with who did it', () => {
  const rows = memoryRows();
  if (!begin || !progress || !closed) throw new Error('no status');
  const events: readonly [Event, number][] = [
    [
      {
        type: 'ticket.created@1',
        data: {
          id: ID,
          number: 3,
          company: 1,
          system: 'connectwise',
          contact: null,
          subject: 's',
          description: 'd',
          status: begin,
          priority: null,
          owner: null,
        },
      },
      1,
    ],
    [
      { type: 'ticket.updated@1', data: { id: ID, by: 'person', status: progress, subject: 't' } },
      2,
    ],
    [{ type: 'ticket.linked@1', data: { id: ID, remote: { id: '9', number: '9', url: null } } }, 3],
    [{ type: 'ticket.updated@1', data: { id: ID, by: 'system', status: closed } }, 4],
  ];
  for (const [event, at] of events) {
    expect(touches({ event })).toEqual([['ticket', ID]]);
    fold(rows, logged(event, at));
  }
  const row = rows.ticket.get(ID);
  expect(row).toMatchObject({
    subject: 't',
    description: 'd',
    madeBy: 'dana',
    madeAt: 1,
    changedAt: 4,
    closedAt: 4,
    closedBy: 'system',
    remote: { number: '9' },
  });
  expect([row && ticketNumber(row), ticketNumber({ number: 3, remote: null })]).toEqual([
    '9',
    'D-3',
  ]);
  fold(rows, logged({ type: 'ticket.updated@1', data: { id: ID, by: 'again', status: begin } }, 5));
  expect(rows.ticket.get(ID)).toMatchObject({ closedAt: null, closedBy: null });
  fold(rows, logged({ type: 'ticket.deleted@1', data: { id: ID } }, 6));
  expect(rows.ticket.get(ID)?.deletedAt).toBe(6);
});
