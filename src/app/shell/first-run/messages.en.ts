import { defineMessages } from '#contract/i18n/messages.ts';

export const firstRunMessages = defineMessages('firstRun', {
  getStarted: 'Get started',
  connectSource: 'Connect a source',
  startWithOrganization: 'Please start by creating a new Organization',
  newOrganization: 'New organization',
  createFirstJob: 'Please create a new Job under your Organization',
  newJob: 'New job',
});
