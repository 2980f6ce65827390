import { defineMessages } from '#contract/i18n/messages.ts';

/** Why an organization can't be connected or read. */
export const accessMessages = defineMessages('organization-access', {
  notConnected: 'This organization is not connected. Connect it again.',
  unsupportedAuth: 'This way to sign in is not supported.',
  incomplete: 'Enter the domain, the application id and the secret.',
  otherTenant: 'This application belongs to another tenant of Microsoft 365.',
  unreadable: 'The stored access of this organization is unreadable. Connect it again.',
  noCode: 'This code no longer exists. Request a new one.',
  codeNeeded: 'Sign in with a device code first.',
  codeExpired: 'The sign-in has expired. Request a new code.',
  codeNotGranted: 'Nobody has signed in with this code yet.',
  codeInUse: 'This code is being used right now. Try again in a few minutes.',
  applicationNeeded: 'Enter the name of a new application or the id of an existing one.',
  otherSignIn: 'The sign-in was to another tenant of Microsoft 365. Request a new code.',
  otherRegion: 'The sign-in was to another region. Request a new code.',
  noCertificate: 'This organization signs in with a secret. It has no certificate to renew.',
  notAcceptedYet: 'Microsoft 365 does not accept the new certificate yet. Try again in a minute.',
  noRepository: "The repository doesn't exist yet.",
  hintHasPassword: "The hint can't contain the password.",
});
