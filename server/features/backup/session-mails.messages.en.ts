import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails about the sessions of a backup job. */
export const sessionMailMessages = defineMessages('backup-session-mails', {
  success: 'Backup succeeded: {job} of {organization}',
  warning: 'Backup ended with warnings: {job} of {organization}',
  failed: 'Backup failed: {job} of {organization}',
  cancelled: 'Backup stopped: {job} of {organization}',
  company: 'Company: {company}',
  started: 'Started: {when}',
  ended: 'Ended: {when}',
  objects: 'Backed up: {done} of {count, plural, one {# object} other {# objects}}',
  more: '{count, plural, one {# more} other {# more}}',
  why: 'You receive this email because you are a recipient of the job {job}.',
});
