import { defineMessages } from '#contract/i18n/messages.ts';

export const directoryPickerMessages = defineMessages('directoryPicker', {
  kinds: 'Kinds of items',
  users: 'Users',
  groups: 'Groups',
  teams: 'Teams',
  sites: 'Sites',
  searchItems: 'Search by name or address',
  matches: '{count} of {total}',
  loadingItems: 'Loading {count}…',
  noItems: 'None in this organization',
  selectAll: 'Select all {count}',
  clearAll: 'Clear all {count}',
  chosen: 'Selected',
  chosenCount: '{count, plural, =0 {No items} one {# item} other {# items}}',
  chosenNone: 'Nothing selected',
  chosenFirst: 'and {count} more',
  allSites: 'All sites',
  offlineItems: "You're offline. Reconnect to choose items.",
});
