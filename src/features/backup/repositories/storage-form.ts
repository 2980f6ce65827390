import * as v from 'valibot';
import { type ObjectLockMode, S3_FIELDS } from '#contract/backup/repositories.ts';
import { KEEP, type RetentionPolicy } from '#contract/backup/retention.ts';
import type { InputOf } from '#contract/calls.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** The keys to object storage. */
export interface StorageKeyFields {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}
/** Where a new repository stores its data. */
export interface StorageForm extends StorageKeyFields {
  /** Object storage instead of a folder of the server. */
  readonly isBucket: boolean;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly certificate: string;
  /** How its files are locked; null: not at all. */
  readonly objectLock: ObjectLockMode | null;
}
export type StorageErrors = Readonly<Partial<Record<keyof StorageForm, string>>>;

export const EMPTY_STORAGE: StorageForm = {
  isBucket: false,
  endpoint: '',
  region: 'us-east-1',
  bucket: '',
  prefix: '',
  certificate: '',
  objectLock: null,
  accessKeyId: '',
  secretAccessKey: '',
};

const FIELD_MESSAGES = {
  endpoint: t.endpointWrong,
  region: t.regionWrong,
  bucket: t.bucketWrong,
  prefix: t.prefixWrong,
} as const;
const PLACE_FIELDS = ['endpoint', 'region', 'bucket', 'prefix'] as const;

export const findKeyErrors = ({
  accessKeyId,
  secretAccessKey,
}: StorageKeyFields): StorageErrors => ({
  ...(accessKeyId.trim() === '' && { accessKeyId: t.accessKeyIdMissing }),
  ...(secretAccessKey.trim() === '' && { secretAccessKey: t.secretAccessKeyMissing }),
});

/** Returns what is wrong with the fields. A folder has none. */
export function findStorageErrors(form: StorageForm): StorageErrors {
  if (!form.isBucket) return {};
  const wrong = PLACE_FIELDS.filter((field) => !v.is(S3_FIELDS[field], trimSlashes(form, field)));
  return {
    ...Object.fromEntries(wrong.map((field) => [field, FIELD_MESSAGES[field]])),
    ...findKeyErrors(form),
  };
}

/** Returns what is wrong with a retention: locked files can't be retained without an end. */
export const findLockErrors = (
  { isBucket, objectLock }: Pick<StorageForm, 'isBucket' | 'objectLock'>,
  policy: RetentionPolicy,
): { readonly retentionPolicy?: string } =>
  isBucket && isLocked(objectLock) && policy === KEEP ? { retentionPolicy: t.lockWithKeep } : {};

/** A draft of an earlier version doesn't have it. */
const isLocked = (lock: StorageForm['objectLock'] | undefined): lock is ObjectLockMode =>
  lock != null;

/** Returns the input of a new repository; null: a folder of the server. */
export function readStorage(form: StorageForm): InputOf<'createBackupRepository'>['storage'] {
  const address = readAddress(form);
  return address && isLocked(form.objectLock)
    ? { ...address, objectLock: form.objectLock }
    : address;
}

/** The same for a repository that exists. */
export const readAddress = (form: StorageForm): InputOf<'attachBackupRepository'>['storage'] =>
  !form.isBucket
    ? null
    : {
        endpoint: trimSlashes(form, 'endpoint'),
        region: form.region.trim(),
        bucket: form.bucket.trim(),
        prefix: trimSlashes(form, 'prefix'),
        certificate: form.certificate.trim() === '' ? null : form.certificate.trim(),
        accessKeyId: form.accessKeyId.trim(),
        secretAccessKey: form.secretAccessKey.trim(),
      };

/** People copy addresses and folders with a slash at an end. */
const trimSlashes = (form: StorageForm, field: (typeof PLACE_FIELDS)[number]): string =>
  form[field].trim().replaceAll(/^\/+|\/+$/g, '');
