/**
 * Local storage keys that several parts of the page use: where an impersonation started, and who
 * dismissed the first-run prompt.
 */
export const ACTING_FROM = 'actingFrom';
export const PROMPT_DISMISSED = 'wizardPromptDismissed';
