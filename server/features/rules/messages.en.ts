import { defineMessages } from '#contract/i18n/messages.ts';

export const ruleMessages = defineMessages('rules-server', {
  ruleOrOrder: 'Enter an ID and a rule, or an order.',
});
