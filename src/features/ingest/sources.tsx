import { useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useHashTarget } from '#src/ui/use-hash-target.ts';
import { useZone } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SectionLink } from '#src/features/shared/section-link.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { SourceConfirm } from './confirm-dialog.tsx';
import type { Ending } from './confirm-dialog.tsx';
import { SourceList } from './source-list.tsx';
import { NewSource } from './new-source.tsx';
import { sourceRows } from './source-rows.ts';
import { SecretDialog } from './secret-dialog.tsx';
import type { RevealedSecret } from './secret-dialog.tsx';
import { useHeard } from './use-last-heard.ts';
import { sourceMessages as t } from './messages.en.ts';

/** The API keys of reporting tools, and the form for a new one. */
export function Sources() {
  const keys = useWatch('keys', EMPTY)?.filter(({ connection }) => connection === undefined);
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  const zone = useZone();
  const now = useNow(15_000);
  const heard = useHeard(keys);
  const [making, setMaking] = useState(false);
  const [shown, setShown] = useState<RevealedSecret | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);
  const offline = status?.kind === 'offline';
  useHashTarget(keys !== undefined && companies !== undefined);
  const begin = (
    <CallButton
      call="createKey"
      variant="primary"
      icon="plus"
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => setMaking(true)}
    >
      {t.newSource}
    </CallButton>
  );

  return (
    <Page title={t.title} {...(keys !== undefined && keys.length > 0 && { action: begin })}>
      {keys === undefined || companies === undefined ? (
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      ) : keys.length === 0 ? (
        <div className="h-full bg-sheet">
          <Notice icon="source" level={2} title={t.none} actions={begin}>
            <p className="m-0">
              {t.noneHint}{' '}
              <SectionLink href="/monitoring/connections" className="text-accent underline">
                {t.toConnections}
              </SectionLink>
            </p>
            {offline && <p className="m-0">{t.noneOffline}</p>}
          </Notice>
        </div>
      ) : (
        <div className="min-h-full bg-sheet">
          {offline && (
            <div className="px-5 py-3">
              <Callout tone="warning">
                {t.offline}{' '}
                {status.syncedAt !== null &&
                  t.listFrom({ when: formatWhen(status.syncedAt, zone) })}{' '}
                {heard.updatedAt !== null &&
                  t.lastReportsFrom({ when: formatWhen(heard.updatedAt, zone) })}
              </Callout>
            </div>
          )}
          {heard.failure !== null && !offline && (
            <div className="px-5 py-3">
              <RetryCallout failure={heard.failure} onRetry={heard.again}>
                {heard.failure.message}{' '}
                <span className="text-ink-3">
                  {heard.updatedAt === null
                    ? t.lastReportsUnknown
                    : t.lastReportsFrom({ when: formatWhen(heard.updatedAt, zone) })}
                </span>
              </RetryCallout>
            </div>
          )}
          <SourceList
            rows={sourceRows(keys, companies, heard.keys)}
            zone={zone}
            now={now}
            offline={offline}
            onRotate={(row) => setEnding({ how: 'rotate', row })}
            onRevoke={(row) => setEnding({ how: 'revoke', row })}
          />
          <p className="m-0 px-5 py-3 text-agate text-ink-3">
            {richText(t.activeKeys, {
              count: keys.filter((key) => key.revokedAt === null).length,
              connections: (
                <SectionLink href="/monitoring/connections" className="text-accent underline">
                  {t.connections}
                </SectionLink>
              ),
            })}
          </p>
        </div>
      )}
      {making && companies !== undefined && (
        <NewSource
          companies={companies}
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false);
            setShown(made);
          }}
        />
      )}
      {ending !== null && (
        <SourceConfirm
          ending={ending}
          onClose={() => setEnding(null)}
          onRotated={(made) => {
            setEnding(null);
            setShown(made);
          }}
        />
      )}
      {shown !== null && (
        <SecretDialog
          shown={shown}
          row={keys?.find((key) => key.id === shown.id)}
          zone={zone}
          offline={offline}
          onClose={() => setShown(null)}
        />
      )}
    </Page>
  );
}

const EMPTY = {};
