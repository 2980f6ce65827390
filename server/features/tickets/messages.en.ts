import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a ticket waits, and the result of testing a ticketing system. */
export const ticketMessages = defineMessages('tickets-server', {
  notConnected: "The ticketing system isn't fully set up.",
  noBoard: 'Select a board first.',
  noSystem: 'No ticketing system is connected.',
  problemsOrRuns: 'Enter problems or runs, not both.',
  keysRefused: "{system} didn't accept the keys.",
  missing: "{system} doesn't have this.",
  busy: '{system} is receiving too many requests. Try again later.',
  unavailable: "{system} isn't available ({status}).",
  refused: '{system} refused the request ({status}).',
  refusedWith: '{system} refused the request ({status}): {message}',
  badResponse: '{system} sent an unexpected response.',
  foreignZone: 'Autotask sent the address of another server for its zone.',
  foreignPage: 'Autotask sent the address of another server for the next page.',
  noServiceDeskRole: 'The owner has no service desk role in Autotask.',
  boards:
    '{system} answered: {boards, plural, one {# board} other {# boards}}, {statuses, plural, one {# status} other {# statuses}}.',
  queues:
    '{system} answered: {boards, plural, one {# queue} other {# queues}}, {statuses, plural, one {# status} other {# statuses}}.',
});
