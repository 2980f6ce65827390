import { defineMessages } from '#contract/i18n/messages.ts';

export const multiSelectMessages = defineMessages('multiSelect', {
  addAnother: 'Add another',
  chosen: '{label}, selected',
  deletedItem: 'Deleted',
});
