import { defineMessages } from '#contract/i18n/messages.ts';

export const deviceCodeMessages = defineMessages('deviceCode', {
  permissions: 'Requested permissions',
  requestCode: 'Get a code',
  requesting: 'Getting a code…',
  code: 'Code',
  copyCode: 'Copy code',
  codeCopied: 'Code copied',
  openPage: 'Open the sign-in page',
  timeLeft: 'Valid for {time}',
  waiting: 'Waiting for the sign-in. This page continues automatically.',
  checkDelayed: "Can't reach the server. Retrying automatically. The code stays valid.",
  declined: 'The sign-in was declined. Get another code to try again.',
  expired: 'The code expired before anyone signed in. Get another code to try again.',
  anotherCode: 'Get another code',
});
