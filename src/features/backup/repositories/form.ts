import { type BackupRepositoryRow, getObjectLock } from '#contract/backup/repositories.ts';
import { isShorter, policyAt } from '#contract/backup/retention.ts';
import type { RetentionPolicy, RetentionType } from '#contract/backup/retention.ts';
import { backupRepositoryCalls } from '#contract/backup/repository-calls.ts';
import type { InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { ANY_PROXY, readChoice, writeChoice } from './proxy-choice.ts';
import { findPasswordErrors } from './password-issues.ts';
import type { PasswordFields } from './password-issues.ts';
import {
  EMPTY_STORAGE,
  findKeyErrors,
  findLockErrors,
  findStorageErrors,
  readStorage,
} from './storage-form.ts';
import type { StorageForm, StorageKeyFields } from './storage-form.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** A repository as its form has it. `organizationId` empty: not chosen yet. */
export interface RepositoryForm extends PasswordFields, StorageForm {
  readonly organizationId: string;
  readonly repository: string;
  readonly description: string;
  readonly retentionType: RetentionType;
  readonly retentionPolicy: RetentionPolicy;
  readonly hasOwnPassword: boolean;
  /** Which proxies work for it: the value of an option of `listProxyOptions`. */
  readonly proxy: string;
}
export type RepositoryErrors = Readonly<Partial<Record<keyof RepositoryForm, string>>>;

const EMPTY: RepositoryForm = {
  organizationId: '',
  repository: '',
  description: '',
  retentionType: 'SnapshotBased',
  retentionPolicy: 'Years3',
  hasOwnPassword: false,
  proxy: ANY_PROXY,
  password: '',
  repeatPassword: '',
  passwordDescription: '',
  ...EMPTY_STORAGE,
};

export const newRepositoryForm = (
  organizations: readonly { readonly id: string }[],
): RepositoryForm => {
  const [only, ...others] = organizations;
  return { ...EMPTY, organizationId: only && others.length === 0 ? only.id : '' };
};

/** A retention that will be shortened shows as what it will be. */
export const editForm = (row: BackupRepositoryRow): RepositoryForm => ({
  ...EMPTY,
  organizationId: row.organization,
  repository: row.name,
  description: row.description,
  retentionPolicy: row.shortened?.retentionPolicy ?? row.retentionPolicy,
  passwordDescription: row.passwordDescription,
  proxy: writeChoice(row.proxy),
  isBucket: row.target.type === 'S3',
  objectLock: getObjectLock(row.target),
});

/** Returns the input of `createBackupRepository`, or what is wrong with the form. */
export function readNewForm(form: RepositoryForm): {
  readonly value: InputOf<'createBackupRepository'> | null;
  readonly errors: RepositoryErrors;
} {
  const errors: RepositoryErrors = {
    ...(form.organizationId === '' && { organizationId: t.organizationMissing }),
    ...nameError(form),
    ...(form.hasOwnPassword && findPasswordErrors(form)),
    ...findStorageErrors(form),
    ...findLockErrors(form, form.retentionPolicy),
  };
  if (Object.keys(errors).length > 0) return { value: null, errors };
  return {
    value: {
      organizationId: form.organizationId,
      repository: form.repository.trim(),
      description: form.description.trim(),
      retentionType: form.retentionType,
      retentionPolicy: form.retentionPolicy,
      storage: readStorage(form),
      ...(form.proxy !== ANY_PROXY && { proxy: readChoice(form.proxy) }),
      ...(form.hasOwnPassword && {
        password: form.password,
        repeatPassword: form.repeatPassword,
        passwordDescription: form.passwordDescription.trim(),
      }),
    },
    errors,
  };
}

/** Returns the input of `updateBackupRepository` without the id: only what differs from `before`. */
export function readEditForm(
  form: RepositoryForm,
  before: RepositoryForm,
): {
  readonly value: Omit<InputOf<'updateBackupRepository'>, 'id'> | null;
  readonly errors: RepositoryErrors;
} {
  const errors = {
    ...nameError(form),
    // An attached repository keeps everything until a period is chosen.
    ...(form.retentionPolicy !== before.retentionPolicy &&
      findLockErrors(form, form.retentionPolicy)),
  };
  if (Object.keys(errors).length > 0) return { value: null, errors };
  const { repository, description, passwordDescription } = form;
  return {
    value: {
      ...(repository.trim() !== before.repository && { repository: repository.trim() }),
      ...(description.trim() !== before.description && { description: description.trim() }),
      ...(passwordDescription.trim() !== before.passwordDescription && {
        passwordDescription: passwordDescription.trim(),
      }),
      ...(form.retentionPolicy !== before.retentionPolicy && {
        retentionPolicy: form.retentionPolicy,
      }),
      ...(form.proxy !== before.proxy && { proxy: readChoice(form.proxy) }),
    },
    errors,
  };
}

export const newRepositorySchema = makeFormSchema(
  backupRepositoryCalls.createBackupRepository.input,
  readNewForm,
);

export const makeRepositoryEditSchema = (
  id: string,
  before: RepositoryForm,
): FormSchema<RepositoryForm, InputOf<'updateBackupRepository'>> =>
  makeFormSchema(backupRepositoryCalls.updateBackupRepository.input, (form: RepositoryForm) => {
    const { value, errors } = readEditForm(form, before);
    return { value: value && { id, ...value }, errors };
  });

/** The schema of a new password for the repository `id`. */
export const makePasswordSchema = (
  id: string,
): FormSchema<PasswordFields, InputOf<'updateBackupRepository'>> =>
  makeFormSchema(backupRepositoryCalls.updateBackupRepository.input, (fields: PasswordFields) => ({
    value: { id, ...fields, passwordDescription: fields.passwordDescription.trim() },
    errors: findPasswordErrors(fields),
  }));

/** The schema of a new access key for the repository `id`. */
export const makeStorageKeySchema = (
  id: string,
): FormSchema<StorageKeyFields, InputOf<'updateBackupRepository'>> =>
  makeFormSchema(
    backupRepositoryCalls.updateBackupRepository.input,
    (fields: StorageKeyFields) => ({
      value: { id, storageKeys: { ...fields } },
      errors: findKeyErrors(fields),
    }),
  );

const nameError = ({ repository }: RepositoryForm): RepositoryErrors =>
  repository.trim() === '' ? { repository: t.nameMissing } : {};

/** Returns whether older backups will be deleted: the policy retains less than the one in effect. */
export const willShorten = (
  row: BackupRepositoryRow | null,
  policy: RetentionPolicy,
  now: Ms,
): boolean => row !== null && isShorter(policy, policyAt(row, now));
