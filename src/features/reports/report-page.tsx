import { useEffect, useRef } from 'react';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { MESSAGES } from '#contract/messages.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatBytes, formatDate, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { saveFile } from '#src/ui/save-file.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { noteOpened } from './opened.ts';
import { ReportSheet } from './sheet.tsx';
import { FORMAT_WORDS } from './labels.ts';
import { reportMessages as t } from './messages.en.ts';

export interface ReportPageProps {
  readonly id: string;
  readonly zone: string;
  readonly offline: boolean;
  readonly onClose: () => void;
}

/**
 * A sent report: figures, rows and the file. It stays on this device for offline reading
 * (REPORT-7).
 */
export function ReportPage({ id, zone, offline, onClose }: ReportPageProps) {
  const request = useCachedQuery('openSentReport', { id });
  const { value, failure } = request;
  const mutation = useServerMutation();
  const head = useRef<HTMLHeadingElement>(null);
  const here = value !== null;
  useEffect(() => {
    if (here) {
      noteOpened(id);
      head.current?.focus();
    }
  }, [here, id]);

  async function download(): Promise<void> {
    const made = await mutation.send(() => client().file('getReportFile', { id }));
    if (!made.ok) return showFailure(made.failure.message);
    saveFile(made.value.name, made.value.file);
    showSuccess(t.fileDownloaded({ name: made.value.name }));
  }

  if (value === null) {
    if (failure === null)
      return (
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      );
    const gone = failure.kind === 'not-found';
    return (
      <Notice
        icon="scheduled"
        level={2}
        title={gone ? t.reportExpired : offline ? t.notOnDevice : t.loadFailed}
        actions={
          <>
            <Button onClick={onClose}>{t.backToHistory}</Button>
            {offerRetry(request.failure, request.again)}
          </>
        }
      >
        <p className="m-0">
          {gone ? t.reportExpiredHint : offline ? t.openedOnlyOffline : MESSAGES.getReport}
        </p>
      </Notice>
    );
  }
  const { sent, report, rows } = value;
  return (
    <article className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4 px-4 py-4 tablet:px-5">
      <header className="grid gap-2">
        <h2 ref={head} tabIndex={-1} className="m-0 text-head break-words outline-none">
          {report.name}
        </h2>
        <p className="m-0 text-ink-2">
          {t.reportAbout({
            template: report.template,
            from: formatDate(report.from, report.timeZone),
            to: formatDate(report.to - 1, report.timeZone),
            when: formatWhen(report.madeAt, report.timeZone),
          })}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            icon="download"
            busy={mutation.busy}
            disabled={offline || sent.fileName === null}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            onClick={() => void download()}
          >
            {sent.bytes === null
              ? t.download({ format: FORMAT_WORDS[sent.format] })
              : t.downloadOfSize({
                  format: FORMAT_WORDS[sent.format],
                  size: formatBytes(sent.bytes),
                })}
          </Button>
          <Button onClick={onClose}>{t.backToHistory}</Button>
        </div>
        {offline && (
          <Callout tone="warning">
            {request.at === null
              ? t.storedCopy
              : t.storedCopyFrom({ when: formatWhen(request.at, zone) })}{' '}
            {t.downloadNeedsNetwork}
          </Callout>
        )}
      </header>
      <ReportSheet report={report} rows={rows} />
    </article>
  );
}
