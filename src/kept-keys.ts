/**
 * Local keys that several parts of the page know: where the administrator was who acts as another,
 * and whose first-run prompt was dismissed.
 */
export const ACTING_FROM = 'actingFrom';
export const PROMPT_DISMISSED = 'wizardPromptDismissed';
