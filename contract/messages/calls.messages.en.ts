import { defineMessages } from '../i18n/messages.ts';

/** Failures of calls that the page shows only after the sign-in. */
export const CALL_FAILURES = defineMessages('commonFailures', {
  noSuchCall: "This address doesn't exist.",
  tooLarge: 'The request is larger than allowed.',
  keyReused: 'This command was already sent with different content.',
  outOfOrder: 'An earlier command from this device is missing.',
  outOfSpaceQueued:
    'The server is out of disk space. Your changes are saved on this device and sent later.',
  outcomeUnknown: 'The server lost its database while saving. Check whether the change was saved.',
  getLastSync: 'Error while trying to get the last sync, try again later.',
});
