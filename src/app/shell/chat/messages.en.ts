import { defineMessages } from '#contract/i18n/messages.ts';

export const chatMessages = defineMessages('chat', {
  chat: 'Chat',
  withSupport: 'Chat with support',
  close: 'Close chat',
  opening: 'Opening chat…',
  blocked: "The chat couldn't be loaded. A filter in your browser or network may block it.",
});
