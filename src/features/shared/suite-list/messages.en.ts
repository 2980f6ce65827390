import { defineMessages } from '#contract/i18n/messages.ts';

export const suiteListMessages = defineMessages('suiteList', {
  offline: "You're offline. This list is from {when}.",
  offlineEmpty: "You're offline. This device has no data yet.",
  noMatches: 'No matches',
  noMatchesHint: 'Nothing in this list matches your search.',
  showAll: 'Show all',
  showMore: 'Show {count} more',
  gone: 'Not found',
  goneHint: 'It was deleted, or you no longer have access to it.',
});
