import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { MESSAGES } from '#contract/messages.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DeleteDialog } from '../shared/delete-dialog.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { Tabs } from '#src/ui/tabs.tsx';
import { showFailure } from '#src/ui/toasts.ts';
import { slaAddress, slaPlace } from './address.ts';
import type { SlaPlace } from './address.ts';
import { AlarmList } from './alarms.tsx';
import { Editor } from './editor.tsx';
import { createAlarmForm, getAlarmForm } from './form.ts';
import { SlaResults } from './report.tsx';
import { scopeText } from './labels.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { slaMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

/**
 * `/monitoring/sla`: targets for the age of backups and the success rate, as alarms and as a report
 * (SLA-5).
 */
export function Sla() {
  const { history } = useRouter();
  const place = slaPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const { view, alarm: open } = place;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY);
  const zone = useZone();
  const now = useNow(30_000);
  const canManage = useAbility('monitoring.job-actions');
  const request = useCachedQuery('listSlaAlarms', EMPTY, { everyMs: 300_000 });
  const [deleting, setDeleting] = useState(false);
  const [gone, setGone] = useState<string | null>(null);
  const alarms = request.value?.alarms ?? null;
  const alarm = alarms?.find((one) => getId(one) === open && open !== gone) ?? null;
  const all = (companies ?? []).map(({ n, name }) => [n, name] as const);
  const names = new Map(all);
  const getName = (n: number): string => names.get(n) ?? t.unknownCompany;
  const go = (next: Partial<SlaPlace>): void =>
    history.push(slaAddress(view === 'report' ? { ...place, ...next } : next));

  const close = (): void => {
    history.push(slaAddress({}));
    requestAnimationFrame(() =>
      (
        document.querySelector<HTMLElement>(
          open === null ? '#content' : `[data-alarm="${CSS.escape(open)}"]`,
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
    const result = await client().ask('removeSlaAlarm', { id: open });
    if (result.ok) flushSync(() => setGone(open));
    setDeleting(false);
    if (!result.ok) return showFailure(result.failure.message);
    saved();
  }
  const make = (
    <Button
      variant="primary"
      icon="plus"
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => history.push(slaAddress({ alarm: 'new' }))}
    >
      {t.newAlarm}
    </Button>
  );
  const initial =
    open === 'new' ? createAlarmForm(place.job) : alarm === null ? null : getAlarmForm(alarm);
  const edits = open !== null && canManage && view === 'alarms';

  return (
    <Page
      title={t.title}
      {...(view === 'alarms' &&
        !edits &&
        canManage &&
        (alarms?.length ?? 0) > 0 && { action: make })}
      {...(view === 'report' && {
        search: (
          <SearchField
            label={t.search}
            value={place.text}
            focusKey="/"
            onChange={(text) => history.replace(slaAddress({ ...place, text, page: 1 }))}
          />
        ),
      })}
    >
      <div className="flex min-h-full flex-col bg-sheet">
        {edits ? (
          alarms === null && open !== 'new' ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : initial === null ? (
            <Notice
              icon="clock"
              level={2}
              title={t.notFound}
              actions={<Button onClick={close}>{t.allAlarms}</Button>}
            >
              <p className="m-0">{t.notFoundHint}</p>
            </Notice>
          ) : (
            <Editor
              key={open}
              id={open === 'new' ? null : open}
              initial={initial}
              jobName={
                alarm?.job
                  ? scopeText(alarm, getName)
                  : open === 'new'
                    ? (place.job?.name ?? null)
                    : null
              }
              offline={offline}
              companies={all}
              people={(request.value?.people ?? []).map(({ id, name }) => [id, name] as const)}
              onSaved={saved}
              onClose={close}
              onDelete={open === 'new' ? null : () => setDeleting(true)}
            />
          )
        ) : (
          <Tabs
            label={t.title}
            tabs={[
              { key: 'alarms', label: t.alarms, count: alarms?.length ?? null },
              { key: 'report', label: t.report },
            ]}
            chosen={view}
            className="bg-paper px-4 tablet:px-5"
            panelClassName="grow"
            onChoose={(next) => history.push(slaAddress({ view: next }))}
          >
            {view === 'report' ? (
              <SlaResults place={place} offline={offline} companies={all} onPlace={go} />
            ) : (
              <>
                {offline && (
                  <div className="px-5 py-3">
                    <Callout tone="warning">
                      {request.at === null
                        ? t.offline
                        : t.offlineSince({ when: formatWhen(request.at, zone) })}
                    </Callout>
                  </div>
                )}
                {alarms === null ? (
                  request.failure === null ? (
                    <DelayedFallback>
                      <PageLoading />
                    </DelayedFallback>
                  ) : (
                    <Notice
                      icon="clock"
                      level={2}
                      title={t.notLoaded}
                      actions={offerRetry(request.failure, request.again)}
                    >
                      <p className="m-0">
                        {offline ? MESSAGES.needsNetwork : request.failure.message}
                      </p>
                    </Notice>
                  )
                ) : alarms.length === 0 ? (
                  <Notice
                    icon="clock"
                    level={2}
                    title={t.none}
                    {...(canManage && { actions: make })}
                  >
                    <p className="m-0">{t.noneHint}</p>
                  </Notice>
                ) : (
                  <AlarmList
                    alarms={alarms}
                    zone={zone}
                    now={now}
                    getName={getName}
                    onOpen={canManage ? (id) => history.push(slaAddress({ alarm: id })) : null}
                  />
                )}
              </>
            )}
          </Tabs>
        )}
      </div>
      {deleting && alarm !== null && (
        <DeleteDialog
          title={t.deleteTitle}
          confirmLabel={t.deleteAlarm}
          name={<b>{alarm.name}</b>}
          consequence={t.deleteHint}
          onDelete={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

const EMPTY = {};
