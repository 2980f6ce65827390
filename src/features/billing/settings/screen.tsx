import { useState } from 'react';
import type { BillingSettings } from '#contract/billing/service-levels.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { DeletedCompanies } from './deleted-companies.tsx';
import { PaymentsForm } from './payments-form.tsx';
import { PricesForm } from './prices-form.tsx';
import { billingSettingsMessages as t } from './messages.en.ts';
import { Volumes } from './volumes.tsx';

/** `/admin/billing`: prices, payments, volumes and deleted companies. */
export function BillingSettingsPage() {
  const request = useCachedQuery('getBillingSettings', EMPTY);
  const [saved, setSaved] = useState<BillingSettings | null>(null);
  const [dirty, setDirty] = useState<readonly string[]>([]);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const settings = saved ?? request.value;
  const mark = useMarks(setDirty);
  return (
    <Page title={t.title}>
      <UnsavedQuestion dirty={dirty.length > 0} />
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
        {settings === null ? (
          request.failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <>
            <PricesForm
              settings={settings}
              offline={offline}
              onSaved={setSaved}
              onDirty={mark('prices')}
            />
            <PaymentsForm
              settings={settings}
              offline={offline}
              onSaved={setSaved}
              onDirty={mark('payments')}
            />
          </>
        )}
        <Volumes key={settings?.solarWinds?.url ?? ''} offline={offline} />
        <DeletedCompanies offline={offline} />
      </div>
    </Page>
  );
}

/** Which forms would lose changes, by stable functions. */
function useMarks(setDirty: (change: (old: readonly string[]) => readonly string[]) => void) {
  const [marks] = useState(() => {
    const make =
      (part: string) =>
      (on: boolean): void =>
        setDirty((old) =>
          on === old.includes(part) ? old : on ? [...old, part] : old.filter((one) => one !== part),
        );
    return { prices: make('prices'), payments: make('payments') };
  });
  return (part: keyof typeof marks) => marks[part];
}

const EMPTY = {};
