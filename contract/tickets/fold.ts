import type { Event, EventOf, Logged } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';

type OfDesk = EventOf<
  'ticket.made@1' | 'ticket.changed@1' | 'ticket.linked@1' | 'ticket.deleted@1'
>;
const isDesk = (event: Event): event is OfDesk => event.type.startsWith('ticket.');

/**
 * Folds events of tickets. The ticket that a problem shows comes from events of the problem.
 * Returns whether the event was a ticket event.
 */
export function foldDesk(rows: Rows, { event, at, actor, subject: inName }: Logged): boolean {
  if (!isDesk(event)) return false;
  if (event.type === 'ticket.made@1') {
    const madeBy = inName ?? (actor.is === 'clock' ? 'clock' : actor.id);
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
    return true;
  }
  const row = rows.ticket?.get(event.data.id);
  if (!row) return true;
  switch (event.type) {
    case 'ticket.changed@1': {
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
      return true;
    }
    case 'ticket.linked@1':
      rows.ticket?.set(row.id, { ...row, remote: event.data.remote, changedAt: at });
      return true;
    case 'ticket.deleted@1':
      rows.ticket?.set(row.id, { ...row, deletedAt: at, changedAt: at });
      return true;
  }
}

export const touchesDesk = (event: Event): Touch[] =>
  isDesk(event) ? [['ticket', event.data.id]] : [];
