import { defineMessages } from '#contract/i18n/messages.ts';

export const handOverMessages = defineMessages('handOver', {
  queuedOffline: "Handed over. It will be sent when you're back online.",
  queuedServerTrouble: 'Handed over. It will be sent when the server responds.',
  handedOver: 'Handed over',
  handOver: 'Hand over',
  past: 'Past handovers',
  comment: 'Comment for the next shift',
  commentHint: 'Includes a link to the current list.',
  reviewed: 'Reviewed',
  toCheck: 'To check',
  snoozed: 'Snoozed',
  showAllOpen: 'Show all open problems',
  openByCompany: 'To check, by company',
  endingSnoozes: 'Snoozes that end within a day',
  none: 'No handovers yet',
  noneHint:
    'A handover tells the next shift what is done and what is open. Create one in daily checks.',
  handOvers: 'Handovers',
  unknownUser: 'Unknown user',
  openList: 'Open their list',
  region: 'Handover',
  dismiss: 'Dismiss handover',

  since: 'Since {time}.',
  ofTotal: 'of {total}',
  newCount: '{count} new',
  noneEnding: 'none ends within a day',
  endingCount: '{count, plural, one {# ends} other {# end}} within a day',
  problemCount: '{count, plural, one {# problem} other {# problems}}',
  jobOfCompany: '{job}, {company}',
  andMore: 'and {count} more',
  showMore: 'Show {count} more',
  companyNumber: 'Company {id}',
  companyProblems: '{company} {count}',
  summary:
    '{cleared} of {total} reviewed, {open, plural, one {# problem} other {# problems}} to check, {snoozed} snoozed',
  summaryWithEnding:
    '{summary}, {ending, plural, one {# snooze ends} other {# snoozes end}} within a day',
  companiesAndMore:
    '{companies} and {count, plural, one {# more company} other {# more companies}}',
  sinceLast: 'Since the last handover at {time}: {fresh} new, {open} still open.',
  sinceLastBy: 'Since the last handover by {name} at {time}: {fresh} new, {open} still open.',
  unlistedReason: 'Unlisted problems are older than its days, filtered out, or running again.',
  noneListed: 'None of them is in this list.',
  someUnlisted: '{count, plural, one {# of them is} other {# of them are}} not in this list.',
  allUnlisted:
    '{count, plural, one {The one problem to check is} other {All # problems to check are}} not in this list.',
  partUnlisted:
    '{count} of {total} problems to check {count, plural, one {is} other {are}} not in this list.',
});
