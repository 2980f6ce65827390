import { useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { failed } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { makePasskey } from '#src/app/shell/reauth/passkey.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { getDevice } from '../../shared/device-labels.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { ownAccountMessages as t } from './messages.en.ts';

export interface NewPasskeyProps {
  readonly id: string;
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/**
 * Dialog: name the passkey, confirm it in the browser, and show recovery codes if there were none.
 */
export function NewPasskey({ id, taken, onClose, onMade }: NewPasskeyProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { name: freeName(getDevice(navigator.userAgent), taken) },
    schema,
    async submit({ name }): Promise<Result<OutputOf<'addPasskey'>>> {
      const request = await withReauth(() => client().ask('passkeyOptions', { id }));
      if (!request.ok) return request;
      const made = await makePasskey(request.value.options);
      if (made.kind === 'known') return failed({ kind: 'conflict', message: t.passkeyExists });
      if (made.kind === 'none')
        return failed({ kind: 'conflict', message: ACCOUNT.passkeyNotMade });
      return withReauth(() => client().ask('addPasskey', { id, name, response: made.response }));
    },
    onSaved: ({ recoveryCodes }) => {
      onMade();
      if (recoveryCodes === null) onClose();
      else setCodes(recoveryCodes);
    },
  });

  if (codes !== null)
    return (
      <RecoveryCodesDialog
        codes={codes}
        description={t.recoveryCodesForPasskey}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={t.addPasskey}
      onClose={onClose}
      first={field}
      submitLabel={t.continue}
      busy={busy}
      formRef={formRef}
      onSubmit={save}
    >
      <TextField
        ref={field}
        label={t.name}
        required
        value={form.name}
        maxLength={64}
        autoComplete="off"
        onChange={({ target }) => change({ name: target.value })}
        hint={t.passkeyNameHint}
        error={errors['name'] ?? null}
      />
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
    </FormDialog>
  );
}

const schema = makeReadingSchema(({ name }: { readonly name: string }) => ({
  value: { name: name.trim() },
  errors: { name: name.trim() === '' ? t.nameMissing : null },
}));

/** Returns a name that no other passkey has. */
function freeName(name: string, taken: readonly string[]): string {
  const free = [name, ...Array.from({ length: taken.length }, (_, at) => `${name} ${at + 2}`)].find(
    (one) => !taken.includes(one),
  );
  return free ?? name;
}
