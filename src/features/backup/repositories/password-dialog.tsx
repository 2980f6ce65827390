import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { tell } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { PasswordInputs } from './password-inputs.tsx';
import { findPasswordErrors } from './password-issues.ts';
import type { PasswordFields } from './password-issues.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** Changes the encryption password of a repository. Its data stays as it is. */
export function PasswordDialog({
  row: { id, passwordDescription },
  onClose,
}: {
  readonly row: BackupRepositoryRow;
  readonly onClose: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.is === 'offline';
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { password: '', repeatPassword: '', passwordDescription },
    offline,
    validate: readPassword,
    async submit(fields: PasswordFields) {
      const saved = await withReauth(() =>
        client().ask('updateBackupRepository', {
          id,
          ...fields,
          passwordDescription: fields.passwordDescription.trim(),
        }),
      );
      return saved.ok ? null : getFailureText(saved.failure);
    },
    onSaved: () => {
      tell(t.passwordChanged);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.changePassword}
      onClose={onClose}
      submitLabel={t.changePassword}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <p className="m-0 text-ink-2">{t.changePasswordHint}</p>
      <RequiredNote />
      <PasswordInputs
        fields={form}
        getError={(field) => errors?.[field] ?? null}
        onChange={change}
      />
    </FormDialog>
  );
}

const readPassword = (form: PasswordFields) => {
  const errors = findPasswordErrors(form);
  return { value: Object.keys(errors).length === 0 ? form : null, errors };
};
const EMPTY = {};
