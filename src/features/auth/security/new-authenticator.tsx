import { useRef, useState } from 'react';
import { factorCalls } from '#contract/auth/factor-calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { AuthenticatorSecret } from '../authenticator-secret.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ownAccountMessages as t } from './messages.en.ts';

export interface NewAuthenticatorProps {
  readonly id: string;
  readonly begun: { readonly secret: string; readonly uri: string };
  readonly onClose: () => void;
  /** Called when the authenticator is active, while the codes are still displayed. */
  readonly onConfirmed: () => void;
}

/** Dialog: scan the secret, confirm the first code, then show the recovery codes once. */
export function NewAuthenticator({ id, begun, onClose, onConfirmed }: NewAuthenticatorProps) {
  const [over, setOver] = useState<string | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const { form, change, errors, busy, formRef, save } = useDraftForm({
    initial: { code: '' },
    schema: makeCodeSchema(id),
    submit: (input) => withReauth(() => client().ask('confirmTotp', input)),
    explain(failure) {
      if (failure.kind === 'conflict') setOver(failure.message);
      else change({ code: '' });
      return { errors: { code: failure.message }, above: null };
    },
    onSaved: ({ recoveryCodes }) => {
      setCodes(recoveryCodes);
      onConfirmed();
    },
  });

  if (codes !== null)
    return (
      <RecoveryCodesDialog codes={codes} description={t.recoveryCodesForApp} onClose={onClose} />
    );
  return (
    <Dialog
      title={t.setUpAuthenticator}
      onClose={onClose}
      first={field}
      footer={
        <>
          {over === null && (
            <Button type="submit" form="new-authenticator" variant="primary" busy={busy}>
              {t.turnOn}
            </Button>
          )}
          <Button onClick={onClose}>{over === null ? ui.cancel : ui.close}</Button>
        </>
      }
    >
      <form
        ref={formRef}
        id="new-authenticator"
        className="grid grid-cols-1 gap-4 px-5 py-4"
        onSubmit={(event) => void save(event)}
        noValidate
        aria-busy={busy}
      >
        {over !== null ? (
          <Callout tone="failed" alert>
            {over}
          </Callout>
        ) : (
          <>
            <p className="m-0 text-ink-2">{t.scanCode}</p>
            <AuthenticatorSecret secret={begun.secret} uri={begun.uri} />
            <TextField
              ref={field}
              label={t.authenticatorCode}
              required
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={7}
              value={form.code}
              error={errors['code'] ?? null}
              onChange={({ target }) =>
                change({ code: target.value.replaceAll(/\D/g, '').slice(0, 6) })
              }
            />
          </>
        )}
      </form>
    </Dialog>
  );
}

const makeCodeSchema = (id: string) =>
  makeFormSchema(
    factorCalls.confirmTotp.input,
    ({ code }: { readonly code: string }) => ({
      value: { id, code },
      errors: { ...(!/^\d{6}$/.test(code) && { code: t.authenticatorCodeInvalid }) },
    }),
    { code: t.authenticatorCodeInvalid },
  );
