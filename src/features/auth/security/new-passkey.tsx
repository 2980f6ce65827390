import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { makePasskey } from '#src/app/shell/reauth/passkey.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
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
  const [name, setName] = useState(() => freeName(getDevice(navigator.userAgent), taken));
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const field = useRef<HTMLInputElement>(null);

  async function make(): Promise<string | null> {
    const request = await withReauth(() => client().ask('passkeyOptions', { id }));
    if (!request.ok) return request.failure.message;
    const made = await makePasskey(request.value.options);
    if (made.is === 'known') return t.passkeyExists;
    if (made.is === 'none') return ACCOUNT.passkeyNotMade;
    const answer = await withReauth(() =>
      client().ask('addPasskey', { id, name: name.trim(), response: made.response }),
    );
    if (!answer.ok) return answer.failure.message;
    onMade();
    if (answer.value.recoveryCodes === null) onClose();
    else setCodes(answer.value.recoveryCodes);
    return null;
  }
  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setMissing(name.trim() === '');
    if (name.trim() === '') return field.current?.focus();
    setBusy(true);
    setError(null);
    setError(await make());
    return setBusy(false);
  }

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
      onSubmit={submit}
    >
      <TextField
        ref={field}
        label={t.name}
        required
        value={name}
        maxLength={64}
        autoComplete="off"
        onChange={(event) => {
          setName(event.target.value);
          setMissing(false);
        }}
        hint={t.passkeyNameHint}
        error={missing ? t.nameMissing : null}
      />
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
    </FormDialog>
  );
}

/** Returns a name that no other passkey has. */
function freeName(name: string, taken: readonly string[]): string {
  const free = [name, ...Array.from({ length: taken.length }, (_, at) => `${name} ${at + 2}`)].find(
    (one) => !taken.includes(one),
  );
  return free ?? name;
}
