import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatBytes, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { EndButton, FileButton } from './actions.tsx';
import { downloadsMessages as t } from './messages.en.ts';
import { itemsLabel, ProgressRule, sizeLabel, DownloadStateLine } from './state-line.tsx';
import { type BackgroundDownload, useBackgroundDownload } from './use-downloads.ts';

const PATH = '/o365/restore/downloads';

/** `/o365/restore/downloads/{fileId}`: one download with its files and their checksums. */
export function RestoreDownload() {
  const { fileId } = useParams({ strict: false }) as { readonly fileId: string };
  const { value, failure, again } = useBackgroundDownload(fileId);
  const isOffline = useWatch('status', EMPTY)?.kind === 'offline';
  const isGone = failure?.kind === 'not-found';
  return (
    <Page title={value?.name ?? t.title}>
      <div className="grid max-w-3xl gap-4 px-4 py-4 tablet:px-5">
        <Link
          to={PATH}
          className="inline-flex items-center justify-self-start text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {t.back}
        </Link>
        {isOffline && <Callout tone="warning">{t.offline}</Callout>}
        {failure !== null && !isGone && !isOffline && (
          <RetryCallout failure={failure} onRetry={again}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
        {isGone ? (
          <Notice icon="download" level={2} title={t.gone}>
            <p className="m-0">{t.goneHint}</p>
          </Notice>
        ) : value === null ? (
          failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <Details download={value} isOffline={isOffline} onChanged={again} />
        )}
      </div>
    </Page>
  );
}

function Details({
  download,
  isOffline,
  onChanged,
}: {
  readonly download: BackgroundDownload;
  readonly isOffline: boolean;
  readonly onChanged: () => void;
}) {
  const zone = useZone();
  const navigate = useNavigate();
  const [refused, setRefused] = useState<Failure | null>(null);
  const { state, message, format, missing, failed, gaps, parts, createdAt, expiresAt } = download;
  const facts: readonly (readonly [string, string])[] = [
    [t.format, t[format]],
    [t.items, itemsLabel(download)],
    [t.size, sizeLabel(download)],
    [t.created, formatWhen(createdAt, zone)],
    ...(state === 'ready' ? [[t.until, formatWhen(expiresAt, zone)] as const] : []),
  ];
  return (
    <>
      <output>
        <DownloadStateLine download={download} />
      </output>
      {state === 'running' && <ProgressRule download={download} />}
      {message !== null && (
        <Callout tone="failed" alert>
          {message}
        </Callout>
      )}
      {refused !== null && (
        <Callout tone="failed" alert>
          {getFailureText(refused)}
        </Callout>
      )}
      <dl className="m-0 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(([label, fact]) => (
          <div key={label} className="contents">
            <dt className="text-ink-3">{label}</dt>
            <dd className="m-0 break-words">{fact}</dd>
          </div>
        ))}
      </dl>
      {missing > 0 && <p className="m-0 text-warning">{t.missing({ count: missing })}</p>}
      {failed > 0 && <p className="m-0 text-warning">{t.unread({ count: failed })}</p>}
      {gaps.length > 0 && <Gaps download={download} />}
      {state === 'ready' && format === 'pst' && !download.onServer && (
        <p className="m-0 text-ink-2">{t.pstNote}</p>
      )}
      {parts.length > 0 && (
        <section aria-label={t.files} className="grid gap-2">
          <h2 className="m-0 text-head">{t.files}</h2>
          <ul className="m-0 list-none p-0">
            {parts.map((part) => (
              <li key={part.n} className="grid gap-1.5 border-b border-hair py-3">
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="min-w-0 grow basis-56 break-words">
                    {part.name}
                    <span className="block text-agate text-ink-3">{formatBytes(part.bytes)}</span>
                  </span>
                  <FileButton
                    download={download}
                    part={part}
                    isOffline={isOffline}
                    onFailure={setRefused}
                    onChanged={onChanged}
                  />
                </span>
                <CopyText label={t.copyChecksum} copied={t.checksumCopied} text={part.sha256} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <span className="flex gap-2">
        <EndButton
          download={download}
          isOffline={isOffline}
          onFailure={setRefused}
          onChanged={onChanged}
          onDeleted={() => void navigate({ to: PATH })}
        />
      </span>
    </>
  );
}

/** The items that the files lack, by name. */
function Gaps({ download: { gaps, missing, failed } }: { readonly download: BackgroundDownload }) {
  const others = missing + failed - gaps.length;
  return (
    <section aria-label={t.gaps} className="grid gap-1">
      <h2 className="m-0 text-head">{t.gaps}</h2>
      <ul className="m-0 list-none p-0">
        {gaps.map(({ path, outcome }, n) => (
          <li key={n} className="border-b border-hair py-2 last:border-0">
            <span className="block break-words">{path}</span>
            <span className="block text-agate text-ink-3">
              {outcome === 'missing' ? t.gapMissing : t.gapFailed}
            </span>
          </li>
        ))}
      </ul>
      {others > 0 && <p className="m-0 text-ink-2">{t.moreGaps({ count: others })}</p>}
    </section>
  );
}

const EMPTY = {};
