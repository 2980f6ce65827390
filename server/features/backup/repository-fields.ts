import {
  type BackupRepositoryRow,
  FOLDER,
  type StorageTarget,
} from '#contract/backup/repositories.ts';
import { KEEP, retainedUntil } from '#contract/backup/retention.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { AttachStarted, RepositoryInput, S3Storage } from '#contract/engine/repositories.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { badField } from '#server/platform/auth/guards.ts';
import { backupMessages as t } from './messages.en.ts';
import type { BackupRepositoryId, OrganizationId } from '#contract/ids.ts';

export type NewRepository = Omit<ParsedInputOf<'createBackupRepository'>, 'organizationId'>;

/**
 * Returns why a password can't be used; null if it can. `prefix`: of the fields' paths.
 */
export function passwordRefusal(
  {
    password,
    repeatPassword,
    passwordDescription = '',
  }: {
    readonly password?: string | undefined;
    readonly repeatPassword?: string | undefined;
    readonly passwordDescription?: string | undefined;
  },
  prefix = '',
): Result<never> | null {
  if (password !== repeatPassword) return badField(`${prefix}repeatPassword`, t.repeatPassword);
  return password !== undefined &&
    passwordDescription.toLowerCase().includes(password.toLowerCase())
    ? badField(`${prefix}passwordDescription`, t.hintHasPassword)
    : null;
}

/** Returns why a repository can't be locked: one that never deletes anything would be locked forever. */
export const lockRefusal = (
  { storage, retentionPolicy }: Pick<NewRepository, 'storage' | 'retentionPolicy'>,
  prefix = '',
): Result<never> | null =>
  storage?.objectLock !== undefined && retentionPolicy === KEEP
    ? badField(`${prefix}retentionPolicy`, t.lockWithKeep)
    : null;

/** Returns where the engine creates a repository, and how its files are locked. */
export function getStorageInput(
  { storage, retentionPolicy }: Pick<NewRepository, 'storage' | 'retentionPolicy'>,
  now: Ms,
): Required<Pick<RepositoryInput, 'storage' | 'objectLock'>> {
  if (storage === null) return { storage, objectLock: null };
  const { objectLock: mode, ...address } = storage;
  const lockedUntil = retainedUntil(retentionPolicy, now, 'UTC');
  return {
    storage: address,
    objectLock: mode === undefined || lockedUntil === null ? null : { mode, lockedUntil },
  };
}

/**
 * Returns the event of a new repository, named after its organization unless it has a name.
 * `shortened`: a shorter retention that applies later.
 */
export const newRepository = (
  id: BackupRepositoryId,
  organization: { readonly id: OrganizationId; readonly company: number; readonly name: string },
  {
    repository,
    description,
    passwordDescription,
    retentionType,
    retentionPolicy,
    proxy,
    storage,
  }: NewRepository,
  shortened: BackupRepositoryRow['shortened'] = null,
): NewEvent => ({
  event: {
    type: 'backuprepository.created@1',
    data: {
      id,
      company: organization.company,
      organization: organization.id,
      target: getTarget(storage),
      name: repository ?? organization.name,
      description,
      passwordDescription,
      retentionType,
      retentionPolicy,
      shortened: shortened && { ...shortened },
      proxy,
      deletesAt: null,
    },
  },
  company: organization.company,
  entity: `backuprepository:${id}`,
});

/** The storage of an attached repository, with the lock that its files have. */
export const withLock = (
  storage: S3Storage | null,
  { objectLock }: AttachStarted,
): NewRepository['storage'] =>
  storage === null || objectLock === null ? storage : { ...storage, objectLock };

/** Where the backups are, without the keys. */
function getTarget(storage: NewRepository['storage']): StorageTarget {
  if (storage === null) return FOLDER;
  const { endpoint, region, bucket, prefix, objectLock } = storage;
  return {
    type: 'S3',
    endpoint,
    region,
    bucket,
    prefix,
    ...(objectLock !== undefined && { objectLock }),
  };
}
