import { defineMessages } from '#contract/i18n/messages.ts';

/** Why object storage can't be used. `code`: the storage's own name of the error. */
export const objectStorageMessages = defineMessages('object-storage', {
  fileMissing: 'A file of the repository is missing in the bucket {bucket} ({code}).',
  rangeMissing: 'A file of the repository in the bucket {bucket} is too short ({code}).',
  tooShort: '{file} ends at byte {at}, before byte {before}.',
  keysRefused: "{host} doesn't accept the access key ({code}).",
  notAllowed: "This access key isn't allowed to use the bucket {bucket} ({code}).",
  busy: '{host} is busy or full ({code}).',
  noBucket: 'There is no bucket {bucket} at {host}.',
  notAccepted: '{host} refused the request ({code}). Check the region and the bucket.',
  clocksDiffer:
    'The clocks of this server and {host} differ by more than a day. Correct them, so that file locks end on time.',
  noVersioning:
    'The bucket {bucket} has no versioning, which Object Lock needs. Create a bucket with Object Lock turned on.',
  noObjectLock: 'Object Lock is not turned on for the bucket {bucket}.',
  defaultRetention:
    'The bucket {bucket} has a default retention. It would also lock files that the portal has to delete. Remove it: the portal sets the date of each file.',
  permissionMissing: 'This access key lacks the permission {permission} for the bucket {bucket}.',
  lockIgnored: '{host} deleted a locked file, so its Object Lock protects nothing.',
  unreachable: "{host} didn't respond ({code}).",
});
