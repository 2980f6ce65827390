import { EMPTY_STORAGE } from '../../repositories/storage-form.ts';
import type { StorageForm, StorageKeyFields } from '../../repositories/storage-form.ts';

/** Where the first repository is. The keys are beside the rest, so that drafts leave the secret out. */
export interface StorageData extends StorageKeyFields {
  readonly storage: Omit<StorageForm, keyof StorageKeyFields>;
}

/** Returns the changed data. */
export function changeStorage(data: StorageData, changes: Partial<StorageForm>): StorageData {
  const { accessKeyId, secretAccessKey, ...storage } = { ...getStorage(data), ...changes };
  return { storage, accessKeyId, secretAccessKey };
}

export const getStorage = ({
  storage,
  accessKeyId,
  secretAccessKey,
}: StorageData): StorageForm => ({ ...storage, accessKeyId, secretAccessKey });

export const EMPTY_STORAGE_DATA: StorageData = changeStorage(
  { storage: EMPTY_STORAGE, accessKeyId: '', secretAccessKey: '' },
  {},
);

/** Returns the path of a field of the storage in the wizard's data. */
export const getStoragePath = (field: string): string =>
  field in EMPTY_STORAGE_DATA.storage ? `storage.${field}` : field;
