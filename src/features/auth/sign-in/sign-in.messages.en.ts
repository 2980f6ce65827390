import { defineMessages } from '#contract/i18n/messages.ts';

/** The sign-in page is part of the first load, so this catalog contains no other texts. */
export const signInMessages = defineMessages('signIn', {
  title: 'Sign in',
  useAccount: 'Use your {provider} account.',
  usePortalPassword: 'Use your {provider} password.',
  username: 'Username',
  usernameMissing: 'Enter your username.',
  password: 'Password',
  passwordMissing: 'Enter your password.',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  remember: 'Remember this computer',
  rememberHint: 'Skip SMS codes here for 30 days.',
  signingIn: 'Signing in…',
  inSeconds: 'in {seconds} s',
  inMinutes: 'in {minutes}:{seconds}',
  tryAgain: 'Try again {when}',
  canTryAgain: 'You can try again {when}.',
});
