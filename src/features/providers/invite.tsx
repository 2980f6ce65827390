import { useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
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
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { adminProvidersMessages as t } from './messages.en.ts';

export interface InviteProps {
  readonly of: ProviderListed;
  readonly zone: string;
  readonly onClose: () => void;
}

/** An invitation link for one user: sent by email, or displayed to pass on. */
export function Invite({ of: { _id: id, name, own }, zone, onClose }: InviteProps) {
  const [email, setEmail] = useState('');
  const [error, setError] = useState<string | null>(null);
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
        email: t.optionalEmailNotValid,
      }),
    );
    setError(wrong ?? null);
    if (wrong !== undefined) return;
    setBusy(true);
    const answer = await withReauth(() => client().ask('inviteUser', input));
    setBusy(false);
    if (answer.ok) setMade({ ...answer.value, to });
    else setError(answer.failure.message);
  }

  if (made !== null) {
    return (
      <Dialog
        title={t.invitationTo({ name })}
        onClose={onClose}
        footer={
          <Button variant="primary" onClick={onClose}>
            {uiMessages.done}
          </Button>
        }
      >
        <div className="grid grid-cols-1 gap-3 px-5 py-4">
          <p className="m-0 break-words">
            {made.to === null ? t.copyNow : t.invitationSent({ email: made.to })}{' '}
            {t.linkValidUntil({ when: formatWhen(made.until, zone) })}
          </p>
          <CopyText text={made.url} label={t.copyLink} copied={t.linkCopied} />
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={t.inviteTo({ name })}
      onClose={onClose}
      submitLabel={email.trim() === '' ? t.createLink : t.sendInvitation}
      busy={busy}
      onSubmit={invite}
    >
      <p className="m-0 text-ink-2">
        {t.linkForOneUser} {own ? t.ownInvitationHint : t.invitationHint}
      </p>
      <TextField
        label={t.email}
        required
        type="email"
        value={email}
        error={error}
        maxLength={254}
        autoComplete="off"
        autoCapitalize="none"
        onChange={(event) => {
          setEmail(event.target.value);
          setError(null);
        }}
        hint={t.emailHint}
      />
    </FormDialog>
  );
}
