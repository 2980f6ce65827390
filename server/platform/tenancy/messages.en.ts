import { defineMessages } from '#contract/i18n/messages.ts';

/** Who did something, where no user can be named. */
export const actorMessages = defineMessages('actors', {
  formerUser: 'Former user',
  source: 'Source',
  sourceNamed: 'Source {name}',
  rule: 'Rule “{name}”',
  system: 'System',
});
