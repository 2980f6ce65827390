import { useState } from 'react';
import type { MappedOut, TicketingState } from '#contract/tickets/ticketing-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Connection } from './connection.tsx';
import { Mappings } from './mappings.tsx';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { ticketingMessages as t } from './messages.en.ts';

/**
 * `/monitoring/ticketing`: the provider's ticketing system and the mapping of companies (TICKET-8).
 */
export function TicketingScreen() {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const all = useMe()?.companies === null;
  const zone = useZone();
  const request = useCachedQuery('getTicketing', EMPTY, { wanted: all });
  const mapped = useCachedQuery('listMappings', EMPTY, { wanted: all });
  const [saved, setSaved] = useState<TicketingState | null>(null);
  const [changed, setChanged] = useState<readonly MappedOut[] | null>(null);
  const stored = saved ?? request.value;
  const companies = changed ?? mapped.value;
  return (
    <Page title={t.title}>
      <div className="min-h-full bg-sheet px-4 pb-10 tablet:px-5">
        {offline && (
          <div className="py-3">
            <Callout tone="warning">
              {request.at === null
                ? t.offline
                : t.offlineSince({ when: formatWhen(request.at, zone) })}
            </Callout>
          </div>
        )}
        {!all ? (
          <Notice icon="lock" level={2} title={t.noAccess}>
            <p className="m-0">{MESSAGES.ticketingNotYours}</p>
          </Notice>
        ) : stored === null ? (
          request.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="ticket"
              level={2}
              title={t.notLoaded}
              actions={offerRetry(request.failure, request.again)}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : request.failure.message}</p>
            </Notice>
          )
        ) : (
          <>
            <Connection
              ticketing={stored}
              offline={offline}
              zone={zone}
              onSaved={(next) => {
                if (next.settings.system !== stored.settings.system) setChanged(null);
                setSaved(next);
                mapped.again();
              }}
            />
            {stored.settings.system !== 'own' && (
              <Mappings
                key={stored.settings.system}
                system={stored.settings.system}
                rows={companies}
                offline={offline}
                zone={zone}
                onRows={setChanged}
              />
            )}
          </>
        )}
      </div>
    </Page>
  );
}

const EMPTY = {};
