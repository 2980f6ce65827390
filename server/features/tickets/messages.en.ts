import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a ticket waits, and the result of testing a ticketing system. */
export const ticketMessages = defineMessages('tickets-server', {
  notConnected: "The ticketing system isn't fully set up.",
  noBoard: 'Select a board first.',
  noSystem: 'No ticketing system is connected.',
  problemsOrRuns: 'Enter problems or runs, not both.',
  boards:
    '{system} answered: {boards, plural, one {# board} other {# boards}}, {statuses, plural, one {# status} other {# statuses}}.',
  queues:
    '{system} answered: {boards, plural, one {# queue} other {# queues}}, {statuses, plural, one {# status} other {# statuses}}.',
});
