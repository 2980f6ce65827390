import { useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import type { WebhookOut } from '#contract/notifications/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { tell, tellFailure } from '#src/ui/toasts.ts';
import { Editor } from './editor.tsx';
import { History } from './history.tsx';
import { Webhook } from './webhook.tsx';
import { idOf } from './labels.ts';

type Open =
  | { readonly is: 'new' }
  | { readonly is: 'edit' | 'remove' | 'renew' | 'history'; readonly one: WebhookOut }
  | {
      readonly is: 'secret';
      readonly name: string;
      readonly secret: string;
      readonly again: boolean;
    };

/**
 * `/monitoring/webhooks`: addresses that are told of what happens, and how each of them answered.
 */
export function Webhooks() {
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const zone = useZone();
  const now = useNow(5_000);
  const asked = useCachedQuery('listWebhooks', NOTHING, { everyMs: EVERY_MS });
  const all = asked.value?.webhooks ?? null;
  const names = new Map((useWatch('companies', NOTHING) ?? []).map(({ n, name }) => [n, name]));
  const [open, setOpen] = useState<Open | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const close = (): void => setOpen(null);
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  async function test(one: WebhookOut): Promise<void> {
    setBusy(idOf(one));
    const result = await client().ask('testWebhook', { id: idOf(one) });
    setBusy(null);
    if (!result.ok) tellFailure(result.failure.message);
    else if (result.value.ok) tell(`${one.name} answered ${result.value.code ?? ''}`);
    else tellFailure(result.value.says);
    asked.again();
  }
  async function remove(one: WebhookOut): Promise<void> {
    const result = await client().ask('removeWebhook', { id: idOf(one) });
    close();
    if (result.ok) tell('Webhook removed');
    else tellFailure(result.failure.message);
    asked.again();
  }
  async function renew(one: WebhookOut): Promise<void> {
    const result = await withReauth(() => client().ask('renewWebhookSecret', { id: idOf(one) }));
    if (result.ok) {
      setOpen({ is: 'secret', name: one.name, secret: result.value.secret, again: true });
      return;
    }
    close();
    tellFailure(result.failure.message);
  }
  const begin = (
    <CallButton
      call="makeWebhook"
      variant="primary"
      icon="plus"
      disabled={offline}
      {...why}
      onClick={() => setOpen({ is: 'new' })}
    >
      New webhook
    </CallButton>
  );

  return (
    <Page title="Webhooks" {...(all !== null && all.length > 0 && { action: begin })}>
      <div className="min-h-full bg-sheet">
        {offline && (
          <div className="px-5 py-3">
            <Callout tone="warning">
              A webhook can be made or changed with the network only.
              {asked.at !== null && ` What stands here is from ${formatWhen(asked.at, zone)}.`}
            </Callout>
          </div>
        )}
        {!offline && all !== null && asked.failure !== null && (
          <div className="px-5 py-3">
            <Callout
              tone="failed"
              alert
              action={
                <Button size="sm" onClick={asked.again}>
                  Try again
                </Button>
              }
            >
              {asked.failure.message}
            </Callout>
          </div>
        )}
        {all === null ? (
          asked.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="external"
              level={2}
              title="The webhooks are not here"
              actions={<Button onClick={asked.again}>Try again</Button>}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : asked.failure.message}</p>
            </Notice>
          )
        ) : all.length === 0 ? (
          <Notice
            icon="external"
            level={2}
            title="Nothing is told to another system yet"
            actions={begin}
          >
            <p className="m-0">
              A webhook is an address of yours that is told as soon as a job fails, does not run, or
              something else goes wrong. Each message is signed, so that your side can tell that it
              comes from here. It is for who sees all companies.
            </p>
            {offline && <p className="m-0">A new webhook needs the network.</p>}
          </Notice>
        ) : (
          all.map((one) => (
            <Webhook
              key={idOf(one)}
              one={one}
              names={names}
              zone={zone}
              now={now}
              offline={offline}
              busy={busy === idOf(one)}
              onTest={() => void test(one)}
              onHistory={() => setOpen({ is: 'history', one })}
              onEdit={() => setOpen({ is: 'edit', one })}
              onRenew={() => setOpen({ is: 'renew', one })}
              onRemove={() => setOpen({ is: 'remove', one })}
            />
          ))
        )}
      </div>
      {(open?.is === 'new' || open?.is === 'edit') && (
        <Editor
          kept={open.is === 'edit' ? open.one : null}
          offline={offline}
          onClose={close}
          onSaved={(name, secret) => {
            setOpen(secret === null ? null : { is: 'secret', name, secret, again: false });
            asked.again();
          }}
        />
      )}
      {open?.is === 'history' && (
        <History
          id={idOf(open.one)}
          name={open.one.name}
          enabled={open.one.enabled}
          zone={zone}
          now={now}
          offline={offline}
          onClose={close}
        />
      )}
      {open?.is === 'secret' && (
        <Dialog
          title={open.name}
          wide
          stays
          onClose={close}
          footer={<Button onClick={close}>I have kept the secret</Button>}
        >
          <section className="grid grid-cols-1 gap-2 px-5 py-4">
            <h3 className="m-0">Secret</h3>
            <CopyText text={open.secret} copied="Secret copied" label="Copy the secret" />
            <p className="m-0 text-ink-2">
              Shown this once, and kept sealed. Your side checks each message with it, as Standard
              Webhooks describe: HMAC-SHA256 over webhook-id, webhook-timestamp and the body, in
              webhook-signature.{open.again && ' The secret before is good for another day.'}
            </p>
          </section>
        </Dialog>
      )}
      {open?.is === 'renew' && (
        <Dialog
          title="Make a new secret?"
          onClose={close}
          footer={
            <>
              <Button
                variant="primary"
                disabled={offline}
                {...why}
                onClick={() => void renew(open.one)}
              >
                Make a new secret
              </Button>
              <Button onClick={close}>Cancel</Button>
            </>
          }
        >
          <p className="m-0 px-5 py-4 break-words">
            <b>{open.one.name}</b>: messages are signed with both secrets for a day, so that nothing
            is lost while you change it on your side.
          </p>
        </Dialog>
      )}
      {open?.is === 'remove' && (
        <Dialog
          title="Remove this webhook?"
          onClose={close}
          footer={
            <>
              <Button
                variant="danger"
                disabled={offline}
                {...why}
                onClick={() => void remove(open.one)}
              >
                Remove the webhook
              </Button>
              <Button onClick={close}>Cancel</Button>
            </>
          }
        >
          <div className="grid grid-cols-1 gap-2 px-5 py-4">
            <p className="m-0 break-words">
              <b>{open.one.name}</b>, {open.one.url}
            </p>
            <p className="m-0 text-ink-2">
              Nothing is told there any more. Its secret, its history and what waits for it are
              destroyed. This cannot be undone.
            </p>
          </div>
        </Dialog>
      )}
    </Page>
  );
}

const NOTHING = {};
const EVERY_MS = 10_000;
