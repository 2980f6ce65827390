import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { MESSAGES } from '#contract/messages.ts';
import type { HintOut } from '#contract/hints/calls.ts';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DeleteDialog } from '../shared/delete-dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { hintsAddress } from '../shared/page-links/hints.ts';
import { Editor } from './editor.tsx';
import { getHintForm, hintsPlace } from './form.ts';
import { HintList } from './list.tsx';
import { conditionsText } from './labels.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { hintMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

/** `/monitoring/hints`: instructions for known problems (HINT-4). */
export function Hints() {
  const { history } = useRouter();
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const place = hintsPlace(search);
  const { open, find } = place;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const now = useNow(30_000);
  const canManage = useMe()?.companies === null;
  const request = useCachedQuery('listHints', EMPTY);
  const [deleting, setDeleting] = useState(false);
  const [gone, setGone] = useState<string | null>(null);
  const hints = request.value?.hints ?? null;
  const hint = hints?.find((one) => getId(one) === open && open !== gone) ?? null;
  const found = hints?.filter((one) => getText(one).includes(find.trim().toLowerCase())) ?? [];

  const close = (): void => {
    history.push(hintsAddress(null));
    requestAnimationFrame(() =>
      (
        document.querySelector<HTMLElement>(
          open === null ? '#content' : `[data-hint="${CSS.escape(open)}"]`,
        ) ?? document.querySelector<HTMLElement>('#content')
      )?.focus(),
    );
  };
  const saved = (): void => {
    request.again();
    close();
  };
  async function remove(): Promise<void> {
    if (open === null) return;
    const details = await client().ask('removeHint', { id: open });
    if (details.ok) flushSync(() => setGone(open)); // its editor must not ask about unsaved changes
    setDeleting(false);
    if (!details.ok) return showFailure(details.failure.message);
    showSuccess(t.deleted);
    saved();
  }
  const make = (
    <Button
      variant="primary"
      icon="plus"
      disabled={offline || !canManage}
      {...((offline || !canManage) && {
        'data-tip': offline ? MESSAGES.needsNetwork : MESSAGES.hintNotYours,
      })}
      onClick={() => history.push(hintsAddress('new'))}
    >
      {t.newHint}
    </Button>
  );
  const initial = open === 'new' ? place.initial : hint === null ? null : getHintForm(hint);
  const listed = open === null && hints !== null && hints.length > 0;

  return (
    <Page
      title={t.title}
      {...(listed && { action: make })}
      {...(listed && {
        search: (
          <SearchField
            label={t.search}
            value={find}
            focusKey="/"
            onChange={(q) =>
              history.replace(
                q === ''
                  ? hintsAddress(null)
                  : `${hintsAddress(null)}?${new URLSearchParams({ q }).toString()}`,
              )
            }
          />
        ),
      })}
    >
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
        {!canManage && (
          <div className="px-5 py-3">
            <Callout tone="running">{MESSAGES.hintNotYours}</Callout>
          </div>
        )}
        {hints === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="hint"
              level={2}
              title={t.notLoaded}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
            </Notice>
          )
        ) : initial !== null && canManage ? (
          <Editor
            key={search}
            id={open === 'new' ? null : open}
            initial={initial}
            offline={offline}
            onSaved={saved}
            onClose={close}
            onDelete={open === 'new' ? null : () => setDeleting(true)}
          />
        ) : open !== null && canManage ? (
          <Notice
            icon="hint"
            level={2}
            title={t.notFound}
            actions={<Button onClick={close}>{t.allHints}</Button>}
          >
            <p className="m-0">{t.notFoundHint}</p>
          </Notice>
        ) : hints.length === 0 ? (
          <Notice icon="hint" level={2} title={t.none} actions={make}>
            <p className="m-0">{t.noneHint}</p>
          </Notice>
        ) : found.length === 0 ? (
          <Notice
            icon="search"
            level={2}
            title={t.noneFound}
            actions={
              <Button onClick={() => history.replace(hintsAddress(null))}>{t.allHints}</Button>
            }
          >
            <p className="m-0">{t.noneFoundHint({ text: find.trim() })}</p>
          </Notice>
        ) : (
          <>
            <p className="m-0 px-4 py-3 text-ink-2 tablet:px-5">{t.listHint}</p>
            <HintList
              hints={found}
              now={now}
              onOpen={(id) => {
                if (canManage) history.push(hintsAddress(id));
              }}
            />
          </>
        )}
      </div>
      {deleting && hint !== null && (
        <DeleteDialog
          title={t.deleteTitle}
          confirmLabel={t.deleteHint}
          name={<b>{hint.name}</b>}
          consequence={t.deleteConsequence}
          onDelete={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

const getText = ({ name, when, summary, steps }: HintOut): string =>
  [name, conditionsText(when), summary, ...steps].join('\n').toLowerCase();
const EMPTY = {};
