import { defineMessages } from '#contract/i18n/messages.ts';

/** What the demo prints for the operator. */
export const demoMessages = defineMessages('demo', {
  demoProgress:
    'Creating the history of {provider}: {days, number} of {of, plural, one {# day} other {# days}}, {runs, plural, one {# result} other {# results}}',
  demoPassword: 'password of all users: {password}',
  demoPasswordShown: 'The password is the one from the first start.',
  demoCompany: '{roles}, {company} only',
  otherDemo:
    'It has the demo size {held}. Start with --estate {held}, or set DAYBOOK_DATA to another folder for --estate {asked}.',
  mailJob: 'Mail of all people',
  filesJob: 'Files of all people',
  sitesJob: 'All sites',
  teamsJob: 'All teams',
  personJob: 'Mail of {name}',
});
