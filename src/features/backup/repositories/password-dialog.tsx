import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { makePasswordSchema } from './form.ts';
import { PasswordInputs } from './password-inputs.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** Changes the encryption password of a repository. Its data stays as it is. */
export function PasswordDialog({
  row: { id, passwordDescription },
  onClose,
}: {
  readonly row: BackupRepositoryRow;
  readonly onClose: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { password: '', repeatPassword: '', passwordDescription },
    offline,
    schema: makePasswordSchema(id),
    submit: (input) => withReauth(() => client().ask('updateBackupRepository', input)),
    onSaved: () => {
      showSuccess(t.passwordChanged);
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
      <PasswordInputs fields={form} getError={(field) => errors[field] ?? null} onChange={change} />
    </FormDialog>
  );
}

const EMPTY = {};
