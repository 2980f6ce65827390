import { useState } from 'react';
import type { ReactNode } from 'react';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import type { OwnHolder, OwnLine } from '#contract/billing/licensing-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useBranding, useZone } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager, getPages } from '#src/ui/pager.tsx';
import { formatLongMonth, formatShortMonth } from '../shared/format-month.ts';
import { Questions } from './questions.tsx';
import { productWords, UNIT_WORDS, workloadWords } from './labels.ts';
import { USAGE_TABLE, USAGE_UNIT } from './usage-style.ts';
import { billingMessages as t } from './billing.messages.en.ts';

/**
 * `/monitoring/subscriptions`: usage of the user's companies compared with the previous month, and
 * the contacts for changes (LIC-6).
 */
export function Subscriptions({ above }: { readonly above?: ReactNode }) {
  const request = useCachedQuery('listOwnSubscriptions', EMPTY);
  const { value: details, at, failure } = request;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const name = useBranding()?.name ?? t.theProvider;
  const [{ page: wanted, size }, go] = useState({ page: 1, size: PAGE_SIZE });
  const holders = details?.holders ?? [];
  const page = Math.min(wanted, getPages(holders.length, size));
  const isNone = holders.every(({ lines }) => lines.length === 0);
  return (
    <Page
      title={t.subscriptions}
      {...(details !== null && { detail: formatLongMonth(details.month) })}
    >
      <div className="min-h-full bg-sheet">
        {above}
        {!request.live && at !== null && (
          <div className="px-5 py-3">
            <Callout
              tone="warning"
              {...(!offline && {
                action: offerRetry(request.failure, request.again, { size: 'sm' }),
              })}
            >
              {offline ? t.offline : getFailureText(failure ?? NO_ANSWER)}{' '}
              {t.dataFrom({ when: formatWhen(at, zone) })}
            </Callout>
          </div>
        )}
        {details === null ? (
          failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="licensing"
              level={2}
              title={t.loadFailed}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : getFailureText(failure)}</p>
            </Notice>
          )
        ) : isNone ? (
          <Notice icon="licensing" level={2} title={t.noUsage}>
            <p className="m-0">{t.noUsageHint}</p>
          </Notice>
        ) : (
          <>
            <p className="m-0 max-w-[90ch] px-4 py-3 text-ink-2 tablet:px-5">
              {t.subscriptionsHint({ month: formatLongMonth(details.month) })}
            </p>
            <Table
              holders={holders.slice((page - 1) * size, page * size)}
              month={details.month}
              before={details.before}
            />
            {holders.length > 1 && (
              <Pager
                page={page}
                size={size}
                count={holders.length}
                total={t.companyCount({ count: holders.length })}
                onPage={(next) => go({ page: next, size })}
                onSize={(next) => go({ page: 1, size: next })}
              />
            )}
          </>
        )}
        <div className="px-4 py-5 tablet:px-5">
          <Questions
            title={t.requestChange}
            description={t.requestChangeHint({ provider: name })}
          />
        </div>
      </div>
    </Page>
  );
}

interface TableProps {
  readonly holders: readonly OwnHolder[];
  readonly month: string;
  readonly before: string;
}

function Table({ holders, month, before }: TableProps) {
  return (
    <div className="overflow-x-auto">
      <table className={USAGE_TABLE}>
        <caption className="sr-only">
          {t.subscriptionsIn({ month: formatLongMonth(month) })}
        </caption>
        <thead>
          <tr className="border-b border-rule text-agate">
            <th scope="col">{t.product}</th>
            <th scope="col" className="text-right">
              {formatShortMonth(month)}
            </th>
            <th scope="col" className="text-right">
              {formatShortMonth(before)}
            </th>
            <th scope="col">{t.unit}</th>
            <th scope="col" className="hidden tablet:table-cell">
              {t.since}
            </th>
          </tr>
        </thead>
        {holders.map(({ company, name, lines }) => (
          <tbody key={company ?? 'all'} className="border-b border-rule">
            <tr>
              <th
                scope="rowgroup"
                colSpan={5}
                className="px-4 pt-2.5 pb-1 font-semibold break-words tablet:px-5"
              >
                {name}
              </th>
            </tr>
            {lines.length === 0 && (
              <tr>
                <td colSpan={5} className="pb-2.5 text-ink-3">
                  {t.nothingUsed}
                </td>
              </tr>
            )}
            {lines.map((line) => (
              <tr
                key={`${line.product} ${line.workload} ${line.unit}`}
                className="border-t border-hair"
              >
                <td className="min-w-28">
                  <span className="break-words">{productWords(line.product)}</span>
                  {line.workload !== '' && (
                    <span className="text-ink-2">, {workloadWords(line)}</span>
                  )}
                  <span className="block text-agate text-ink-2 tablet:hidden">
                    {t.sinceMonth({ month: sinceWords(line) })}
                  </span>
                </td>
                <td className="text-right font-semibold tabular-nums">{formatCount(line.used)}</td>
                <td className="text-right text-ink-2 tabular-nums">{formatCount(line.before)}</td>
                <td className={USAGE_UNIT}>{UNIT_WORDS[line.unit]}</td>
                <td className="hidden text-ink-2 tablet:table-cell">{sinceWords(line)}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const sinceWords = ({ since }: OwnLine): string =>
  since === null ? t.overAYear : formatLongMonth(since);

const EMPTY = {};
const NO_ANSWER = { kind: 'no-answer', message: MESSAGES.noAnswer } as const;
