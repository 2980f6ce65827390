import { defineMessages } from '#contract/i18n/messages.ts';

export const pointMessages = defineMessages('restorePoints', {
  day: 'Day',
  point: 'Restore point',
  earlier: 'Earlier restore point',
  later: 'Later restore point',
  earlierDays: 'Earlier days',
  laterDays: 'Later days',
  slider: 'Restore point',
  summary:
    '{count, plural, =0 {No restore points} one {# restore point} other {# restore points}} in 30 days',
  gaps: 'none on {days}',
  warnings: 'warnings on {days}',
  moreDays: '{days} and {count, plural, one {# more day} other {# more days}}',
  today: 'Today',
  tickMany: '{count} restore points, newest {when}',
  tickChanges: '{label}, {changes, plural, one {# change} other {# changes}}',
  valueWarning: '{when}, with warnings',
  noPoint: 'No restore point on {day}',
  earlierFailed: 'The restore points of these days could not be loaded. {reason}',
  loading: 'Loading restore points…',
});
