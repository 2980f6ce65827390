import { defineMessages } from '#contract/i18n/messages.ts';

/** Results that a system gives no reason for. */
export const connectionMessages = defineMessages('connectionResults', {
  stopped: 'The session was stopped.',
  disconnected: 'The backup proxy was disconnected during the session.',
  noReason: 'The server gave no reason.',
});
