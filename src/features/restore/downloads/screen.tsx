import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatCount, formatUtc, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { EndButton, FileButton } from './actions.tsx';
import { downloadsMessages as t } from './messages.en.ts';
import { sizeLabel, DownloadStateLine } from './state-line.tsx';
import { type BackgroundDownload, useDownloads } from './use-downloads.ts';

const STEP = 50;
const MAX = 200;

/** `/o365/restore/downloads`: files that are prepared in the background, or are ready. */
export function RestoreDownloads() {
  const [limit, setLimit] = useState(STEP);
  const { value, failure, again } = useDownloads(limit);
  const [refused, setRefused] = useState<Failure | null>(null);
  const isOffline = useWatch('status', EMPTY)?.kind === 'offline';
  return (
    <Page title={t.title} detail={value === null ? '' : formatCount(value.count)}>
      <div className="grid gap-3 py-3 tablet:px-5">
        {isOffline && <Callout tone="warning">{t.offline}</Callout>}
        {refused !== null && (
          <Callout tone="failed" alert>
            {getFailureText(refused)}
          </Callout>
        )}
        {failure !== null && !isOffline && (
          <RetryCallout failure={failure} onRetry={again}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
        {value === null ? (
          failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : value.results.length === 0 ? (
          <Notice icon="download" level={2} title={t.none}>
            <p className="m-0">{t.noneHint}</p>
          </Notice>
        ) : (
          <EntryTable
            caption={t.caption}
            heads={
              <>
                <TableHead className="pl-5">{t.name}</TableHead>
                <TableHead className="w-[22%]">{t.state}</TableHead>
                <TableHead className="w-24 pr-6 text-right">{t.size}</TableHead>
                <TableHead className="w-36 max-desk:hidden">{t.until}</TableHead>
                <TableHead className="w-64 pr-5">
                  <span className="sr-only">{t.actions}</span>
                </TableHead>
              </>
            }
          >
            {value.results.map((download) => (
              <DownloadRow
                key={download.id}
                download={download}
                isOffline={isOffline}
                onFailure={setRefused}
                onChanged={again}
              />
            ))}
          </EntryTable>
        )}
        {value !== null && value.count > limit && limit < MAX && (
          <Button className="justify-self-start" onClick={() => setLimit(limit + STEP)}>
            {t.more}
          </Button>
        )}
      </div>
    </Page>
  );
}

function DownloadRow({
  download,
  isOffline,
  onFailure,
  onChanged,
}: {
  readonly download: BackgroundDownload;
  readonly isOffline: boolean;
  readonly onFailure: (failure: Failure | null) => void;
  readonly onChanged: () => void;
}) {
  const zone = useZone();
  const { id, name, createdAt, expiresAt, parts, state } = download;
  const [only, second] = parts;
  return (
    <tr className="block border-b border-hair px-4 py-2 tablet:table-row tablet:px-0">
      <th
        scope="row"
        className="block py-1 text-left font-normal break-words tablet:table-cell tablet:py-2.5 tablet:pl-5"
      >
        <Link
          to="/o365/restore/downloads/$fileId"
          params={{ fileId: id }}
          className="font-semibold text-ink pointer-coarse:-my-3.5 pointer-coarse:inline-block pointer-coarse:py-3.5"
        >
          {name}
        </Link>
        <span className="block text-agate text-ink-3">
          <time data-tip={formatUtc(createdAt)}>{formatWhen(createdAt, zone)}</time>
        </span>
      </th>
      <td className="block py-1 tablet:table-cell">
        <DownloadStateLine download={download} />
      </td>
      <td className="block py-1 tablet:table-cell tablet:pr-6 tablet:text-right tablet:whitespace-nowrap">
        {sizeLabel(download)}
      </td>
      <td className="hidden py-1 desk:table-cell">
        {state === 'ready' && (
          <time data-tip={formatUtc(expiresAt)}>{formatWhen(expiresAt, zone)}</time>
        )}
      </td>
      <td className="block py-1 tablet:table-cell tablet:pr-5">
        <span className="flex flex-wrap gap-2 tablet:justify-end">
          {only !== undefined && second === undefined && (
            <FileButton
              download={download}
              part={only}
              isOffline={isOffline}
              onFailure={onFailure}
              onChanged={onChanged}
            />
          )}
          <EndButton
            download={download}
            isOffline={isOffline}
            onFailure={onFailure}
            onChanged={onChanged}
          />
        </span>
      </td>
    </tr>
  );
}

const EMPTY = {};
