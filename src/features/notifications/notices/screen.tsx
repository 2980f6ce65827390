import { Suspense, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { OutputOf } from '#contract/calls.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { APP_WORDS, getReaders, NOTICE_SEVERITIES } from './draft.ts';
import { useReaders } from './use-readers.ts';
import { adminNoticesMessages as t } from './messages.en.ts';

const NewNotice = lazyDialog(async () => (await import('./new-notice.tsx')).NewNotice);
type Published = OutputOf<'listPublishedNotifications'>[number];

/** `/admin/notices`: notices above the pages of this provider's users. */
export function AdminNotices() {
  const zone = useZone();
  const { value, at, failure, again } = useCachedQuery('listPublishedNotifications', EMPTY);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const readers = useReaders(useAbility('monitoring.users') && !offline);
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<Published | null>(null);
  const getName = (id: string): string | null =>
    readers.find(({ value: one }) => one === id)?.label ?? null;
  return (
    <Page
      title={t.notices}
      {...(value !== null && { detail: t.noticeCount({ count: value.length }) })}
      action={
        <Button
          variant="primary"
          icon="plus"
          disabled={offline}
          {...(offline && { 'data-tip': BASE.needsNetwork })}
          onClick={() => setMaking(true)}
        >
          {t.newNotice}
        </Button>
      }
    >
      <div className="min-h-full bg-sheet pt-4">
        {failure !== null && (
          <div className="px-4 pb-4 tablet:px-5">
            <RetryCallout failure={failure} offline={offline} onRetry={again}>
              {failure.message}
              {at !== null && (
                <span className="block text-agate text-ink-3">
                  {t.listFrom({ when: formatWhen(at, zone) })}
                </span>
              )}
            </RetryCallout>
          </div>
        )}
        {value === null ? (
          failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : value.length === 0 ? (
          <Notice icon="hint" level={2} title={t.noNotices}>
            <p className="m-0">{t.noNoticesHint}</p>
          </Notice>
        ) : (
          <ul aria-label={t.notices} className="m-0 list-none border-t-2 border-head-rule p-0">
            {value.map((one) => {
              const { _id: id } = one;
              const { label, tone } = NOTICE_SEVERITIES[one.severity];
              return (
                <li
                  key={id}
                  className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-b border-hair px-4 py-2.5 tablet:grid-cols-[120px_minmax(0,1fr)_160px_auto] tablet:px-5"
                >
                  <span className={`flex items-center gap-1.5 self-start ${TONES[tone]}`}>
                    <Icon name={tone} />
                    {label}
                  </span>
                  <div className="col-span-2 row-start-2 min-w-0 tablet:col-span-1 tablet:col-start-2 tablet:row-start-1">
                    <p className="m-0 break-words">{one.message}</p>
                    {one.link !== null && (
                      <p className="m-0 text-agate break-all text-ink-2">
                        {one.link}
                        {one.copy ? ` · ${t.canCopyLink}` : ''}
                      </p>
                    )}
                    <p className="m-0 text-agate break-words text-ink-3">
                      {[
                        APP_WORDS[one.app],
                        getReaders(one, getName),
                        one.hideAck ? t.noAcknowledging : t.acknowledgedBy({ count: one.acks }),
                        ...(one.hideClose ? [t.noClosing] : []),
                      ].join(' · ')}
                    </p>
                  </div>
                  <time
                    data-tip={formatUtc(one.at)}
                    className="col-span-2 row-start-3 text-agate text-ink-3 tablet:col-span-1 tablet:col-start-3 tablet:row-start-1 tablet:text-body"
                  >
                    {formatWhen(one.at, zone)}
                  </time>
                  <span className="col-start-2 row-start-1 tablet:col-start-4">
                    <Button
                      size="sm"
                      variant="quiet"
                      disabled={offline}
                      {...(offline && { 'data-tip': BASE.needsNetwork })}
                      aria-label={t.removeNamed({ text: one.message })}
                      onClick={() => setEnding(one)}
                    >
                      {uiMessages.remove}
                    </Button>
                  </span>
                </li>
              );
            })}
          </ul>
        )}
      </div>
      <Suspense>
        {making && (
          <NewNotice
            readers={readers}
            onClose={() => setMaking(false)}
            onMade={() => {
              setMaking(false);
              again();
            }}
          />
        )}
      </Suspense>
      {ending !== null && (
        <Ending
          one={ending}
          onClose={() => setEnding(null)}
          onEnded={() => {
            setEnding(null);
            again();
          }}
        />
      )}
    </Page>
  );
}

function Ending({
  one: { _id: id, message },
  onClose,
  onEnded,
}: {
  readonly one: Published;
  readonly onClose: () => void;
  readonly onEnded: () => void;
}) {
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  async function end(): Promise<void> {
    const ended = await mutation.send(() =>
      withReauth(() => client().ask('endNotification', { id })),
    );
    // Another user has already removed it.
    if (ended.ok || ended.failure.kind === 'not-found') {
      showSuccess(t.noticeRemoved);
      onEnded();
    }
  }
  return (
    <Dialog
      title={t.removeQuestion}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={mutation.busy} onClick={() => void end()}>
            {t.removeNotice}
          </Button>
          <Button onClick={onClose}>{uiMessages.cancel}</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-2 px-5 py-4">
        <p className="m-0 break-words">{message}</p>
        <p className="m-0 text-ink-2">{t.removeHint}</p>
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}

const TONES = {
  running: 'text-running',
  success: 'text-success',
  warning: 'text-warning',
  failed: 'text-failed',
} as const;
const EMPTY = {};
