import { formatList } from '#contract/i18n/list.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { hostsIn, hostsText } from './host-names.ts';
import { adminProvidersMessages as t } from './messages.en.ts';

export interface HostsProps {
  readonly of: ProviderListed;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** The host names of a provider's portal. */
export function Hosts({ of: { _id: id, name, hosts }, onClose, onSaved }: HostsProps) {
  const { form, change, errors, error, busy, save } = useDraftForm({
    initial: { hosts: hostsText(hosts) },
    schema: makeHostsSchema(id),
    submit: (input) => withReauth(() => client().ask('setHosts', input)),
    onSaved: () => {
      showSuccess(t.hostNamesSaved);
      onSaved();
    },
  });
  const next = hostsIn(form.hosts);
  const gone = hosts.filter((host) => !next.includes(host));
  const here = gone.includes(location.hostname);

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
          value={form.hosts}
          error={Object.values(errors)[0] ?? error}
          spellCheck={false}
          autoCapitalize="none"
          onChange={({ target }) => change({ hosts: target.value })}
          hint={t.hostsHint}
        />
        {gone.length > 0 && (
          <Callout tone="warning">
            {here && `${t.signsYouOut} `}
            {t.removedHosts({ count: gone.length, hosts: formatList(gone, 'plain') })}
          </Callout>
        )}
      </form>
    </Dialog>
  );
}

const makeHostsSchema = (id: string) =>
  makeFormSchema(
    providerCalls.setHosts.input,
    ({ hosts }: { readonly hosts: string }) => ({ value: { id, hosts: [...hostsIn(hosts)] } }),
    { hosts: t.hostsNotValid },
  );
