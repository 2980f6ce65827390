import type { NewEvent } from '#contract/events.ts';
import {
  type TicketBy,
  type TicketRow,
  type TicketStatus,
  ticketNumber,
} from '#contract/tickets/tickets.ts';
import type { ProblemN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { shortenTicketText, type RemoteTicket } from './psa.ts';

/** Returns the problems of a ticket. */
export const loadProblems = async (
  { sql, tenant }: TenantTx,
  ticket: string,
): Promise<readonly ProblemN[]> =>
  (
    await sql
      .selectFrom('problem')
      .select('n')
      .where('tenant_id', '=', tenant)
      .where('ticket_id', '=', ticket)
      .orderBy('n')
      .execute()
  ).map(({ n }) => n);

const ofTicket = (
  { id, company }: Pick<TicketRow, 'id' | 'company'>,
  event: NewEvent['event'],
): NewEvent => ({ event, company, entity: `ticket:${id}` });
const ofProblems = (
  company: number,
  problems: readonly ProblemN[],
  event: NewEvent['event'],
): NewEvent => ({
  event,
  company,
  entity: problems.length === 1 ? `problem:${problems[0]}` : 'problem:*',
});

/** TICKET-2: links the problems to the ticket: its number for display, and its state. */
export const tie = (
  row: Pick<TicketRow, 'id' | 'company' | 'number' | 'remote'>,
  open: boolean,
  problems: readonly ProblemN[],
): NewEvent[] =>
  problems.length === 0
    ? []
    : [
        ofProblems(row.company, problems, {
          type: 'problem.ticketSet@1',
          data: { problems: [...problems], ticket: ticketNumber(row) },
        }),
        state(row, open, problems),
      ];
const state = (
  { id, company, remote }: Pick<TicketRow, 'id' | 'company' | 'remote'>,
  open: boolean,
  problems: readonly ProblemN[],
): NewEvent =>
  ofProblems(company, problems, {
    type: 'problem.ticketLinked@1',
    data: { problems: [...problems], linkedTicket: { id, open, url: remote?.url ?? null } },
  });

export type TicketChange = {
  -readonly [K in 'subject' | 'description' | 'status' | 'priority' | 'owner']?: TicketRow[K];
};

/**
 * Returns the events of a change, including the state of its problems if the ticket opens or
 * closes. Empty if nothing changes.
 */
export function makeTicketChange(
  row: TicketRow,
  by: TicketBy,
  to: TicketChange,
  problems: readonly ProblemN[],
): NewEvent[] {
  const changed = Object.fromEntries(
    Object.entries(to).filter(
      ([part, value]) =>
        value !== undefined &&
        JSON.stringify(value) !== JSON.stringify(row[part as keyof TicketChange]),
    ),
  ) as TicketChange;
  if (Object.keys(changed).length === 0) return [];
  const turned = changed.status !== undefined && changed.status.closed !== row.status.closed;
  return [
    ofTicket(row, { type: 'ticket.updated@1', data: { id: row.id, by, ...changed } }),
    ...(turned && problems.length > 0
      ? [state(row, !(changed.status as TicketStatus).closed, problems)]
      : []),
  ];
}

/**
 * TICKET-6: returns the events that make the ticket equal to the system's. The first time, its
 * problems get its number.
 */
export function take(
  row: TicketRow,
  said: RemoteTicket,
  problems: readonly ProblemN[],
): NewEvent[] {
  const remote = tidied(said, row);
  const link = { id: remote.id, number: remote.number, url: remote.url };
  const linked = { ...row, remote: link };
  const known = row.remote !== null && JSON.stringify(row.remote) === JSON.stringify(link);
  return [
    ...(known
      ? []
      : [
          ofTicket(row, { type: 'ticket.linked@1', data: { id: row.id, remote: link } }),
          ...tie(linked, !row.status.closed, problems),
        ]),
    ...makeTicketChange(
      linked,
      'system',
      {
        subject: remote.subject,
        status: remote.status,
        owner: remote.owner,
        priority: remote.priority,
      },
      problems,
    ),
  ];
}

/** Limits the system's values to what is stored, and fills in missing ones from our ticket. */
function tidied(
  { number, url, subject, status, owner, priority, ...rest }: RemoteTicket,
  row: TicketRow,
): RemoteTicket {
  return {
    ...rest,
    number: shortenTicketText(number, LIMITS.ticketChars) || rest.id,
    url: url !== null && /^https?:\/\//.test(url) ? url.slice(0, 2_000) : null,
    subject: shortenTicketText(subject.trim(), LIMITS.subjectChars).trim() || row.subject,
    status:
      status.id === ''
        ? { ...row.status, closed: status.closed }
        : { ...status, name: shortenTicketText(status.name) },
    owner: owner && { ...owner, name: shortenTicketText(owner.name) },
    priority: priority && { ...priority, name: shortenTicketText(priority.name) },
  };
}

export const removal = (row: TicketRow, problems: readonly ProblemN[]): NewEvent[] => [
  ofTicket(row, { type: 'ticket.deleted@1', data: { id: row.id } }),
  ...(problems.length === 0
    ? []
    : [
        ofProblems(row.company, problems, {
          type: 'problem.ticketSet@1',
          data: { problems: [...problems], ticket: null },
        }),
      ]),
];
export const making = (
  row: Omit<
    TicketRow,
    'remote' | 'madeBy' | 'madeAt' | 'changedAt' | 'closedAt' | 'closedBy' | 'deletedAt'
  >,
  problems: readonly ProblemN[],
): NewEvent[] => [
  ofTicket(row, { type: 'ticket.created@1', data: row }),
  ...tie({ ...row, remote: null }, true, problems),
];
