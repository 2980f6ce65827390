import type { OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useZone } from '#src/app/session/session.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatTime, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { usePages } from '../../shared/queries/use-pages.ts';
import { backupJobMessages as t } from './messages.en.ts';

type LogPage = OutputOf<'getSessionLog'>;
type Line = LogPage['rows'][number];

/** Lines of a log, oldest first. `isDeleted`: earlier lines were deleted because of their age. */
export function LogLines({
  lines,
  isDeleted,
  zone,
}: {
  readonly lines: readonly Line[];
  readonly isDeleted: boolean;
  readonly zone: string;
}) {
  if (lines.length === 0)
    return <p className="m-0 py-2 text-ink-2">{isDeleted ? t.logDeleted : t.logEmpty}</p>;
  return (
    <>
      {isDeleted && <p className="m-0 pt-2 text-ink-2">{t.logShortened}</p>}
      <ol className="m-0 list-none py-1">
        {lines.map(({ n, at, level, message }) => (
          <li key={n} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 py-0.5">
            <time className="text-agate text-ink-3" data-tip={formatUtc(at)}>
              {formatTime(at, zone)}
            </time>
            <span className={`break-words ${LEVELS[level]}`}>
              {level !== 'info' && (
                <>
                  <Icon name={level === 'error' ? 'failed' : 'warning'} className="mr-1.5 inline" />
                  <span className="sr-only">{level === 'error' ? t.logError : t.logWarning}: </span>
                </>
              )}
              {message}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
const LEVELS = { info: '', warning: 'text-warning', error: 'text-failed' } as const;

/** The whole log of a session, page by page. */
export function SessionLog({
  jobId,
  session: { id: sessionId, startedAt },
  onClose,
}: {
  readonly jobId: string;
  readonly session: { readonly id: string; readonly startedAt: Ms };
  readonly onClose: () => void;
}) {
  const zone = useZone();
  const input = { jobId, sessionId };
  const { pages, isLoading, failure, hasMore, more } = usePages('getSessionLog', input, {
    first: null,
    getNext: ({ next }: LogPage) => next,
    request: (cursor: string | null) =>
      client().ask('getSessionLog', { ...input, ...(cursor !== null && { cursor }) }),
  });
  const lines = pages.flatMap(({ rows }) => rows);
  const isDeleted = pages.at(-1)?.isLogDeleted ?? false;
  return (
    <Dialog wide title={t.logTitle({ when: formatWhen(startedAt, zone) })} onClose={onClose}>
      <div className="grid grid-cols-1 gap-3 px-5 py-4">
        {pages.length === 0 && failure === null ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : (
          (lines.length > 0 || failure === null) && (
            <LogLines lines={lines} isDeleted={isDeleted} zone={zone} />
          )
        )}
        {failure !== null && (
          <Callout
            tone="failed"
            alert
            action={offerRetry(failure, more, { size: 'sm', busy: isLoading })}
          >
            {getFailureText(failure)}
          </Callout>
        )}
        {failure === null && pages.length > 0 && hasMore && (
          <span>
            <Button busy={isLoading} onClick={more}>
              {t.logMore}
            </Button>
          </span>
        )}
      </div>
    </Dialog>
  );
}
