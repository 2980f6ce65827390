import { defineMessages } from '#contract/i18n/messages.ts';

export const unsavedMessages = defineMessages('unsaved', {
  title: 'Leave without saving?',
  discard: 'Discard changes',
  keepEditing: 'Keep editing',
  unsaved: 'You have unsaved changes.',
});
