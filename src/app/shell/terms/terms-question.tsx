import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { pauseRedirectTarget } from '../../router/redirect-target.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { Terms } from './pending-terms.ts';

/** The dialog closes only when the user accepts or logs out. */
export function TermsQuestion({ me, terms }: { readonly me: Me; readonly terms: Terms }) {
  const router = useRouter();
  const [busy, setBusy] = useState<'accept' | 'decline' | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const offline = useWatch('status', NOTHING)?.is === 'offline';

  async function accept(): Promise<void> {
    if (offline) return setFault(BASE.needsNetwork);
    setBusy('accept');
    setFault(null);
    const answer = await client().ask('editProfile', { id: me.id, ackO365TermsOfUse: true });
    setBusy(null);
    return answer.ok ? undefined : setFault(answer.failure.message);
  }
  async function decline(): Promise<void> {
    setBusy('decline');
    pauseRedirectTarget(true);
    const answer = await client().signOut('keep'); // unsent changes stay on this device
    setBusy(null);
    if (answer.ok) return router.navigate({ to: '/login', replace: true });
    pauseRedirectTarget(false);
    return setFault(answer.failure.message);
  }

  return (
    <Dialog
      title={terms.title}
      wide
      stays
      onClose={() => {}}
      footer={
        <>
          <Button variant="primary" busy={busy === 'accept'} onClick={() => void accept()}>
            Accept
          </Button>
          <Button busy={busy === 'decline'} onClick={() => void decline()}>
            Decline and log out
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3 px-5 py-4">
        {terms.text.split(/\n\s*\n/).map((paragraph) => (
          <p key={paragraph} className="m-0 break-words whitespace-pre-line">
            {paragraph.trim()}
          </p>
        ))}
        <p className="m-0 text-agate text-ink-3">Version {terms.version}</p>
        {fault !== null && (
          <p role="alert" className="m-0 text-failed">
            {fault}
          </p>
        )}
      </div>
    </Dialog>
  );
}

const NOTHING = {};
