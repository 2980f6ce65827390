import { Suspense, useState } from 'react';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { ProviderListed } from '#contract/providers/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { useHashTarget } from '#src/ui/use-hash-target.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { ProviderList } from './provider-list.tsx';
import { adminProvidersMessages as t } from './messages.en.ts';

const NewProvider = lazyDialog(async () => (await import('./new-provider.tsx')).NewProvider);
const Hosts = lazyDialog(async () => (await import('./hosts.tsx')).Hosts);
const Invite = lazyDialog(async () => (await import('./invite.tsx')).Invite);

type Asking =
  | { readonly kind: 'new' }
  | { readonly kind: 'hosts' | 'invite'; readonly of: ProviderListed };

/**
 * `/admin/providers`: the user's provider and those below it, their host names, and invitation
 * links.
 */
export function AdminProviders() {
  const zone = useZone();
  const { value, at, failure, again } = useCachedQuery('listProviders', EMPTY);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  useHashTarget(value !== null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = (): void => setAsking(null);
  const done = (): void => {
    close();
    again();
  };
  return (
    <Page
      title={t.providers}
      {...(value !== null && { detail: t.providerCount({ count: value.length }) })}
      action={
        <CallButton
          call="createProvider"
          variant="primary"
          icon="plus"
          disabled={offline}
          {...(offline && { 'data-tip': BASE.needsNetwork })}
          onClick={() => setAsking({ kind: 'new' })}
        >
          {t.newProvider}
        </CallButton>
      }
    >
      <div className="min-h-full bg-sheet pt-4">
        {failure !== null && (
          <div className="px-4 pb-4 tablet:px-5">
            <RetryCallout failure={failure} offline={offline} onRetry={again}>
              {failure.message}
              {at !== null && (
                <span className="block text-agate text-ink-3">
                  {t.listFrom({ when: formatWhen(at, zone) })}
                </span>
              )}
            </RetryCallout>
          </div>
        )}
        {value === null ? (
          failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <>
            <ProviderList
              providers={value}
              offline={offline}
              onHosts={(of) => setAsking({ kind: 'hosts', of })}
              onInvite={(of) => setAsking({ kind: 'invite', of })}
            />
            {value.length === 1 && (
              <p className="m-0 max-w-[640px] px-4 py-3 text-ink-2 tablet:px-5">{t.noProviders}</p>
            )}
          </>
        )}
      </div>
      <Suspense>
        {asking?.kind === 'new' && <NewProvider onClose={close} onMade={done} />}
        {asking?.kind === 'hosts' && <Hosts of={asking.of} onClose={close} onSaved={done} />}
        {asking?.kind === 'invite' && <Invite of={asking.of} zone={zone} onClose={close} />}
      </Suspense>
    </Page>
  );
}

const EMPTY = {};
