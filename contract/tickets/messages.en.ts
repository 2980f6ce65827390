import { defineMessages } from '../i18n/messages.ts';

/** Statuses and priorities of tickets without a ticketing system. */
export const ownTicketMessages = defineMessages('ownTickets', {
  portal: 'Portal',
  new: 'New',
  inProgress: 'In progress',
  waiting: 'Waiting',
  closed: 'Closed',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
});
