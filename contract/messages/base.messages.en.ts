import { defineMessages } from '../i18n/messages.ts';

/**
 * Failures that can occur on any page, including sign-in. Small, because it is part of the first
 * load.
 */
export const BASE = defineMessages('base', {
  sessionExpired: 'Your session has expired. Please log in again to continue.',
  signedOut: 'Sign in to continue.',
  loginFailed: 'Error while logging in',
  wrongCredentials: 'The username or password is not valid.',
  tooManyTries: 'Too many attempts. Wait a moment and try again.',
  noAnswer: 'No response received from server. Try again later.',
  badRequest: 'Error setting up the request. Try again later.',
  badInput: "Some fields aren't valid.",
  forbidden: "You don't have access to this page.",
  notFound: "This item doesn't exist.",
  pageNotFound: 'The page you requested could not be found.',
  updateNeeded:
    'This page is older than the server. Reload it to continue. Your unsent changes are saved.',
  chunk: "Part of this page didn't load. Reload it to continue. Your changes are saved.",
  tooMany: 'Too many requests. Wait a moment and try again.',
  busy: 'The server is busy. Try again in a moment.',
  outOfSpace: 'The server is out of disk space. Try again later.',
  badAnswer: "The server's response isn't valid. Try again in a moment.",
  serverError: "Something went wrong on the server. We've logged the error.",
  needsNetwork: "You're offline. Reconnect and try again.",
  signInNeedsNetwork: "You're offline. Reconnect to sign in.",
  storage: "The change couldn't be saved on this device. Free up some space and try again.",
  linkCopied: 'Link copied to clipboard',
});
