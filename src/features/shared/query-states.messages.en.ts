import { defineMessages } from '#contract/i18n/messages.ts';

export const queryStateMessages = defineMessages('queryStates', {
  notOnDevice: 'These days are not on this device. {reason}',
  dataFrom: 'The data below is from {when}.',
  ownData: 'The data below is from this device.',
  none: 'No results in this period',
  noneFiltered: 'No jobs with these companies, sources, and types have results on these days.',
  noneAtAll: 'No jobs reported on these days.',
  showLast30Days: 'Show last 30 days',
  clearFilters: 'Clear filters',
});
