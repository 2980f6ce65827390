import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
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
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const field = useRef<HTMLInputElement>(null);

  async function confirm(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (!/^\d{6}$/.test(code)) {
      setError(t.authenticatorCodeInvalid);
      return field.current?.focus();
    }
    setBusy(true);
    setError(null);
    const answer = await withReauth(() => client().ask('confirmTotp', { id, code }));
    setBusy(false);
    if (answer.ok) {
      setCodes(answer.value.recoveryCodes);
      return onConfirmed();
    }
    if (answer.failure.kind === 'conflict') return setOver(answer.failure.message);
    setError(answer.failure.message);
    setCode('');
    return field.current?.focus();
  }

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
        id="new-authenticator"
        className="grid grid-cols-1 gap-4 px-5 py-4"
        onSubmit={(event) => void confirm(event)}
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
              value={code}
              error={error}
              onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, '').slice(0, 6))}
            />
          </>
        )}
      </form>
    </Dialog>
  );
}
