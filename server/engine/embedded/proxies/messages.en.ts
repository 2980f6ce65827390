import { defineMessages } from '#contract/i18n/messages.ts';

/** Why work for a repository waits. */
export const proxyMessages = defineMessages('backup-proxies', {
  waitsForProxy: 'The proxy {name} is not available.',
  waitsForPool: 'No proxy of the pool {name} is available.',
  waitsForAny: 'No proxy that reaches the repository is available.',
});
