import { defineMessages } from '#contract/i18n/messages.ts';

/** Columns of the exported event log, and refusals. */
export const providerMessages = defineMessages('providers-server', {
  number: 'Number',
  when: 'When ({zone})',
  whenUtc: 'When (UTC)',
  type: 'Type',
  entity: 'Entity',
  company: 'Company',
  actor: 'By',
  subject: 'On behalf of',
  asAnotherUser: 'As another user',
  data: 'Data',
  yes: 'Yes',
  no: 'No',
  hostNeeded: "A provider that isn't the default one needs a host name.",
});
