import { defineMessages } from '#contract/i18n/messages.ts';

export const hintBodyMessages = defineMessages('hintBody', {
  opensInNewTab: '(opens in a new tab)',
});
