import { defineMessages } from '../i18n/messages.ts';

/** What the page can add to a support request. */
export const supportContextMessages = defineMessages('supportContext', {
  page: 'Page',
  errors: 'Last errors',
  sync: 'Sync',
  version: 'Version',
  browser: 'Browser',
});
