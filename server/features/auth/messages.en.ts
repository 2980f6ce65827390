import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails and text messages about sign-in and accounts. Each text of an email is a paragraph. */
export const authMailMessages = defineMessages('auth-mail', {
  notYou: "If this wasn't you, tell your administrator immediately.",
  passwordSubject: 'Your password at {portal} was changed',
  passwordChanged:
    'The password of your account at {portal} was changed. You are signed out everywhere else.',
  emailSubject: 'Your email address at {portal} was changed',
  emailChanged:
    'The email address of your account at {portal} was changed. We now write to the new address.',
  phoneSubject: 'Your phone number at {portal} was changed',
  phoneChanged:
    'A phone number of your account at {portal} was changed. We now send codes to the new number.',
  usernameSubject: 'Your username at {portal} was changed',
  usernameChanged: 'The username of your account at {portal} was changed.',
  questionsSubject: 'Your security questions at {portal} were changed',
  questionsChanged: 'The security questions of your account at {portal} were changed.',
  unlockedSubject: 'Your account at {portal} was unlocked',
  unlocked: 'Your account at {portal} was unlocked with a code that we sent you.',
  linkSubject: 'Choose a new password for {portal}',
  link: 'Someone requested a new password for your account at {portal}. Choose it within 15 minutes:',
  linkIgnore:
    "The link works once. If you didn't request it, ignore this email and your password stays the same.",
  codeSubject: 'Your code for {portal}',
  code: "{code} is your code for {portal}. It expires after five minutes. Don't share it with anyone.",
  codeIgnore: "If you didn't request it, ignore this email and nothing changes.",
  signInCode:
    "{code} is your code to sign in to {portal}. It expires after five minutes. Don't share it with anyone.",
  confirmCode:
    "{code} is your code to confirm a change at {portal}. It expires after five minutes. Don't share it with anyone.",
  codeElsewhere:
    "{portal}: someone requested sign-in codes for your account at another number. If this wasn't you, tell your administrator.",

  accountSubject: 'Your account at {portal}',
  totpAdded: 'An authenticator app was added to your account.',
  totpRemoved: 'The authenticator app was removed from your account.',
  passkeyAdded: 'A passkey was added to your account.',
  passkeyRemoved: 'A passkey was removed from your account.',
  smsAdded: 'Codes by text message were turned on for your account.',
  smsRemoved: 'Codes by text message were turned off for your account.',
  recoveryCodesCreated:
    'New recovery codes were created for your account. The previous codes no longer work.',
  recoveryCodeUsed: 'A recovery code was used to sign in to your account.',
  phoneSet: 'A mobile number for sign-in codes was added to your account.',
  phoneRequested:
    'Someone who knows your password requested sign-in codes at another mobile number.',
  notYouFactors: "If this wasn't you, sign in, change your password, and end your other sessions.",
  apiKeyCreated:
    'You created the API key "{name}". Programs with this key act as you until it expires or you revoke it.',

  directoryGone:
    'Your account no longer exists in the directory. {keys, select, yes {We ended its sessions and revoked its API keys.} other {We ended its sessions.}}',
  directoryDisabled:
    'Your account is disabled or expired in the directory. {keys, select, yes {We ended its sessions and revoked its API keys.} other {We ended its sessions.}}',
  directoryWrong: "If this isn't right, contact the administrator of your directory.",
});

/** What is wrong with a field, or how a directory refused. */
export const authMessages = defineMessages('auth-server', {
  timeZoneExpected: 'Enter a time zone of the IANA list, such as Europe/Berlin.',
  usernameExpected: 'Enter a username.',
  directoryLocked: 'The account is locked.',
  directoryTimeout: "The directory didn't respond in time.",
  directoryRefused: 'The directory refused the password.',
});

/** Refusals of sign-ins of restore operators. */
export const operatorSignInMessages = defineMessages('operator-sign-in', {
  noOperators: 'This portal has no restore operators yet.',
  noOperator: "Your Microsoft account isn't a restore operator of this portal.",
});
