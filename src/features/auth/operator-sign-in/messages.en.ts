import { defineMessages } from '#contract/i18n/messages.ts';

export const operatorSignInMessages = defineMessages('operatorSignIn', {
  title: 'Restore data',
  description: 'Restore mail, files and sites of Microsoft 365.',
  microsoft: 'Sign in with Microsoft',
  microsoftLead:
    'Get a code, and enter it on the Microsoft page. Sign in there with your own account.',
  permission: 'See who you are',
  permissionNote: 'Nothing else is read with your account.',
  signingIn: 'Signing you in…',
  portal: 'Sign in with a portal account',
});
