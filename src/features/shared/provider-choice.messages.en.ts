import { defineMessages } from '#contract/i18n/messages.ts';

export const providerChoiceMessages = defineMessages('providerChoice', {
  provider: 'Provider',
  thisPortal: '{name} (this portal)',
  unknownProvider: 'Unknown provider',
});
