import { useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { OutputOf } from '#contract/calls.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { adminProvidersMessages as t } from './messages.en.ts';

export interface InviteProps {
  readonly of: ProviderListed;
  readonly zone: string;
  readonly onClose: () => void;
}

/** An invitation link for one user: sent by email, or displayed to pass on. */
export function Invite({ of: { _id: id, name, own }, zone, onClose }: InviteProps) {
  const [made, setMade] = useState<
    (OutputOf<'inviteUser'> & { readonly to: string | null }) | null
  >(null);
  const { form, change, errors, error, busy, save } = useDraftForm({
    initial: { email: '' },
    schema: makeInviteSchema(id),
    submit: (input) => withReauth(() => client().ask('inviteUser', input)),
    onSaved: (answer, { email }) => setMade({ ...answer, to: email ?? null }),
  });

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
      submitLabel={form.email.trim() === '' ? t.createLink : t.sendInvitation}
      busy={busy}
      onSubmit={save}
    >
      <p className="m-0 text-ink-2">
        {t.linkForOneUser} {own ? t.ownInvitationHint : t.invitationHint}
      </p>
      <TextField
        label={t.email}
        required
        type="email"
        value={form.email}
        error={errors['email'] ?? error}
        maxLength={254}
        autoComplete="off"
        autoCapitalize="none"
        onChange={({ target }) => change({ email: target.value })}
        hint={t.emailHint}
      />
    </FormDialog>
  );
}

const makeInviteSchema = (id: string) =>
  makeFormSchema(
    providerCalls.inviteUser.input,
    ({ email }: { readonly email: string }) => ({
      value: { id, email: email.trim() === '' ? null : email.trim() },
    }),
    { email: t.optionalEmailNotValid },
  );
