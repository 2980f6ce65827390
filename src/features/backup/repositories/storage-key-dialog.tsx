import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { makeStorageKeySchema } from './form.ts';
import { StorageKeyInputs } from './storage-fields.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** Changes the access key of a repository in object storage. */
export function StorageKeyDialog({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { accessKeyId: '', secretAccessKey: '' },
    offline,
    schema: makeStorageKeySchema(id),
    submit: (input) => withReauth(() => client().ask('updateBackupRepository', input)),
    onSaved: () => {
      showSuccess(t.accessKeyChanged);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.changeAccessKey}
      onClose={onClose}
      submitLabel={t.changeAccessKey}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <p className="m-0 text-ink-2">{t.changeAccessKeyHint}</p>
      <RequiredNote />
      <StorageKeyInputs
        fields={form}
        getError={(field) => errors[field] ?? null}
        onChange={change}
      />
    </FormDialog>
  );
}

const EMPTY = {};
