import { defineMessages } from '#contract/i18n/messages.ts';

/** Why an organization can't be connected or read. */
export const accessMessages = defineMessages('organization-access', {
  notConnected: 'This organization is not connected. Connect it again.',
  unsupportedAuth: "This sign-in method isn't supported.",
  incomplete: 'Enter the domain, the application ID, and the secret.',
  otherTenant: 'This application belongs to another Microsoft 365 tenant.',
  unreadable: "The stored credentials of this organization can't be read. Connect it again.",
  noCode: 'This code no longer exists. Request a new one.',
  codeNeeded: 'Sign in with a device code first.',
  codeExpired: 'The sign-in has expired. Request a new code.',
  codeNotGranted: 'Nobody has signed in with this code yet.',
  codeInUse: 'This code is being used right now. Try again in a few minutes.',
  applicationNeeded: 'Enter the name of a new application or the ID of an existing one.',
  otherSignIn: 'You signed in to another tenant of Microsoft 365. Request a new code.',
  otherRegion: 'You signed in to another region. Request a new code.',
  noCertificate: 'This organization signs in with a secret. It has no certificate to renew.',
  notAcceptedYet: 'Microsoft 365 does not accept the new certificate yet. Try again in a minute.',
  noRepository: "The repository doesn't exist yet.",
  attaching: 'The repository is being attached. Try again when it is ready.',
  notAttachable:
    'No repository with this ID and password has backups of this organization. Check the ID, the password, and the organization.',
  copiedRepository: 'This is a copy of a repository that you already have.',
  lockWithKeep:
    "The files of this repository have an Object Lock, so it can't keep backups forever. Choose a period.",
  repositoryInUse: 'A backup or a restore uses the repository right now. Try again later.',
  cleanUpFirst: 'A clean-up waits for the repository and comes first.',
  noStorage: 'This repository is a folder on the server. It has no access key.',
  passwordChanged: 'Somebody else changed the password just now. Try again.',
  hintHasPassword: "The hint can't contain the password.",
});
