import { useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { SyntheticEvent } from 'react';
import { providerCalls } from '#contract/providers/calls.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { findFormErrors } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { tell } from '#src/ui/toasts.ts';
import { hostsIn, hostsText } from './host-names.ts';
import { adminProvidersMessages as t } from './messages.en.ts';

export interface HostsProps {
  readonly of: ProviderListed;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** The host names of a provider's portal. */
export function Hosts({ of: { _id: id, name, hosts }, onClose, onSaved }: HostsProps) {
  const [typed, setTyped] = useState(hostsText(hosts));
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const next = hostsIn(typed);
  const gone = hosts.filter((host) => !next.includes(host));
  const here = gone.includes(location.hostname);

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const input = { id, hosts: [...next] };
    const [wrong] = Object.values(
      findFormErrors(providerCalls.setHosts.input, input, {
        hosts: t.hostsNotValid,
      }),
    );
    setError(wrong ?? null);
    if (wrong !== undefined) return;
    setBusy(true);
    const saved = await withReauth(() => client().ask('setHosts', input));
    setBusy(false);
    if (saved.ok) {
      tell(t.hostNamesSaved);
      onSaved();
    } else
      setError(
        saved.failure.kind === 'bad-input'
          ? (saved.failure.issues[0]?.message ?? saved.failure.message)
          : saved.failure.message,
      );
  }

  return (
    <Dialog
      title={t.hostNamesOf({ name })}
      onClose={onClose}
      footer={
        <>
          <Button
            variant="primary"
            type="submit"
            form="hosts"
            busy={busy}
            disabled={hostsText(next) === hostsText(hosts)}
          >
            {uiMessages.save}
          </Button>
          <Button onClick={onClose}>{uiMessages.cancel}</Button>
        </>
      }
    >
      <form
        id="hosts"
        noValidate
        className="grid grid-cols-1 gap-3 px-5 py-4"
        onSubmit={(event) => void save(event)}
      >
        <TextArea
          label={t.hostNames}
          mono
          rows={6}
          value={typed}
          error={error}
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => {
            setTyped(event.target.value);
            setError(null);
          }}
          hint={t.hostsHint}
        />
        {gone.length > 0 && (
          <Callout tone="warning">
            {here && `${t.signsYouOut} `}
            {t.removedHosts({ count: gone.length, hosts: gone.join(', ') })}
          </Callout>
        )}
      </form>
    </Dialog>
  );
}
