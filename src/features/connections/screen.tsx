import { useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import type { Entity } from '#contract/connections/connection.ts';
import type { ConnectionOut } from '#contract/connections/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useHashTarget } from '#src/ui/use-hash-target.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { showSuccess, showFailure, showInfo } from '#src/ui/toasts.ts';
import { Editor } from './editor.tsx';

import { type FoundEntity, FoundDialog } from './found.tsx';
import { JobButtons } from './job-buttons.tsx';
import { Connection } from './connection.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { connectionMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'remove'; readonly one: ConnectionOut }
  | {
      readonly kind: 'found';
      readonly one: ConnectionOut;
      readonly entity: FoundEntity;
      readonly unlinked: boolean;
    };

/**
 * `/monitoring/connections`: systems that the portal reads results from, and the last sync of each
 * part.
 */
export function Connections() {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY);
  const zone = useZone();
  const now = useNow(5_000);
  const [soon, setSoon] = useState(false);
  const request = useCachedQuery('listConnections', EMPTY, { everyMs: soon ? SOON_MS : EVERY_MS });
  const [open, setOpen] = useState<Open | null>(null);
  const { value: all } = request;
  useHashTarget(all !== null);
  // Polls more often while a sync is running.
  const reading =
    all?.some(
      ({ enabled, collections }) =>
        enabled && collections.some(({ status }) => status === 'running' || status === 'waiting'),
    ) ?? false;
  if (reading !== soon) setSoon(reading);
  const close = (): void => setOpen(null);
  const names = new Map(companies?.map(({ n, name }) => [n, name]));
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  async function sync(one: ConnectionOut, entity?: Entity): Promise<void> {
    const result = await client().ask('syncConnection', {
      id: getId(one),
      ...(entity !== undefined && { entity }),
    });
    if (result.ok) showInfo(t.syncing({ name: one.name }));
    else showFailure(result.failure.message);
    request.again();
  }
  async function remove(one: ConnectionOut): Promise<void> {
    const result = await withReauth(() => client().ask('deleteConnection', { id: getId(one) }));
    close();
    if (result.ok) showSuccess(t.removed);
    else showFailure(result.failure.message);
    request.again();
  }
  const begin = (
    <CallButton
      call="createConnection"
      variant="primary"
      icon="plus"
      disabled={offline || companies === undefined}
      {...why}
      onClick={() => setOpen({ kind: 'new' })}
    >
      {t.newConnection}
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
              icon="cloud"
              level={2}
              title={t.notLoaded}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
            </Notice>
          )
        ) : all.length === 0 ? (
          <Notice icon="cloud" level={2} title={t.none} actions={begin}>
            <p className="m-0">{t.noneHint}</p>
            {offline && <p className="m-0">{t.noneOffline}</p>}
          </Notice>
        ) : (
          all.map((one) => (
            <Connection
              key={getId(one)}
              one={one}
              company={
                one.companyN === null
                  ? null
                  : (names.get(one.companyN) ?? t.companyNumber({ n: one.companyN }))
              }
              zone={zone}
              now={now}
              offline={offline}
              onSync={(entity) => void sync(one, entity)}
              onEdit={() => setOpen({ kind: 'edit', one })}
              onRemove={() => setOpen({ kind: 'remove', one })}
              onFound={(entity, unlinked) => setOpen({ kind: 'found', one, entity, unlinked })}
            />
          ))
        )}
      </div>
      {(open?.kind === 'new' || open?.kind === 'edit') && companies !== undefined && (
        <Editor
          connection={open.kind === 'edit' ? open.one : null}
          companies={companies}
          zone={zone}
          offline={offline}
          onClose={close}
          onSaved={() => {
            close();
            request.again();
          }}
        />
      )}
      {open?.kind === 'found' && (
        <FoundDialog
          id={getId(open.one)}
          name={open.one.name}
          entity={open.entity}
          unlinked={open.unlinked}
          companies={names}
          zone={zone}
          onClose={close}
          {...(open.entity === 'jobs' && {
            everyMs: EVERY_MS / 2,
            renderActions: (job, again) => (
              <JobButtons connection={getId(open.one)} job={job} offline={offline} onDone={again} />
            ),
          })}
        />
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
                {t.removeConnection}
              </Button>
              <Button onClick={close}>{ui.cancel}</Button>
            </>
          }
        >
          <div className="grid grid-cols-1 gap-2 px-5 py-4">
            <p className="m-0 break-words">
              <b>{open.one.name}</b>, {open.one.address}
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
const SOON_MS = 2_000;
