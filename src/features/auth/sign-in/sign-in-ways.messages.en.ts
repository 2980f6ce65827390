import { defineMessages } from '#contract/i18n/messages.ts';

export const signInWaysMessages = defineMessages('signInWays', {
  signInWithPasskey: 'Sign in with a passkey',
  help: 'Sign-in help',
  forgotPassword: 'Forgot password',
  unlockAccount: 'Unlock account',
  portalPasswordInstead: 'Use a portal password',
  directoryInstead: 'Use a directory password',
  noPasskeyUsed: 'No passkey was used. Try again, or sign in another way.',
  signInWith: 'Sign in with {service}',
});
