import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails of SLA alarms. */
export const slaMailMessages = defineMessages('sla-mail', {
  missedSubject: 'Target missed: SLA alarm {alarm}',
  recoveredSubject: 'Recovered: SLA alarm {alarm}',
  missed: 'The SLA alarm {alarm} missed its target.',
  recovered: 'The SLA alarm {alarm} meets its target again.',
  share: '{share} of the results in the last {days, plural, one {# day} other {# days}} were good.',
  shareWithTarget:
    '{share} of the results in the last {days, plural, one {# day} other {# days}} were good. The target is {target}.',
  late: 'Jobs without a good backup in the last {hours, plural, one {# hour} other {# hours}}:',
  job: '{company}: {job}',
  jobOnComputer: '{company}: {job} on {computer}',
  lastBackup: '{job}, last good backup {when}',
  noBackup: '{job}, no good backup yet',
  more: 'and {count, number} more',
  asOf: 'As of {when}. You get an email when the alarm misses its target and when it recovers.',
});
