import type { OutputOf } from '#contract/calls.ts';
import type { SupportOut } from '#contract/support/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import type { CachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { supportMessages as t } from './messages.en.ts';

export interface SentRequestsProps {
  readonly query: CachedQuery<OutputOf<'listSupport'>>;
  readonly offline: boolean;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

/** The user's requests, newest first, with the delivery status of each email. */
export function SentRequests({
  query: { value, at, live, failure, again },
  offline,
  onPage,
  onSize,
}: SentRequestsProps) {
  const zone = useZone();
  return (
    <section
      aria-labelledby="sent-requests"
      className="grid max-w-[760px] grid-cols-[minmax(0,1fr)] gap-2 border-t-2 border-head-rule py-5"
    >
      <h2 id="sent-requests" className="m-0 text-body font-semibold">
        {t.yourRequests}
      </h2>
      {!live && at !== null && (
        <Callout tone="warning">
          {t.listFrom({
            reason: offline ? t.offlineList : (failure?.message ?? MESSAGES.noAnswer),
            when: formatWhen(at, zone),
          })}
        </Callout>
      )}
      {value === null ? (
        failure === null ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : (
          <Callout tone="failed" action={offerRetry(failure, again, { size: 'sm' })}>
            {offline ? MESSAGES.needsNetwork : failure.message}
          </Callout>
        )
      ) : value.rows.length === 0 ? (
        <p className="m-0 text-ink-2">{t.noRequests}</p>
      ) : (
        <ul className="m-0 list-none p-0">
          {value.rows.map(({ _id: id, ...row }) => (
            <Row key={id} row={row} zone={zone} />
          ))}
        </ul>
      )}
      {value !== null && value.count > PAGE_SIZE && (
        <Pager
          page={value.page}
          size={value.pageSize}
          count={value.count}
          total={t.requestCount({ count: value.count })}
          onPage={onPage}
          onSize={onSize}
        />
      )}
    </section>
  );
}

function Row({
  row: { at, subject, text, state, error },
  zone,
}: {
  readonly row: Omit<SupportOut, '_id'>;
  readonly zone: string;
}) {
  const { icon, label, ink } = STATES[state];
  return (
    <li className="border-b border-hair">
      <details className="group/request">
        <summary className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-4 gap-y-0.5 py-2">
          <span className="flex min-w-0 grow basis-60 items-center gap-1.5">
            <Icon
              name="chevron-right"
              size={12}
              className="shrink-0 text-ink-3 group-open/request:rotate-90"
            />
            <span className="min-w-0 break-words">{subject}</span>
          </span>
          <span className={`inline-flex items-center gap-1.5 ${ink}`}>
            <Icon name={icon} />
            {label}
          </span>
          <time
            className="text-agate whitespace-nowrap text-ink-3"
            dateTime={new Date(at).toISOString()}
            data-tip={formatUtc(at)}
          >
            {formatWhen(at, zone)}
          </time>
        </summary>
        {error !== null && <p className="m-0 pb-1 text-failed">{error}</p>}
        <p className="m-0 pb-3 break-words whitespace-pre-wrap text-ink-2">{text}</p>
      </details>
    </li>
  );
}

const STATES: Readonly<
  Record<
    SupportOut['state'],
    { readonly icon: IconName; readonly label: string; readonly ink: string }
  >
> = {
  waiting: { icon: 'clock', label: t.stateSending, ink: 'text-ink-2' },
  sent: { icon: 'success', label: t.stateSent, ink: 'text-success' },
  kept: { icon: 'warning', label: t.stateStored, ink: 'text-warning' },
  failed: { icon: 'failed', label: t.stateFailed, ink: 'text-failed' },
  unknown: { icon: 'request', label: t.stateUnknown, ink: 'text-ink-2' },
};
