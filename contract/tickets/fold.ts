import type { UserId } from '../ids.ts';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

/**
 * Folds events of tickets. The ticket that a problem shows comes from events of the problem.
 */
export function foldTickets(
  rows: Rows,
  { event, at, actor, subject: inName }: LoggedAbout<'ticket'>,
): void {
  if (event.type === 'ticket.created@1') {
    const madeBy = inName ?? ((actor.kind === 'clock' ? 'clock' : actor.id) as UserId);
    rows.ticket?.set(event.data.id, {
      ...event.data,
      remote: null,
      madeBy,
      madeAt: at,
      changedAt: at,
      closedAt: null,
      closedBy: null,
      deletedAt: null,
    });
    return;
  }
  const row = rows.ticket?.get(event.data.id);
  if (!row) return;
  switch (event.type) {
    case 'ticket.updated@1': {
      const {
        by,
        subject = row.subject,
        description = row.description,
        status = row.status,
        priority = row.priority,
        owner = row.owner,
      } = event.data;
      const over =
        status.closed === row.status.closed
          ? {}
          : status.closed
            ? { closedAt: at, closedBy: by }
            : { closedAt: null, closedBy: null };
      rows.ticket?.set(row.id, {
        ...row,
        subject,
        description,
        status,
        priority,
        owner,
        ...over,
        changedAt: at,
      });
      return;
    }
    case 'ticket.linked@1':
      rows.ticket?.set(row.id, { ...row, remote: event.data.remote, changedAt: at });
      return;
    case 'ticket.deleted@1':
      rows.ticket?.set(row.id, { ...row, deletedAt: at, changedAt: at });
      return;
  }
}

export const touchesTickets = ({ data }: EventOf<EventsAbout<'ticket'>>): Touch[] => [
  ['ticket', data.id],
];
