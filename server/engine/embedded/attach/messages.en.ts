import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a repository couldn't be attached. */
export const attachMessages = defineMessages('engine-attach', {
  ended: 'Attaching the repository was interrupted.',
  descriptionUnreadable: 'The description of a restore point is unreadable.',
});
