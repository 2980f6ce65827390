/**
 * Local storage keys that several parts of the page use: where an impersonation started, who
 * dismissed the first-run prompt, the language of the last session, and the language that a
 * developer forces.
 */
export const IMPERSONATED_FROM = 'impersonatedFrom';
export const PROMPT_DISMISSED = 'wizardPromptDismissed';
export const LANGUAGE = 'portalLanguage';
export const FORCED_LANGUAGE = 'language';
