import { useRouter, useRouterState } from '@tanstack/react-router';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import type { SettingOut } from '#contract/reports/calls.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
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
import { Tabs } from '#src/ui/tabs.tsx';
import { showSuccess, showFailure, showInfo } from '#src/ui/toasts.ts';
import { reportsAddress, reportsPlace } from './address.ts';
import type { ReportsPlace } from './address.ts';
import { Editor } from './editor.tsx';
import { getReportForm, newReportForm } from './form.ts';
import { History } from './history.tsx';
import { ReportList } from './list.tsx';
import { ReportPage } from './report-page.tsx';
import { reportMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

/**
 * `/monitoring/report-settings`: scheduled reports and the history of sent ones (REPORT-2,
 * REPORT-7).
 */
export function ReportSettings() {
  const { history } = useRouter();
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const place = reportsPlace(search);
  const { open, sent } = place;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const companies = (useWatch('companies', EMPTY) ?? [])
    .map(({ n, name }) => [n, name] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b));
  const request = useCachedQuery('listReportSettings', EMPTY);
  const templates = useCachedQuery('listReportTemplates', EMPTY).value;
  const mutation = useServerMutation();
  const [deleting, setDeleting] = useState(false);
  const [gone, setGone] = useState<string | null>(null);
  const settings = request.value?.settings ?? null;
  const setting = settings?.find((one) => getId(one) === open && open !== gone) ?? null;
  const names = new Map(companies);
  const go = (next: Partial<ReportsPlace>): void => history.push(reportsAddress(next));

  const close = (): void => {
    go({ tab: place.tab });
    requestAnimationFrame(() =>
      (
        document.querySelector<HTMLElement>(
          open === null ? '#content' : `[data-report="${CSS.escape(open)}"]`,
        ) ?? document.querySelector<HTMLElement>('#content')
      )?.focus(),
    );
  };
  const saved = (): void => {
    request.again();
    close();
  };
  async function send(id: string): Promise<void> {
    const result = await mutation.send(
      () => client().ask('sendReport', { reportSettingId: id }),
      id,
    );
    if (!result.ok) return showFailure(result.failure.message);
    showInfo(t.sendingReport);
    go({ tab: 'history' });
  }
  async function turn({
    _id: id,
    name,
    template,
    companies: of,
    period,
    schedule,
    recipients,
    format,
    language,
    enabled,
  }: SettingOut): Promise<void> {
    const result = await mutation.send(
      () =>
        client().ask('changeReportSetting', {
          id,
          setting: {
            name,
            template,
            companies: of,
            period,
            schedule,
            recipients,
            format,
            language,
            enabled: !enabled,
          },
        }),
      id,
    );
    if (!result.ok) showFailure(result.failure.message);
    request.again();
  }
  async function remove(): Promise<void> {
    if (open === null) return;
    const result = await client().ask('removeReportSetting', { id: open });
    setDeleting(false);
    if (!result.ok) return showFailure(result.failure.message);
    setGone(open);
    showSuccess(t.reportDeleted);
    saved();
  }

  const make = (
    <Button
      variant="primary"
      icon="plus"
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => go({ open: 'new' })}
    >
      {t.newReport}
    </Button>
  );
  const begin =
    request.value === null
      ? null
      : open === 'new'
        ? newReportForm(request.value.usual, 'calendarReportSummary')
        : setting === null
          ? null
          : getReportForm(setting);
  const list =
    settings === null ? (
      request.failure === null ? (
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      ) : (
        <Notice
          icon="scheduled"
          level={2}
          title={t.listFailed}
          actions={offerRetry(request.failure, request.again)}
        >
          <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
        </Notice>
      )
    ) : settings.length === 0 ? (
      <Notice icon="scheduled" level={2} title={t.noReports} actions={make}>
        <p className="m-0">{t.noReportsHint}</p>
      </Notice>
    ) : (
      <ReportList
        settings={settings}
        zone={zone}
        offline={offline}
        busy={mutation.pending}
        companyName={(n) => names.get(n) ?? t.unknownCompany}
        onOpen={(id) => go({ open: id })}
        onSend={(id) => void send(id)}
        onSwitch={(one) => void turn(one)}
        onHistory={(id) => go({ tab: 'history', of: id })}
      />
    );

  return (
    <Page
      title={t.scheduled}
      {...(open === null &&
        sent === null &&
        settings !== null &&
        settings.length > 0 && { action: make })}
    >
      <div className="min-h-full bg-sheet">
        {offline && sent === null && place.tab === 'reports' && (
          <div className="px-4 py-3 tablet:px-5">
            <Callout tone="warning">
              {t.offline}
              {request.at !== null && ` ${t.listFrom({ when: formatWhen(request.at, zone) })}`}
            </Callout>
          </div>
        )}
        {request.value?.mails === false && !offline && open === null && sent === null && (
          <div className="px-4 py-3 tablet:px-5">
            <Callout tone="warning">{t.noMailServer}</Callout>
          </div>
        )}
        {sent !== null ? (
          <ReportPage
            key={sent}
            id={sent}
            zone={zone}
            offline={offline}
            onClose={() => go({ ...place, tab: 'history', sent: null })}
          />
        ) : open !== null ? (
          begin !== null && templates !== null ? (
            <Editor
              key={open}
              id={open === 'new' ? null : open}
              begin={begin}
              templates={templates}
              companies={companies}
              offline={offline}
              onSaved={saved}
              onClose={close}
              onDelete={open === 'new' ? null : () => setDeleting(true)}
            />
          ) : settings === null || templates === null ? (
            list
          ) : (
            <Notice
              icon="scheduled"
              level={2}
              title={t.reportGone}
              actions={<Button onClick={close}>{t.allReports}</Button>}
            >
              <p className="m-0">{t.reportGoneHint}</p>
            </Notice>
          )
        ) : (
          <Tabs
            label={t.scheduledReports}
            tabs={[
              { key: 'reports', label: t.reports, count: settings?.length ?? null },
              { key: 'history', label: t.history },
            ]}
            chosen={place.tab}
            onChoose={(tab) => go({ tab })}
            className="px-4 tablet:px-5"
          >
            {place.tab === 'history' ? (
              <History
                place={place}
                zone={zone}
                offline={offline}
                of={settings?.find((one) => getId(one) === place.of)?.name ?? null}
                onOpen={(id) => go({ ...place, sent: id })}
                onGo={(next) => go({ ...place, ...next })}
              />
            ) : (
              list
            )}
          </Tabs>
        )}
      </div>
      {deleting && setting !== null && (
        <DeleteDialog
          title={t.deleteQuestion}
          confirmLabel={t.deleteReport}
          name={<b>{setting.name}</b>}
          consequence={t.deleteHint}
          onDelete={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

const EMPTY = {};
