import type { Profile } from '#contract/auth/profile-calls.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { ownAccountMessages as t } from '../security/messages.en.ts';

/**
 * Shows that the user's email address is not confirmed, with a button to send another link. Renders
 * nothing if it is confirmed or missing.
 */
export function EmailState({
  profile,
  onSent,
}: {
  readonly profile: Profile;
  readonly onSent: (profile: Profile) => void;
}) {
  const { id, email, emailVerified, emailLinkUntil } = profile;
  const mutation = useServerMutation();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  if (emailVerified || email === '') return null;

  async function send(): Promise<void> {
    const answer = await mutation.send(() => client().ask('sendEmailLink', { id }));
    if (!answer.ok) {
      showFailure(answer.failure.message);
      return;
    }
    onSent(answer.value);
    showSuccess(t.linkSentTo({ email }));
  }
  return (
    <Callout
      tone="warning"
      action={
        <Button size="sm" busy={mutation.busy} disabled={offline} onClick={() => void send()}>
          {emailLinkUntil === null ? t.sendLink : t.resendLink}
        </Button>
      }
    >
      {emailLinkUntil === null ? t.emailNotConfirmed : t.emailLinkSent({ email })}
    </Callout>
  );
}

const EMPTY = {};
