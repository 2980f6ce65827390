import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { findFormErrors } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { TextField } from '#src/ui/text-field.tsx';

export interface InviteProps {
  readonly of: ProviderListed;
  readonly zone: string;
  readonly onClose: () => void;
}

/** A link with which one user registers: sent by mail, or shown to be handed over. */
export function Invite({ of: { _id: id, name, own }, zone, onClose }: InviteProps) {
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<
    (OutputOf<'inviteUser'> & { readonly to: string | null }) | null
  >(null);

  async function invite(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const to = email.trim() === '' ? null : email.trim();
    const input = { id, email: to };
    const [wrong] = Object.values(
      findFormErrors(providerCalls.inviteUser.input, input, {
        email: 'Enter an address such as name@example.com, or none.',
      }),
    );
    setFault(wrong ?? null);
    if (wrong !== undefined) return;
    setBusy(true);
    const answer = await withReauth(() => client().ask('inviteUser', input));
    setBusy(false);
    if (answer.ok) setMade({ ...answer.value, to });
    else setFault(answer.failure.message);
  }

  if (made !== null) {
    return (
      <Dialog
        title={`Invited to ${name}`}
        onClose={onClose}
        footer={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <div className="grid grid-cols-1 gap-3 px-5 py-4">
          <p className="m-0 break-words">
            {made.to === null
              ? 'Hand this link over: it is shown once.'
              : `A mail with this link goes to ${made.to}.`}{' '}
            It registers one user, until {formatWhen(made.until, zone)}.
          </p>
          <CopyText text={made.url} label="Copy the link" copied="Link copied to clipboard" />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`Invite to ${name}`}
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" type="submit" form="invite" busy={busy}>
            {email.trim() === '' ? 'Make a link' : 'Send the invitation'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <form
        id="invite"
        noValidate
        className="grid grid-cols-1 gap-3 px-5 py-4"
        onSubmit={(event) => void invite(event)}
      >
        <p className="m-0 text-ink-2">
          One user registers with the link, within seven days.{' '}
          {own
            ? 'Who registers may look at what you may see, and no more.'
            : 'Who registers sees nothing before an administrator there says what.'}
        </p>
        <TextField
          label="E-mail"
          required
          type="email"
          value={email}
          fault={fault}
          maxLength={254}
          autoComplete="off"
          autoCapitalize="none"
          onChange={(event) => {
            setEmail(event.target.value);
            setFault(null);
          }}
          hint="Without an address the link is only shown."
        />
      </form>
    </Dialog>
  );
}
