import { useState } from 'react';
import type { MappedOut, TicketingKept } from '#contract/tickets/ticketing-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Connection } from './connection.tsx';
import { Mappings } from './mappings.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ticketingMessages as t } from './messages.en.ts';

/**
 * `/monitoring/ticketing`: the provider's ticketing system and the mapping of companies (TICKET-8).
 */
export function Ticketing() {
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const all = useMe()?.companies === null;
  const zone = useZone();
  const asked = useCachedQuery('getTicketing', NOTHING, { wanted: all });
  const mapped = useCachedQuery('listMappings', NOTHING, { wanted: all });
  const [saved, setSaved] = useState<TicketingKept | null>(null);
  const [changed, setChanged] = useState<readonly MappedOut[] | null>(null);
  const kept = saved ?? asked.value;
  const companies = changed ?? mapped.value;
  return (
    <Page title={t.title}>
      <div className="min-h-full bg-sheet px-4 pb-10 tablet:px-5">
        {offline && (
          <div className="py-3">
            <Callout tone="warning">
              {asked.at === null ? t.offline : t.offlineSince({ when: formatWhen(asked.at, zone) })}
            </Callout>
          </div>
        )}
        {!all ? (
          <Notice icon="lock" level={2} title={t.noAccess}>
            <p className="m-0">{MESSAGES.ticketingNotYours}</p>
          </Notice>
        ) : kept === null ? (
          asked.failure === null ? (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          ) : (
            <Notice
              icon="ticket"
              level={2}
              title={t.notLoaded}
              actions={<Button onClick={asked.again}>{ui.tryAgain}</Button>}
            >
              <p className="m-0">{offline ? MESSAGES.needsNetwork : asked.failure.message}</p>
            </Notice>
          )
        ) : (
          <>
            <Connection
              kept={kept}
              offline={offline}
              zone={zone}
              onKept={(next) => {
                if (next.settings.system !== kept.settings.system) setChanged(null);
                setSaved(next);
                mapped.again();
              }}
            />
            {kept.settings.system !== 'own' && (
              <Mappings
                key={kept.settings.system}
                system={kept.settings.system}
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

const NOTHING = {};
