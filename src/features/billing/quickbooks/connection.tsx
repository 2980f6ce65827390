import { useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { FormEvent } from 'react';
import { ENVIRONMENTS, quickBooksCalls } from '#contract/billing/quickbooks-calls.ts';
import type { QuickBooksEnvironment, QuickBooksState } from '#contract/billing/quickbooks-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Select } from '#src/ui/select.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { quickBooksMessages as t } from './messages.en.ts';

export interface ConnectionProps {
  readonly quickBooks: QuickBooksState;
  readonly offline: boolean;
  readonly zone: string;
  /** Error message of the callback from Intuit; null without one. */
  readonly message: string | null;
  readonly onSaved: (stored: QuickBooksState) => void;
  readonly onGone: () => void;
}

const WORDS: Readonly<Record<QuickBooksEnvironment, string>> = {
  production: t.production,
  sandbox: t.sandbox,
};

/** The Intuit app and its granted access (BILL-6). */
export function Connection({
  quickBooks,
  offline,
  zone,
  message,
  onSaved,
  onGone,
}: ConnectionProps) {
  const {
    form: { environment, clientId, secret },
    change,
    error: formError,
    busy: isSaving,
    dirty,
    save: submit,
    reset,
  } = useDraftForm({
    initial: { environment: quickBooks.environment, clientId: quickBooks.clientId, secret: '' },
    offline,
    schema,
    submit: (input) => withReauth(() => client().ask('setQuickBooks', input)),
    onSaved: (next) => {
      reset({ environment: next.environment, clientId: next.clientId, secret: '' });
      showSuccess(t.keysSaved);
      onSaved(next);
    },
  });
  const mutation = useServerMutation();
  const [tested, setTested] = useState<{ readonly ok: boolean; readonly message: string } | null>(
    null,
  );
  const [removing, setRemoving] = useState(false);
  const busy = isSaving || mutation.busy;
  const error = formError ?? mutation.failure?.message ?? null;
  const other = environment !== quickBooks.environment || clientId.trim() !== quickBooks.clientId;
  const saved = !other && secret === '' && quickBooks.secret;
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  /** Forgets what earlier actions said. */
  const begin = (): void => {
    setTested(null);
    mutation.clear();
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    begin();
    void submit();
  };
  async function connect(): Promise<void> {
    begin();
    const answer = await mutation.send(() => withReauth(() => client().ask('beginQuickBooks', {})));
    if (answer.ok) location.assign(answer.value.url);
  }
  async function test(): Promise<void> {
    begin();
    const answer = await mutation.send(() => withReauth(() => client().ask('testQuickBooks', {})));
    if (!answer.ok) return;
    setTested({ ok: answer.value.ok, message: answer.value.message });
    onSaved(answer.value.state);
  }
  async function remove(): Promise<void> {
    begin();
    const answer = await mutation.send(() =>
      withReauth(() => client().ask('removeQuickBooks', {})),
    );
    if (!answer.ok) return;
    setRemoving(false);
    reset({ environment: 'production', clientId: '', secret: '' });
    showSuccess(t.disconnected);
    onGone();
  }

  return (
    <>
      <UnsavedQuestion dirty={dirty} />
      <form onSubmit={save}>
        <FormSection title={t.intuitApp} description={t.intuitAppHint}>
          <Select
            block
            label={t.environment}
            value={environment}
            options={ENVIRONMENTS.map((value) => ({ value, label: WORDS[value] }))}
            onChange={(next) => change({ environment: next })}
          />
          <TextField
            label={t.clientId}
            required
            value={clientId}
            autoComplete="off"
            onChange={({ target }) => change({ clientId: target.value })}
          />
          <TextField
            label={t.clientSecret}
            required={!quickBooks.secret || other}
            type="password"
            value={secret}
            autoComplete="new-password"
            hint={quickBooks.secret && !other ? t.secretStored : t.secretHint}
            onChange={({ target }) => change({ secret: target.value })}
          />
          <div className="grid gap-1 text-ink-2">
            <span>{t.redirectUriHint}</span>
            <CopyText text={quickBooks.back} label={t.copyRedirectUri} copied={t.uriCopied} />
          </div>
          {quickBooks.realm !== null && other && (
            <Callout tone="warning">{t.newKeysDisconnect}</Callout>
          )}
          <div>
            <CallButton
              call="setQuickBooks"
              type="submit"
              variant={saved ? 'default' : 'primary'}
              busy={busy}
              disabled={offline || clientId.trim() === '' || (saved && secret === '')}
              {...why}
            >
              {t.saveKeys}
            </CallButton>
          </div>
        </FormSection>
      </form>
      <FormSection title={t.connection} description={t.connectionHint}>
        {message !== null && (
          <Callout tone="failed" alert>
            {message}
          </Callout>
        )}
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        {tested !== null && (
          <Callout tone={tested.ok ? 'success' : 'failed'} alert>
            {tested.message}
          </Callout>
        )}
        {tested === null && quickBooks.error !== null && (
          <Callout tone={quickBooks.ended ? 'failed' : 'warning'}>
            {quickBooks.error}
            {!quickBooks.ended && ` ${t.retrying}`}
          </Callout>
        )}
        <p className="m-0 text-ink-2">{statusText(quickBooks, zone)}</p>
        <div className="flex flex-wrap items-center gap-2">
          <CallButton
            call="beginQuickBooks"
            variant={
              saved && (quickBooks.realm === null || quickBooks.ended) ? 'primary' : 'default'
            }
            busy={busy}
            disabled={offline || !saved}
            {...(offline ? why : saved ? {} : { 'data-tip': t.saveKeysFirst })}
            onClick={() => void connect()}
          >
            {quickBooks.realm === null ? t.connectQuickBooks : t.reconnect}
          </CallButton>
          {quickBooks.realm !== null && !quickBooks.ended && (
            <CallButton
              call="testQuickBooks"
              busy={busy}
              disabled={offline}
              {...why}
              onClick={() => void test()}
            >
              {t.testAndSync}
            </CallButton>
          )}
          {(quickBooks.secret || quickBooks.realm !== null) && (
            <CallButton
              call="removeQuickBooks"
              variant="quiet"
              disabled={offline || busy}
              {...why}
              onClick={() => setRemoving(true)}
            >
              {t.disconnect}
            </CallButton>
          )}
        </div>
      </FormSection>
      {removing && (
        <Dialog
          title={t.disconnectQuestion}
          onClose={() => setRemoving(false)}
          footer={
            <>
              <Button variant="danger" busy={busy} onClick={() => void remove()}>
                {t.disconnect}
              </Button>
              <Button onClick={() => setRemoving(false)}>{uiMessages.cancel}</Button>
            </>
          }
        >
          <p className="m-0 px-5 py-4">{t.disconnectHint({ count: quickBooks.invoices })}</p>
        </Dialog>
      )}
    </>
  );
}

function statusText(
  { realm, ended, connectedAt, readAt, invoices }: QuickBooksState,
  zone: string,
): string {
  if (realm === null) return t.notConnected;
  const connected =
    connectedAt === null
      ? t.connectedTo({ realm })
      : t.connectedSince({ realm, when: formatWhen(connectedAt, zone) });
  const synced =
    readAt !== null
      ? t.lastSync({ when: formatWhen(readAt, zone), count: invoices })
      : ended
        ? t.neverSynced
        : t.syncing;
  return `${connected} ${synced}`;
}

interface KeysForm {
  readonly environment: QuickBooksEnvironment;
  readonly clientId: string;
  readonly secret: string;
}
const schema = makeFormSchema(
  quickBooksCalls.setQuickBooks.input,
  ({ environment, clientId, secret }: KeysForm) => ({
    value: { environment, clientId: clientId.trim(), ...(secret !== '' && { secret }) },
  }),
);
