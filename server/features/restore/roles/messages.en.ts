import { defineMessages } from '#contract/i18n/messages.ts';

/** Refusals of changes to restore-operator roles. */
export const restoreRoleMessages = defineMessages('restore-role-calls', {
  nameTaken: 'This name is already in use.',
  noItems: 'Select at least one item.',
  unknownItem: "The directory of the organization doesn't have this item. Choose another one.",
  bothLists: 'An item is selected and excluded.',
  downloadNeedsReading: "Operators who can't read content can't download it.",
  rolesFull: "You've reached the limit of {max} roles. Delete one to add another.",
});
