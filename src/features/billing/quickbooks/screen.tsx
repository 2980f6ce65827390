import { Link, useRouter } from '@tanstack/react-router';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { useEffect, useRef, useState } from 'react';
import type { CustomerOut, QuickBooksState } from '#contract/billing/quickbooks-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { type Back, backIn } from './callback-result.ts';
import { Connection } from './connection.tsx';
import { CustomerList } from './customers.tsx';
import { quickBooksMessages as t } from './messages.en.ts';

/** Poll intervals in milliseconds: in general, and before the first read has finished. */
const EVERY = 15_000;
const SOON = 2_000;

/**
 * `/monitoring/invoices/quickbooks`: the QuickBooks connection and the mapping of customers to
 * companies (BILL-6).
 */
export function QuickBooks() {
  const { history } = useRouter();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY) ?? [];
  const all = useMe()?.companies === null;
  const zone = useZone();
  const [back] = useState(() => backIn(history.location.search));
  const [said, setSaid] = useState<string | null>(null);
  const [saved, setSaved] = useState<QuickBooksState | null>(null);
  const [changed, setChanged] = useState<readonly CustomerOut[] | null>(null);
  const [reading, setReading] = useState(false);
  const request = useCachedQuery('getQuickBooks', EMPTY, {
    wanted: all,
    everyMs: reading ? SOON : EVERY,
  });
  const mapped = useCachedQuery('listCustomers', EMPTY, {
    wanted: all,
    round: `${request.value?.readAt ?? 0} ${request.value?.realm ?? ''}`,
  });
  // A newer server answer replaces the result of a save.
  const [seen, setSeen] = useState(request.at);
  const [known, setKnown] = useState(mapped.at);
  if (request.at !== seen) {
    setSeen(request.at);
    setSaved(null);
  }
  if (mapped.at !== known) {
    setKnown(mapped.at);
    setChanged(null);
  }
  const stored = saved ?? request.value;
  const begun = stored !== null && stored.realm !== null && stored.readAt === null && !stored.ended;
  if (begun !== reading) setReading(begun);
  const customers = changed ?? mapped.value;
  const again = useRef(request.again);
  const details = useRef(false);
  useEffect(() => {
    again.current = request.again;
  });

  useEffect(() => {
    if (back === null || details.current || !all) return;
    details.current = true;
    // Code and state work only once, so they are removed from the address.
    history.replace(PATH);
    const done = async (): Promise<void> => {
      const failure = await finish(back);
      setSaid(failure);
      if (failure === null) showSuccess(t.connected);
      again.current();
    };
    void done();
  }, [back, history, all]);

  return (
    <Page title={t.quickBooks}>
      <div className="min-h-full bg-sheet px-4 pb-10 tablet:px-5">
        <p className="m-0 py-2">
          <Link
            to="/monitoring/invoices"
            className="text-accent underline underline-offset-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
          >
            {t.invoices}
          </Link>
        </p>
        {offline && (
          <div className="pb-3">
            <Callout tone="warning">
              {t.offline}
              {request.at !== null && ` ${t.dataFrom({ when: formatWhen(request.at, zone) })}`}
            </Callout>
          </div>
        )}
        {!all ? (
          <Notice icon="lock" level={2} title={t.noAccess}>
            <p className="m-0">{MESSAGES.quickBooksNotYours}</p>
          </Notice>
        ) : stored === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="invoice"
              level={2}
              title={t.loadFailed}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">
                {offline ? MESSAGES.needsNetwork : getFailureText(request.failure)}
              </p>
            </Notice>
          )
        ) : (
          <>
            <Connection
              quickBooks={stored}
              offline={offline}
              zone={zone}
              message={said}
              onSaved={(next) => {
                setSaid(null);
                setSaved(next);
                mapped.again();
              }}
              onGone={() => {
                setSaid(null);
                request.again();
                mapped.again();
              }}
            />
            {stored.realm !== null && customers !== null && (
              <CustomerList
                rows={customers}
                companies={companies}
                offline={offline}
                onRows={setChanged}
              />
            )}
          </>
        )}
      </div>
    </Page>
  );
}

/** Returns null if QuickBooks is connected, otherwise the error message. */
async function finish(back: Back): Promise<string | null> {
  if (back.kind === 'refused') return t.accessDenied;
  const { code, realmId, state } = back;
  const details = await client().ask('finishQuickBooks', { code, realmId, state });
  return details.ok ? null : details.failure.message;
}

const PATH = '/monitoring/invoices/quickbooks';
const EMPTY = {};
