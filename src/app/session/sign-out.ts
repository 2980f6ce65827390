import { writeStored } from './browser-storage.ts';
import { IMPERSONATED_FROM, PROMPT_DISMISSED } from './storage-keys.ts';
import { forgetClicks } from './single-sign-on.ts';

/** Deletes what this browser stores about a user outside the worker's data. Called at sign-out. */
export function forgetUser(): void {
  forgetClicks();
  writeStored(IMPERSONATED_FROM, null);
  writeStored(PROMPT_DISMISSED, null);
  void import('../push-subscription.ts').then(({ endPush }) => endPush()).catch(() => {});
}
