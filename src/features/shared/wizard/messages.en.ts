import { defineMessages } from '#contract/i18n/messages.ts';

export const wizardMessages = defineMessages('wizard', {
  steps: 'Steps',
  closeKeepDraft: 'Close, keep draft',
  next: 'Next: {step}',
  stepOf: 'Step {step} of {count}',
  stepInError: 'Has an error',
  stepDone: 'Step is complete',
  stepAhead: 'Not open yet',
  draftStored: 'Draft saved on this device.',
  draftUnstored: "This draft couldn't be saved on this device. Finish before you close the page.",
  restored: 'You continue from your draft. Drafts contain no passwords and no codes.',
  laterStep: 'Complete this step before you open a later one.',
  startOver: 'Start over',
  offline: "You're offline. The draft stays on this device; reconnect to save.",
});
