import { useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useChosenProvider } from '#src/features/shared/provider-choice.tsx';
import type { ChosenProvider } from '#src/features/shared/provider-choice.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Editor } from './editor.tsx';
import { brandingMessages as t } from './messages.en.ts';

/** `/admin/branding`: names, images, colors and pages of a provider's portal. */
export function BrandingScreen() {
  const chosen = useChosenProvider();
  return chosen === null ? null : <OneBranding key={chosen.id} chosen={chosen} />;
}

function OneBranding({ chosen }: { readonly chosen: ChosenProvider }) {
  const { id, own, name } = chosen;
  const asked = useCachedQuery('brandingOf', { id });
  const [saved, setSaved] = useState<Branding | null>(null);
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const branding = saved ?? asked.value;
  return (
    <Page title={t.branding} {...(!own && name !== null && { detail: name })}>
      <div className="min-h-full bg-sheet px-4 py-4 tablet:px-5">
        {offline && (
          <div className="pb-4">
            <Callout tone="warning">{BASE.needsNetwork}</Callout>
          </div>
        )}
        {asked.failure !== null && !offline && (
          <div className="pb-4">
            <Callout
              tone="failed"
              alert
              action={
                <Button size="sm" onClick={asked.again}>
                  {uiMessages.tryAgain}
                </Button>
              }
            >
              {asked.failure.message}
            </Callout>
          </div>
        )}
        {branding === null ? (
          asked.failure === null && (
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

const NOTHING = {};
