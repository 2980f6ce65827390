import type { SentOut } from '#contract/reports/calls.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FilterChip } from '#src/ui/chip.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import type { ReportsPlace } from './address.ts';
import { openedIds, useReadable } from './opened.ts';
import { FORMAT_WORDS, isSendPending, SENT_WORDS } from './labels.ts';
import { reportMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

export interface HistoryProps {
  readonly place: ReportsPlace;
  readonly zone: string;
  readonly offline: boolean;
  /** Name of the report whose history is shown. */
  readonly of: string | null;
  readonly onOpen: (id: string) => void;
  readonly onGo: (next: Partial<ReportsPlace>) => void;
}

/**
 * Sent reports: when, to whom and with what result. Offline, the reports that are readable on this
 * device.
 */
export function History({ place, zone, offline, of, onOpen, onGo }: HistoryProps) {
  const input = {
    page: String(place.page),
    pageSize: String(place.size),
    ...(place.of !== null && { reportSettingId: place.of }),
  };
  const request = useCachedQuery('listSentReports', input, { everyMs: 3_000 });
  const rows = request.value?.rows ?? null;
  const readable = useReadable(offline);
  const here = new Set(offline ? readable?.map(({ sent }) => getId(sent)) : openedIds());
  // Offline, readable reports come first, even if the list itself was never loaded.
  const shown =
    offline && readable !== null
      ? [
          ...readable.map(({ sent }) => sent),
          ...(rows ?? []).filter((one) => !here.has(getId(one))),
        ]
      : rows;
  return (
    <>
      {place.of !== null && (
        <div className="px-4 pt-3 tablet:px-5">
          <FilterChip
            label={t.reportFilter}
            value={of ?? t.oneReport}
            onRemove={() => onGo({ of: null, page: 1 })}
          />
        </div>
      )}
      {offline && (
        <div className="px-4 py-3 tablet:px-5">
          <Callout tone="warning">
            {readable === null
              ? t.loadingStored
              : readable.length === 0
                ? t.noneStored
                : t.readableHere({ count: readable.length })}
            {request.at !== null && ` ${t.listFrom({ when: formatWhen(request.at, zone) })}`}
          </Callout>
        </div>
      )}
      {!offline && request.failure !== null && (
        <div className="px-4 py-3 tablet:px-5">
          <RetryCallout failure={request.failure} onRetry={request.again}>
            {request.failure.message}
          </RetryCallout>
        </div>
      )}
      {shown === null && request.failure === null && (
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      )}
      {shown !== null && shown.length === 0 && (
        <Notice icon="scheduled" level={2} title={t.noHistory}>
          <p className="m-0">{t.noHistoryHint}</p>
        </Notice>
      )}
      {shown !== null && shown.length > 0 && (
        <>
          <ul className="m-0 list-none p-0" aria-label={t.sentReports}>
            {shown.map((one) => (
              <Line
                key={getId(one)}
                one={one}
                zone={zone}
                offline={offline}
                here={here.has(getId(one))}
                onOpen={onOpen}
              />
            ))}
          </ul>
          {!offline && (
            <Pager
              page={place.page}
              size={place.size}
              count={request.value?.count ?? 0}
              total={t.reportCount({ count: request.value?.count ?? 0 })}
              onPage={(page) => onGo({ page })}
              onSize={(size) => onGo({ size, page: 1 })}
            />
          )}
        </>
      )}
    </>
  );
}

function Line({
  one,
  zone,
  offline,
  here,
  onOpen,
}: {
  readonly one: SentOut;
  readonly zone: string;
  readonly offline: boolean;
  readonly here: boolean;
  readonly onOpen: (id: string) => void;
}) {
  const { label, icon, text } = SENT_WORDS[one.state];
  const canOpen = one.storedUntil !== null && (!offline || here);
  const id = getId(one);
  const name = (
    <>
      <span className="block font-semibold break-words">{one.name}</span>
      <span className="block text-agate text-ink-3">{`${TEMPLATES[one.template].prettyName}, ${FORMAT_WORDS[one.format]}`}</span>
    </>
  );
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 border-b border-hair px-4 py-2 tablet:grid-cols-[10rem_minmax(0,1.4fr)_9rem_minmax(0,1fr)_9rem] tablet:px-5">
      <span className="col-start-1 text-ink-2 tablet:row-start-1">
        <time data-tip={formatUtc(one.madeAt)}>{formatWhen(one.madeAt, zone)}</time>
        <span className="block text-agate text-ink-3">
          {one.how === 'schedule'
            ? t.sentBySchedule
            : one.by === null
              ? t.sentManually
              : t.sentBy({ name: one.by })}
        </span>
      </span>
      <span className="col-span-2 col-start-1 row-start-2 min-w-0 tablet:col-span-1 tablet:col-start-2 tablet:row-start-1">
        {canOpen ? (
          <button
            type="button"
            data-sent={id}
            className="w-full rounded-part py-0.5 text-left underline decoration-rule underline-offset-2 hover:decoration-current pointer-coarse:min-h-11"
            onClick={() => onOpen(id)}
          >
            {name}
          </button>
        ) : (
          name
        )}
      </span>
      <span
        className={`col-start-2 row-start-1 inline-flex items-center gap-1.5 whitespace-nowrap tablet:col-start-3 ${text}`}
      >
        <Icon name={icon} />
        {label}
      </span>
      <span className="col-span-2 min-w-0 text-ink-2 tablet:col-span-1 tablet:col-start-4 tablet:row-start-1">
        {one.error !== null && <span className="block break-words text-failed">{one.error}</span>}
        {one.mails.map(({ to, state, error }) => (
          <span key={to} className="block [overflow-wrap:anywhere]">
            {to}
            {state === 'failed' && <span className="text-failed">{`: ${error ?? t.notSent}`}</span>}
            {state === 'sending' && `: ${t.sending}`}
          </span>
        ))}
        {one.mails.length === 0 && one.error === null && isSendPending(one.state) && (
          <span className="text-ink-3">{t.pending}</span>
        )}
      </span>
      <span className="col-span-2 text-agate text-ink-3 tablet:col-span-1 tablet:col-start-5 tablet:row-start-1 tablet:text-right">
        {one.storedUntil === null
          ? isSendPending(one.state)
            ? ''
            : t.noFile
          : one.rows === null
            ? ''
            : t.rowCount({ count: one.rows })}
        {here && <span className="block text-ink-2">{t.onThisDevice}</span>}
      </span>
    </li>
  );
}
