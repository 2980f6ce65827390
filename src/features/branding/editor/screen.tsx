import { useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useChosenProvider } from '#src/features/shared/provider-choice.tsx';
import type { ChosenProvider } from '#src/features/shared/provider-choice.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { Editor } from './editor.tsx';
import { brandingMessages as t } from './messages.en.ts';

/** `/admin/branding`: names, images, colors and pages of a provider's portal. */
export function BrandingScreen() {
  const chosen = useChosenProvider();
  return chosen === null ? null : <OneBranding key={chosen.id} chosen={chosen} />;
}

function OneBranding({ chosen }: { readonly chosen: ChosenProvider }) {
  const { id, own, name } = chosen;
  const request = useCachedQuery('getProviderBranding', { id });
  const [saved, setSaved] = useState<Branding | null>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const branding = saved ?? request.value;
  return (
    <Page title={t.branding} {...(!own && name !== null && { detail: name })}>
      <div className="min-h-full bg-sheet px-4 py-4 tablet:px-5">
        {offline && (
          <div className="pb-4">
            <Callout tone="warning">{BASE.needsNetwork}</Callout>
          </div>
        )}
        {request.failure !== null && !offline && (
          <div className="pb-4">
            <RetryCallout failure={request.failure} onRetry={request.again}>
              {request.failure.message}
            </RetryCallout>
          </div>
        )}
        {branding === null ? (
          request.failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <Editor chosen={chosen} branding={branding} offline={offline} onSaved={setSaved} />
        )}
      </div>
    </Page>
  );
}

const EMPTY = {};
