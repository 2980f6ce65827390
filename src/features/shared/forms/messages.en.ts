import { defineMessages } from '#contract/i18n/messages.ts';

export const formMessages = defineMessages('forms', {
  discardChanges: 'Discard changes',
  searchByName: 'Search by name',
  textDiffers: "The text doesn't match.",
  typeExactly: 'Type {text} to confirm.',
  personWithUsername: '{name} ({username})',
});
