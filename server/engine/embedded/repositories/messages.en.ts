import { defineMessages } from '#contract/i18n/messages.ts';

/** Why the restore points of a repository can't be written again. */
export const rewriteMessages = defineMessages('engine-repositories', {
  unknownNode: 'A folder of the repository contains an entry of an unknown kind.',
  descriptionMissing: 'A restore point lacks its description.',
});
