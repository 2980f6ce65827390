import { defineMessages } from '#contract/i18n/messages.ts';

/** What Daybook says of a server, and of sessions that it gives no reason for. */
export const vb365Messages = defineMessages('vb365', {
  noVersion:
    '{host} has neither version 8 nor version 7 of the REST API of Veeam Backup for Microsoft 365.',
  missing: '{host} does not have this.',
  stopped: 'The session was stopped.',
  disconnected: 'The backup proxy was disconnected during the session.',
  noReason: 'The server gave no reason.',
});
