import { useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import type { WebhookOut } from '#contract/notifications/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
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
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { Editor } from './editor.tsx';
import { History } from './history.tsx';
import { Webhook } from './webhook.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { webhookMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'remove' | 'renew' | 'history'; readonly one: WebhookOut }
  | {
      readonly kind: 'secret';
      readonly name: string;
      readonly secret: string;
      readonly again: boolean;
    };

/** `/monitoring/webhooks`: webhooks and their last responses. */
export function Webhooks() {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const now = useNow(5_000);
  const request = useCachedQuery('listWebhooks', EMPTY, { everyMs: EVERY_MS });
  const all = request.value?.webhooks ?? null;
  const names = new Map((useWatch('companies', EMPTY) ?? []).map(({ n, name }) => [n, name]));
  const [open, setOpen] = useState<Open | null>(null);
  const mutation = useServerMutation();
  const close = (): void => setOpen(null);
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  async function test(one: WebhookOut): Promise<void> {
    const result = await mutation.send(
      () => client().ask('testWebhook', { id: getId(one) }),
      getId(one),
    );
    if (!result.ok) showFailure(result.failure.message);
    else if (result.value.ok)
      showSuccess(t.tested({ name: one.name, code: result.value.code ?? '' }));
    else showFailure(result.value.message);
    request.again();
  }
  async function remove(one: WebhookOut): Promise<void> {
    const result = await client().ask('removeWebhook', { id: getId(one) });
    close();
    if (result.ok) showSuccess(t.removed);
    else showFailure(result.failure.message);
    request.again();
  }
  async function renew(one: WebhookOut): Promise<void> {
    const result = await withReauth(() => client().ask('renewWebhookSecret', { id: getId(one) }));
    if (result.ok) {
      setOpen({ kind: 'secret', name: one.name, secret: result.value.secret, again: true });
      return;
    }
    close();
    showFailure(result.failure.message);
  }
  const begin = (
    <CallButton
      call="createWebhook"
      variant="primary"
      icon="plus"
      disabled={offline}
      {...why}
      onClick={() => setOpen({ kind: 'new' })}
    >
      {t.newWebhook}
    </CallButton>
  );

  return (
    <Page title={t.title} {...(all !== null && all.length > 0 && { action: begin })}>
      <div className="min-h-full bg-sheet">
        {offline && (
          <div className="px-5 py-3">
            <Callout tone="warning">
              {request.at === null
                ? t.offline
                : t.offlineSince({ when: formatWhen(request.at, zone) })}
            </Callout>
          </div>
        )}
        {!offline && all !== null && request.failure !== null && (
          <div className="px-5 py-3">
            <RetryCallout failure={request.failure} onRetry={request.again}>
              {request.failure.message}
            </RetryCallout>
          </div>
        )}
        {all === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="external"
              level={2}
              title={t.notLoaded}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
            </Notice>
          )
        ) : all.length === 0 ? (
          <Notice icon="external" level={2} title={t.none} actions={begin}>
            <p className="m-0">{t.noneHint}</p>
            <p className="m-0">{t.noneAccess}</p>
            {offline && <p className="m-0">{t.noneOffline}</p>}
          </Notice>
        ) : (
          all.map((one) => (
            <Webhook
              key={getId(one)}
              one={one}
              names={names}
              zone={zone}
              now={now}
              offline={offline}
              busy={mutation.pending === getId(one)}
              onTest={() => void test(one)}
              onHistory={() => setOpen({ kind: 'history', one })}
              onEdit={() => setOpen({ kind: 'edit', one })}
              onRenew={() => setOpen({ kind: 'renew', one })}
              onRemove={() => setOpen({ kind: 'remove', one })}
            />
          ))
        )}
      </div>
      {(open?.kind === 'new' || open?.kind === 'edit') && (
        <Editor
          webhook={open.kind === 'edit' ? open.one : null}
          offline={offline}
          onClose={close}
          onSaved={(name, secret) => {
            setOpen(secret === null ? null : { kind: 'secret', name, secret, again: false });
            request.again();
          }}
        />
      )}
      {open?.kind === 'history' && (
        <History
          id={getId(open.one)}
          name={open.one.name}
          enabled={open.one.enabled}
          zone={zone}
          now={now}
          offline={offline}
          onClose={close}
        />
      )}
      {open?.kind === 'secret' && (
        <Dialog
          title={open.name}
          wide
          stays
          onClose={close}
          footer={<Button onClick={close}>{ui.done}</Button>}
        >
          <section className="grid grid-cols-1 gap-2 px-5 py-4">
            <h3 className="m-0">{t.secret}</h3>
            <CopyText text={open.secret} copied={t.copiedSecret} label={t.copySecret} />
            <p className="m-0">{t.secretHint}</p>
            <p className="m-0 text-ink-2">
              {t.secretUse} {open.again && t.secretPrevious}
            </p>
          </section>
        </Dialog>
      )}
      {open?.kind === 'renew' && (
        <Dialog
          title={t.renewTitle}
          onClose={close}
          footer={
            <>
              <Button
                variant="primary"
                disabled={offline}
                {...why}
                onClick={() => void renew(open.one)}
              >
                {t.renew}
              </Button>
              <Button onClick={close}>{ui.cancel}</Button>
            </>
          }
        >
          <div className="grid grid-cols-1 gap-2 px-5 py-4">
            <p className="m-0 break-words">
              <b>{open.one.name}</b>
            </p>
            <p className="m-0 text-ink-2">{t.renewHint}</p>
          </div>
        </Dialog>
      )}
      {open?.kind === 'remove' && (
        <Dialog
          title={t.removeTitle}
          onClose={close}
          footer={
            <>
              <Button
                variant="danger"
                disabled={offline}
                {...why}
                onClick={() => void remove(open.one)}
              >
                {t.removeWebhook}
              </Button>
              <Button onClick={close}>{ui.cancel}</Button>
            </>
          }
        >
          <div className="grid grid-cols-1 gap-2 px-5 py-4">
            <p className="m-0 break-words">
              <b>{open.one.name}</b>, {open.one.url}
            </p>
            <p className="m-0 text-ink-2">{t.removeHint}</p>
          </div>
        </Dialog>
      )}
    </Page>
  );
}

const EMPTY = {};
const EVERY_MS = 10_000;
