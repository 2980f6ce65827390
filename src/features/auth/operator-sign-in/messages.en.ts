import { defineMessages } from '#contract/i18n/messages.ts';

export const operatorSignInMessages = defineMessages('operatorSignIn', {
  title: 'Restore data',
  description: 'Restore mail, files and sites of Microsoft 365.',
  microsoft: 'Sign in with Microsoft',
  openMicrosoft: 'Continue to Microsoft',
  openMicrosoftNote: 'Sign in on the Microsoft page with your own account.',
  codeInstead: 'Use a code instead',
  microsoftLead:
    'Get a code, and enter it on the Microsoft page. Sign in there with your own account.',
  permission: 'See who you are',
  permissionNote: 'Nothing else is read with your account.',
  signingIn: 'Signing you in…',
  portal: 'Sign in with a portal account',
  off: "This portal doesn't offer this sign-in. Use a code.",
  often: 'Too many attempts. Try again in a minute.',
  denied: 'The sign-in was canceled, or your organization must allow the application first.',
  over: 'The sign-in took too long or began in another browser. Try again.',
  failed: "Microsoft didn't confirm the sign-in. Try again, or use a code.",
  unreachable: "Microsoft can't be reached. Try again later.",
  noOperator: "Your Microsoft account isn't a restore operator of this portal.",
});
