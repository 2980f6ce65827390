import { defineMessages } from '#contract/i18n/messages.ts';

export const ticketFieldMessages = defineMessages('ticketFields', {
  subject: 'Subject',
  description: 'Description',
  status: 'Status',
  priority: 'Priority',
  noPriorityOption: 'None',
  owner: 'Owner',
  nobody: 'Nobody',
  newSubject: '{state}: {job}',
  newSubjectComputer: '{state}: {job} on {computer}',
  newSubjectMany:
    '{count, plural, one {# backup needs attention} other {# backups need attention}}',
});
