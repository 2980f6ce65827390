import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails about results for which a rule notifies users. */
export const ruleMailMessages = defineMessages('rule-mail', {
  oneSubject: '{state}: {job}',
  subject: '{count, plural, one {# result} other {# results}} matched your rules',
  result: '{state}: {job}, {company}',
  resultOnComputer: '{state}: {job} on {computer}, {company}',
  started: 'Started {when}. Rule: {rule}',
  more: 'and {count, number} more',
  asOf: 'As of {when}. A rule notifies you once about each problem.',
});
