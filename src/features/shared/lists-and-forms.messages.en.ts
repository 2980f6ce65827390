import { defineMessages } from '#contract/i18n/messages.ts';

export const peopleMessages = defineMessages('people', {
  discardChanges: 'Discard changes',
  leaveTitle: 'Leave without saving?',
  keepEditing: 'Keep editing',
  unsavedChanges: 'You have unsaved changes.',
  searchByName: 'Search by name',
  textDiffers: "The text doesn't match.",
  typeExactly: 'Type {text} to confirm.',
  personWithUsername: '{name} ({username})',
});
