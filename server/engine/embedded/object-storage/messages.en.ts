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
  unreachable: '{host} failed to answer ({code}).',
});
