import { defineMessages } from '#contract/i18n/messages.ts';

export const estimateMessages = defineMessages('restoreEstimate', {
  estimating: 'Estimating the duration…',
  unknown: 'The duration could not be estimated. {message}',
  takes: 'Takes {duration}.',
  aMinute: 'about a minute or less',
  minutes: 'about {count, plural, one {# minute} other {# minutes}}',
  hours: 'about {count, plural, one {# hour} other {# hours}}',
  days: 'about {count, plural, one {# day} other {# days}}',
  bySpeed:
    'Assumes four parallel requests of 0.3 seconds each, because no recent restore of this organization was measured.',
  byRestores:
    'Assumes the speed of {count, plural, one {the last restore} other {the last # restores}} of this organization.',
  byUpload:
    'Microsoft 365 takes 150 MB in 5 minutes for each mailbox. Assumes that nothing else uploads to it.',
  byRequests:
    'Assumes that only this restore sends requests. Microsoft 365 allows 10,000 in 10 minutes for a mailbox and 4 per second for a team.',
  byThrottling: 'Assumes that Microsoft 365 limits this organization as much as now.',
});
