import { defineMessages } from '../i18n/messages.ts';

/**
 * What any page may have to say, the one for signing in too. Small: it comes with the first load.
 */
export const BASE = defineMessages('base', {
  sessionExpired: 'Your session has expired. Please log in again to continue.',
  signedOut: 'Please log in to continue.',
  loginFailed: 'Error while logging in',
  wrongCredentials: 'The username or password is not valid.',
  tooManyTries: 'Too many attempts. Wait a moment and try again.',
  noAnswer: 'No response received from server. Try again later.',
  badRequest: 'Error setting up the request. Try again later.',
  badInput: 'Some of what was sent is not valid.',
  forbidden: 'You do not have access to this page.',
  notFound: 'There is no such record.',
  noSuchCall: 'There is no such address.',
  pageNotFound: 'The page you requested could not be found.',
  tooLarge: 'The request is larger than allowed.',
  keyReused: 'This command was sent before with other content.',
  outOfOrder: 'A command of this device is missing before this one.',
  updateNeeded:
    'This page is older than the server. Reload it to continue. Your unsent changes are saved.',
  chunk: 'Part of this page did not load. Reload it to continue. Your changes are saved.',
  tooMany: 'Too many requests. Wait a moment and try again.',
  busy: 'The server is busy. Try again in a moment.',
  outOfSpace: 'The server is out of disk space. Try again later.',
  outOfSpaceQueued:
    'The server is out of disk space. Your changes are saved on this device and will be sent later.',
  outcomeUnknown:
    'The server lost its database while saving. Check whether the change was made before you try again.',
  badAnswer: 'The server does not answer properly. Try again in a moment.',
  serverFault: 'Something went wrong on the server. It has been logged.',
  needsNetwork: 'This needs the network. Connect and try again.',
  signInNeedsNetwork: 'Signing in needs the network. Connect and try again.',
  storage: 'This device could not keep the change. Free some space and try again.',
  getLastSync: 'Error while trying to get the last sync, try again later.',
  linkCopied: 'Link copied to clipboard',
});
