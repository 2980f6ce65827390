import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a repository couldn't be attached, and the reason of the exclusions that were adopted. */
export const attachMessages = defineMessages('engine-attach', {
  ended: 'Attaching the repository was interrupted.',
  takenOver: 'Taken over from a repository that was attached.',
  descriptionUnreadable: 'The description of a restore point is unreadable.',
});
