import { defineMessages } from '#contract/i18n/messages.ts';

export const reauthMessages = defineMessages('reauth', {
  title: 'Confirm your identity',
  explanation:
    "This action requires a recent sign-in. You won't have to confirm again for five minutes.",
  noMethod:
    'You have no way to confirm your identity. Log out and sign in again, then make the change within five minutes.',
  password: 'Password',
  passwordMissing: 'Enter your password.',
  smsFollows: 'Next, you receive a code by SMS.',
  authenticatorCode: 'Authenticator code',
  authenticatorHint: 'Six digits, new every 30 seconds',
  smsCode: 'SMS code',
  smsHint: 'Six digits, sent to {phone}. Valid for five minutes.',
  recoveryCode: 'Recovery code',
  recoveryHint: 'Each code works once.',
  codeMissing: 'Enter the code.',
  passkeyPrompt: 'Your browser asks for your passkey.',
  passkeyUnused: "The passkey wasn't used. Try again or choose another method.",
  confirm: 'Confirm',
  sendCode: 'Send code',
  sendAnotherCode: 'Send another code',
  tryAgainIn: 'Try again in {seconds} s',
  byPasskey: 'Use passkey',
  byAuthenticator: 'Use authenticator',
  byRecoveryCode: 'Use recovery code',
  byPassword: 'Use password',
  bySms: 'Use SMS code',
});
