import { useRef } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useImpersonation } from '#src/app/shell/impersonation/impersonation.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { getId } from '../shared/ids.ts';
import { userMessages as t } from './messages.en.ts';

const MIN_REASON_CHARS = 5;
const schema = makeReadingSchema(({ reason }: { readonly reason: string }) => ({
  value: { reason: reason.trim() },
  errors: { reason: reason.trim().length < MIN_REASON_CHARS ? t.reasonTooShort : null },
}));

/** Asks for the reason, then starts the impersonation. */
export function LoginAsDialog({
  user,
  onClose,
}: {
  readonly user: UserListed;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // On success the page redirects, which unmounts this dialog. Ending the impersonation returns to
  // this page.
  const { state, send } = useImpersonation(false);
  const { refusal } = state.context;
  const { form, change, errors, formRef, save } = useDraftForm({
    initial: { reason: '' },
    schema,
    async submit({ reason }) {
      send({ type: 'START', request: { userId: getId(user), reason } });
      return ok(null);
    },
  });

  return (
    <FormDialog
      title={t.signInAs({ user: user.name })}
      onClose={onClose}
      first={field}
      submitLabel={t.signInAsUser}
      busy={state.matches('starting')}
      error={refusal === null ? null : getFailureText(refusal.failure)}
      formRef={formRef}
      onSubmit={save}
    >
      <p className="m-0 text-ink-2">{t.signInAsTerms}</p>
      <TextField
        ref={field}
        label={t.reason}
        required
        value={form.reason}
        maxLength={LIMITS.reasonChars}
        autoComplete="off"
        onChange={({ target }) => {
          change({ reason: target.value });
          send({ type: 'EDIT' });
        }}
        hint={t.reasonHint}
        error={errors['reason'] ?? null}
      />
    </FormDialog>
  );
}
