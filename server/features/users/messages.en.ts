import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails about accounts that an administrator creates or changes. Each text is a paragraph. */
export const userMailMessages = defineMessages('user-mail', {
  accountSubject: 'Your account at {portal}',
  accountCreated: 'You now have an account at {portal}. Choose your password within seven days:',
  hello: 'Hello,',
  helloName: 'Hello {name},',
  linkOnce: "The link works once. If you didn't expect this email, you can ignore it.",
  invitationSubject: 'Invitation to {portal}',
  invitation: 'Someone invited you to {portal}. Register within seven days:',
  notIntended: "If you didn't expect this, tell your administrator.",
  emailSubject: 'Your email address at {portal} was changed',
  emailChanged:
    'An administrator changed the email address of your account at {portal}. We now write to the new address.',
  usernameSubject: 'Your username at {portal} was changed',
  usernameChanged:
    'An administrator changed the username of your account at {portal}. From now on, sign in as {username}.',
  passwordSubject: 'Your password at {portal} was changed',
  passwordChanged: 'An administrator set a new password for your account at {portal}.',
  signedOutPassword:
    'You are signed out everywhere. Choose your own password the next time you sign in.',
  factorsSubject: 'Two-factor authentication at {portal} was reset',
  factorsReset:
    'An administrator removed the authenticator app, passkeys, and recovery codes of your account at {portal}.',
  signedOutFactors: 'You are signed out everywhere. Set up new ones after you sign in again.',
  smsOnSubject: 'Codes by text message at {portal} were turned on',
  smsOn:
    'An administrator turned on codes by text message for your account at {portal}. You need one the next time you sign in.',
  smsOffSubject: 'Codes by text message at {portal} were turned off',
  smsOff:
    'An administrator turned off codes by text message for your account at {portal}. You no longer need them, unless your provider requires them.',
});

/** Refusals of changes to users, and the columns of exported files. */
export const userMessages = defineMessages('users-server', {
  passwordOrInvitation: 'Enter a first password, or invite the user by email.',
  passwordInDirectory: "This user's password is in the directory.",
  notInDirectory: "This user doesn't sign in with the directory.",
  phoneMissing: 'Enter a mobile phone number to use SMS codes.',
  emailMissing: 'Enter an email address.',
  tooManyAccounts: 'A user can have up to {max, number} accounts.',
  yes: 'Yes',
  no: 'No',
  all: 'All',
  when: 'When ({zone})',
  whenUtc: 'When (UTC)',
  action: 'Action',
  actor: 'By',
  user: 'User',
  asAnotherUser: 'As another user',
  ipAddress: 'IP address',
  browser: 'Browser',
  username: 'Username',
  name: 'Name',
  email: 'Email',
  roles: 'Roles',
  companies: 'Companies',
  accounts: 'Accounts',
  signInMethod: 'Sign-in method',
  secondFactor: 'Second factor',
  lastSignIn: 'Last sign-in ({zone})',
  lastSignInUtc: 'Last sign-in (UTC)',
  created: 'Created ({zone})',
  createdUtc: 'Created (UTC)',
  deleted: 'Deleted',
});
