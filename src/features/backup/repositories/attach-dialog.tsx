import { KEEP, RETENTION_POLICIES, RETENTION_TYPES } from '#contract/backup/retention.ts';
import type { RetentionPolicy, RetentionType } from '#contract/backup/retention.ts';
import { backupRepositoryCalls } from '#contract/backup/repository-calls.ts';
import type { InputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { retentionLabel } from './retention-label.ts';
import { StorageFields } from './storage-fields.tsx';
import { EMPTY_STORAGE, findStorageErrors, readAddress, type StorageForm } from './storage-form.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export interface AttachForm extends StorageForm {
  readonly organizationId: string;
  readonly id: string;
  readonly password: string;
  readonly retentionType: RetentionType;
  readonly retentionPolicy: RetentionPolicy;
}

/** Takes over a repository that exists: a folder that is on the server, or one of a bucket. */
export function AttachDialog({
  organizations,
  onClose,
  onDone,
}: {
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  readonly onClose: () => void;
  readonly onDone: (id: string) => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: makeForm(organizations),
    offline,
    schema: ATTACH_SCHEMA,
    submit: (input) => withReauth(() => client().ask('attachBackupRepository', input)),
    onSaved: ({ id }) => {
      showSuccess(t.attachStarted);
      onDone(id);
    },
  });
  return (
    <FormDialog
      dirty={dirty}
      title={t.attachRepository}
      onClose={onClose}
      submitLabel={t.attach}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <p className="m-0 text-ink-2">{form.isBucket ? t.attachBucketHint : t.attachHint}</p>
      <RequiredNote />
      <Select
        label={t.organization}
        required
        block
        value={form.organizationId}
        options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={t.chooseOrganization}
        error={errors['organizationId'] ?? null}
        onChange={(organizationId) => change({ organizationId })}
      />
      <StorageFields
        fields={form}
        isExisting
        getError={(field) => errors[field] ?? null}
        onChange={change}
      />
      <TextField
        label={t.repositoryId}
        hint={t.repositoryIdHint}
        required
        autoComplete="off"
        spellCheck={false}
        value={form.id}
        error={errors['id'] ?? null}
        onChange={({ target }) => change({ id: target.value })}
      />
      <TextField
        label={t.password}
        type="password"
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.secretChars}
        value={form.password}
        error={errors['password'] ?? null}
        onChange={({ target }) => change({ password: target.value })}
      />
      <Select
        label={t.retentionType}
        block
        value={form.retentionType}
        options={RETENTION_TYPES.map((value) => ({
          value,
          label: value === 'SnapshotBased' ? t.snapshotBased : t.itemLevel,
        }))}
        onChange={(retentionType) => change({ retentionType })}
      />
      <Select
        label={t.keepBackups}
        block
        value={form.retentionPolicy}
        options={RETENTION_POLICIES.map((value) => ({ value, label: retentionLabel(value) }))}
        onChange={(retentionPolicy) => change({ retentionPolicy })}
      />
      <p className="m-0 text-ink-3">{t.attachRetentionHint}</p>
    </FormDialog>
  );
}

const makeForm = (organizations: readonly { readonly id: string }[]): AttachForm => {
  const [only, ...others] = organizations;
  return {
    organizationId: only && others.length === 0 ? only.id : '',
    id: '',
    password: '',
    retentionType: 'SnapshotBased',
    retentionPolicy: KEEP,
    ...EMPTY_STORAGE,
  };
};

/** Returns the input of `attachBackupRepository`, or what is wrong with the form. */
export function readAttachForm(form: AttachForm): {
  readonly value: InputOf<'attachBackupRepository'> | null;
  readonly errors: Readonly<Partial<Record<keyof AttachForm, string>>>;
} {
  const id = form.id.trim().toLowerCase();
  const errors = {
    ...(form.organizationId === '' && { organizationId: t.organizationMissing }),
    ...(!UUID.test(id) && { id: t.repositoryIdWrong }),
    ...(form.password === '' && { password: t.passwordMissing }),
    ...findStorageErrors(form),
  };
  const { organizationId, password, retentionType, retentionPolicy } = form;
  const value = {
    organizationId,
    id,
    password,
    retentionType,
    retentionPolicy,
    storage: readAddress(form),
  };
  return { value: Object.keys(errors).length === 0 ? value : null, errors };
}
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const ATTACH_SCHEMA = makeFormSchema(
  backupRepositoryCalls.attachBackupRepository.input,
  readAttachForm,
);

const EMPTY = {};
